import freehold as fh
from freehold import Out, Ref


def kernel(y: Out["N"], x: Ref["N"]):
    best = None
    for k in range(4):
        t = x.load_like(y)
        best = t if best is None else fh.maximum(best, t)
    y.store(best)
