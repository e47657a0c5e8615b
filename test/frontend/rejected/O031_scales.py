import freehold as fh
from freehold import Out, f32


def kernel(y: Out[f32, "N"]):
    y.store(fh.zeros((128,), fh.f8e8m0fnu).astype(f32))
    y.store(fh.full((128,), 3.0, fh.f8e8m0fnu).astype(f32))
    y.store(fh.full((128,), -1.0, fh.f8e5m3fnu).astype(f32))
    y.store(fh.full((128,), 9, fh.i4))
