"""Spellings of returns in loops, each function with its core beside it."""


def first(xs, limit):
    for x in xs:
        if x < limit:
            continue
        if x > limit:
            return x
    return limit


def endless(a):
    while True:
        a += 1
        if a > 10:
            return a


def left_otherwise(a):
    while True:
        a += 1
        if a > 10:
            return a
        if a == 3:
            break
    return -a


def in_two_loops(xs, limit):
    for x in xs:
        for y in x:
            if y > limit:
                return y, x
    return limit, None


def stores(xs, limit, out):
    acc = 0
    for x in xs:
        acc = acc + x
        if acc > limit:
            last = acc * 2
            out.store(last)
            return
        if x == 0:
            return
    out.store(acc)


def stores_in_two_loops(xs, limit, out):
    for x in xs:
        for y in x:
            if y > limit:
                out.store(y + limit)
                return
    out.store(limit)


def in_an_inner_function(xs):
    def search(y):
        for x in xs:
            if x == y:
                return True
        return False

    if search(1):
        return 1
    return 2


def in_an_unsafe_block(a):
    with unsafe("because"):
        if a:
            return 1
    return 2
