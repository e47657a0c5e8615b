import freehold as fh
from freehold import Out, Ref, f32


def kernel(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y)
    y.store(t - fh.zeros((32,), f32))
