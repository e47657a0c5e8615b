from freehold import Out, Ref, f32


def kernel(y: Out[f32, "N"], x: Ref["N", -1], z: Ref["2 ** N"], w: Ref["N", f32]):
    y.store(0.0)
