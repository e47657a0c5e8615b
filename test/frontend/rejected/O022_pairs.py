import freehold as fh
from freehold import Out, Ref, f32, u8


def kernel(y: Out[f32, "N"], x: Ref[u8, "N"]):
    t = fh.unpack(x.load((0,), (64,)), fh.f4e2m1fn)
    y.store(t[0].astype(f32))
    y.store(fh.f4e2m1fn(1.0))
    y.store(fh.zeros((), fh.f4e2m1fn).astype(f32))
    y.store(x.load((0,), (64,)).sum().astype(fh.f4e2m1fn).astype(f32))
