import freehold as fh
from freehold import Out, Ref, f32


def kernel(c: Out[f32, "M", "N"], a: Ref["M", "K"]):
    x = a.load((0, 0), (64, 64))
    p, q, s = x.astype(fh.f8e4m3fn), x.astype(fh.f8e5m2), fh.ones((64, 2), fh.f8e8m0fnu)
    acc = fh.zeros(c.tile, f32)
    c.store(fh.mma_scaled(x, s, x.T, s.T, acc))
    c.store(fh.mma_scaled(p, s, q.T, s.T, acc))
    c.store(fh.mma_scaled(p, s, p.T, s.T, acc.astype(fh.f16)))
    c.store(fh.mma_scaled(p, s, p[:32], s.T, acc))
    c.store(fh.mma(fh.ones((64, 64), fh.f4e2m1fn), fh.ones((64, 64), fh.f4e2m1fn), acc))
