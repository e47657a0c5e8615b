"""Spellings of statements, each function with its core beside it."""


def assignments(a, b):
    """What this is about."""
    x = y = a
    (p, q), r = (a, b), 1
    first, *rest = a
    [u] = b,
    n: int = 3
    m: int
    n += x
    a.b[0] = n
    a.b @= n
    return p


def others(a, b):
    assert a < b, "too large"
    assert b
    pass
    a.store(b)
    with fh.unsafe("blocks take turns"):
        a.scatter(b)
    while a:
        if b:
            continue
        elif a == 2:
            break
        else:
            a -= 1


def functions(a):
    def inner(x, y=a, *, z, w=1):
        return x + y

    shift = lambda x, by=1: x + by
    return inner(shift(a), z=2)


def refused(a):
    import math as m, os.path
    x = {1: 2}
    try:
        y, z = 1, 2
    except E:
        pass
    with open(a) as f:
        g = 1
    for i in a:
        pass
    else:
        b = 1
    return [i for i in a]
