from freehold import Out, Ref, i32


def kernel(y: Out[i32, "N"], x: Ref[i32, "N"]):
    t = x.load_like(y)
    y.store(t / 2)
