"""Spellings of comprehensions, each function with its core beside it."""


def plain(xs):
    return tuple(x + 1 for x in xs)


def nested(xs, ys):
    return sum(x * y for x, *r in xs if x if r for y in ys if y != x)


def in_a_guard(a):
    match a:
        case (x, y) if any(x > y for x in a) or (lambda y: x < y)(2):
            return x
