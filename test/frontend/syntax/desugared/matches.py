"""Spellings of matches, each function with its core beside it."""


def values(a):
    match a:
        case 1 | Mode.ADD:
            x = 1
        case None:
            x = 2
        case n if n > 3:
            x = n
        case _:
            x = 0
    return x


def parts(a, b):
    match a, b:
        case (x, 0, *rest, (y, _)) if x < y:
            return rest
        case [p, 1] | [1, p]:
            return p
        case (_, _, *_):
            pass
    return b


def classes(a):
    match a.state:
        case State(best, count=0 as n):
            a.store(best)
        case int(m) | float(m):
            a.store(m)
        case Pair(Pair(x, y), z):
            a.store(x + y + z)


def refused(a):
    match a:
        case {"x": x}:
            y = x
        case (1 | (2 as z)):
            pass
