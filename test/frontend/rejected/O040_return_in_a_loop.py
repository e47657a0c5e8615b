from freehold import Out, Ref


def first(n):
    for i in range(n):
        if i * i > n:
            return i
    return n


def kernel(y: Out["N"], x: Ref["N"], n: int):
    y.store(x.load_like(y) * first(n))
