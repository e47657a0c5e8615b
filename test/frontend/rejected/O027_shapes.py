import freehold as fh
from freehold import Out, Ref, f32


def kernel(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["N", "K"]):
    x, y = a.load((0, 0), (64, 32)), b.load((0, 0), (64, 32))
    c.store(fh.mma(x, y, fh.zeros(c.tile, f32)))
    c.store(fh.mma(x, y.T, fh.zeros((64, 32), f32)))
    c.store(fh.mma(x, y.sum(axis=0), fh.zeros(c.tile, f32)))
