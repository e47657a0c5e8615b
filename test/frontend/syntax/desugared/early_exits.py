"""Spellings of early exits, each function with its core beside it."""


def one_after_the_other(a, b):
    if a < 0:
        return -1
    elif a == 0:
        b = b + 1
    else:
        return 1
    b = b * 2
    return b


def without_a_value(a, out):
    if a:
        return
    out.store(a)


def falls_off_its_end(a):
    if a:
        return a


def nested(a, b):
    if a:
        if b:
            return 1
        x = a
    else:
        x = b
    y = x + 1
    return y


def twice_nested(a, b, c):
    if a:
        x = 1
        if b:
            if c:
                return x
            x = 2
        x = x + 1
    else:
        x = 0
    return x * 2


def nothing_follows(a, b):
    if a:
        if b:
            return 1
    else:
        return 2


def stores_on_the_way(a, b, out):
    x = 1
    if a:
        x = 2
        if b:
            x = 3
            out.store(x)
            return
        x = 4
    out.store(x)


def unreachable(a):
    if a:
        return 1
        a = 2
    else:
        return 2
    return 3
