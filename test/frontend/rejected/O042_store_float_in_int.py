from freehold import Out, Ref, i32


def kernel(y: Out[i32, "N"], x: Ref["N"]):
    y.store(x.load_like(y))
