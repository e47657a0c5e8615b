from freehold import Out, Ref


def power(t, n):
    return t if n == 0 else t * power(t, n - 1)


def kernel(y: Out["N"], x: Ref["N"]):
    y.store(power(x.load_like(y), 3))
