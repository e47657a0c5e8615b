"""Spellings of operators, each function with its core beside it."""


def comparisons(a, b, c):
    p = a < b
    q = a < b <= 3 != c
    return p, q, a < b + 1 < c, a is not None, a not in (b, c)


def others(a, b):
    return -a + +b, not a, a and b or ~b, a @ b ** 2, a if b else 0


def pieces(t, i):
    return t[:, None], t[i], t[1:i:2], t[::i].T, t.sum(0, keepdims=True), (*t, 1), max(*t, key=i)


def texts(a, b):
    return f"{a}, {b!r:>{a}}: {a + b:.3f}" + "plain"
