from freehold import Out, Ref


def kernel(y: Out["N"], x: Ref["N"]):
    y[0] = 1.0
    t = x.load_like(y)
    t[0] = 2.0
    x[3] = t
