from freehold import Out, Ref


def kernel(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    while True:
        t = t + 1.0
    y.store(t)
