import freehold as fh
from freehold import Out, Ref


def kernel(y: Out["N"], x: Ref["N"]):
    (i,) = y.index
    y.store(x.load((i * 1.0,), y.tile) + x.load((fh.arange(128),), y.tile))
