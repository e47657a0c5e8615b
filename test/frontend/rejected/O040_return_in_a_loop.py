import freehold as fh
from freehold import Out, Ref


def found(n, x):
    for i in range(n):
        if i * i > n:
            return x.load(i, 128)
        if i > 7:
            return None
    return n


def kernel(y: Out["N"], x: Ref["N"], n: int):
    found(n, x)
    y.store(x.load_like(y))
