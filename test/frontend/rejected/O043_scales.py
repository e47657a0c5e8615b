import freehold as fh
from freehold import Out, Ref, f32


def kernel(c: Out[f32, "M", "N"], a: Ref["M", "K"]):
    x = a.load((0, 0), (64, 64)).astype(fh.f8e4m3fn)
    s = fh.ones((64, 2), fh.f8e8m0fnu)
    acc = fh.zeros(c.tile, f32)
    c.store(fh.mma_scaled(x, s.astype(f32), x.T, s.T, acc))
    c.store(fh.mma_scaled(x, s, x.T, s, acc))
    c.store(fh.mma_scaled(x, fh.ones((64, 4), fh.f8e8m0fnu), x.T, s.T, acc))
    y = a.load((0, 0), (64, 64)).astype(fh.f4e2m1fn)
    c.store(fh.mma_scaled(y, s, y.T, fh.ones((4, 64), fh.f8e4m3fn), acc))
    c.store(fh.mma_scaled(y, s, y.T, fh.ones((4, 64), fh.f8e8m0fnu), acc))
    c.store(fh.mma_scaled(x[:, :16], s[:, :1], x[:, :16].T, s[:, :1].T, acc))
