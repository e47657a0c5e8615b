from freehold import Out, Ref


def kernel(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    print(t)
    y.store(t)
