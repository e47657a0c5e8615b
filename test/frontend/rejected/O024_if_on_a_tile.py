import freehold as fh
from freehold import Out, Ref


def kernel(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    if t > 0.0:
        t = t * 2.0
    u = t if t > 1.0 else -t
    v = (t > 0.0) and (u < 1.0)
    while t.max(keepdims=True) > 0.0:
        t = t - 1.0
    y.store(fh.where(v, t, u))
