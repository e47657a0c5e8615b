import freehold as fh
from freehold import Out, Ref


def kernel(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    for i in fh.static_range(5000):
        t = t + i
    y.store(t)
