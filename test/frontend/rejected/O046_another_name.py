from freehold import Out, Ref


def kernel(y: Out["N"], z: Out["N"], x: Ref["N"]):
    y = x.load_like(z)
    z.store(y + 1)
    y.store(y)
