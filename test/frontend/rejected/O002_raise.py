import freehold as fh
from freehold import Const, Out, Ref


def positive(t):
    if t.min() < 0:
        raise ValueError("a negative number")
    return t


def kernel(y: Out["N"], x: Ref["N"], K: Const[int] = 3):
    t = positive(x.load_like(y))
    for k in range(K):
        if K == 3:
            raise ValueError
    y.store(t)
