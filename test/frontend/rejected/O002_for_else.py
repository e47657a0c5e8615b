import freehold as fh
from freehold import Out, Ref, f32


def kernel(y: Out["N"], x: Ref["N"]):
    t = fh.zeros(y.tile, f32)
    for i in range(4):
        t = t + 1.0
    else:
        t = t * 2.0
    y.store(t)
