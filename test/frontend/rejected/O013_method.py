from freehold import Out, Ref, f32


def kernel(y: Out["N"], x: Ref["N"]):
    a = x.load((0,), (128,))
    b = a.astype(f32, a)
    c = a.sum(0, a)
    y.store(b + c)
