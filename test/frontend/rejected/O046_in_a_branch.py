from freehold import Out, Ref


def kernel(y: Out["N"], x: Ref["N"], n: int):
    if n > 0:
        y = x.load_like(y) * 2
    else:
        y = x.load_like(y)
