from freehold import Out, Ref


def kernel(y: Out["N"], x: Ref["N"]):
    i, j = y.index
    n, m = x
    a, b = 3
    y.store(x.load_like(y))
