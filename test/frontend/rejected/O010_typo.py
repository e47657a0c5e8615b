from freehold import Out, Ref


def kernel(y: Out["N"], x: Ref["N"]):
    total = x.load_like(y)
    y.store(totl * 2.0)
