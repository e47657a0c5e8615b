import freehold as fh
from freehold import Out, Ref, f32, u8


def kernel(y: Out[f32, "N"], x: Ref[u8, "N"]):
    t = fh.unpack(x.load((0,), (64,)), fh.i4)
    y.store(t + 1)
    y.store(-t)
    y.store(t.sum())
    y.store(fh.maximum(t, 1))
    y.store(fh.sign(t))
    s = fh.bitcast(x.load((0,), (64,)), fh.f8e8m0fnu)
    y.store(fh.exp(s))
    y.store(s * 2.0)
    f = fh.unpack(x.load((0,), (64,)), fh.f4e2m1fn)
    y.store(f.max())
    y.store(fh.reduce((f, f), lambda a, b: a, (0, 0), 0)[0])
