import freehold as fh
from freehold import Out, Ref, f32


def kernel(y: Out["N"], x: Ref["N"]):
    a = x.load((0,))
    b = x.load((0,), (128,), pading="nan")
    c = fh.zeros((128,), f32, 3)
    d = fh.sum(a, axes=0)
    y.store(a + b + c + d)
