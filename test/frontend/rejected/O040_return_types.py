from freehold import Out, Ref


def pick(t, n):
    if n > 0:
        return t
    return None


def kernel(y: Out["N"], x: Ref["N"], n: int):
    y.store(pick(x.load_like(y), n))
