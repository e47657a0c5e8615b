import freehold as fh
from freehold import Mut, Ref


def kernel(y: Mut["N"], x: Ref["N"]):
    y.store(x * 2.0)
    y.store(fh.exp(y))
    y += 1.0
