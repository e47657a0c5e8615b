import freehold as fh
from freehold import Out, Ref, f32, u8


def kernel(y: Out[f32, "N"], x: Ref[u8, "N"]):
    t = x.load((0,), (64,))
    fh.pack(fh.zeros((), f32) > 0)
    fh.pack(fh.ones((2, 4), fh.bool_))
    fh.unpack(t.astype(f32), fh.i4)
    fh.unpack(t[:2], f32)
    fh.bitcast(t, fh.f4e2m1fn)
    fh.mma(fh.zeros((16, 16), fh.f16), fh.zeros((16, 16), fh.f16), fh.zeros((16, 16), f32), fast_acc=True)
