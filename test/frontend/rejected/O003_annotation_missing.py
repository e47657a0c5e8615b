from freehold import Out


def kernel(y: Out["N"], x, n):
    y.store(x.load_like(y))
