import freehold as fh
from freehold import Out, Ref, f32, i32


def kernel(y: Out["N"], a: Ref[fh.u32, "N"], b: Ref[i32, "N"]):
    y.store((a.load_like(y) + b.load_like(y)).astype(f32))
