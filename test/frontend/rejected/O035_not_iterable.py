from freehold import Out, Ref


def kernel(y: Out["N"], x: Ref["N"], n: int):
    t = x.load_like(y)
    for row in x:
        t = t + 1.0
    for i in n:
        t = t + 1.0
    for i in 4:
        t = t + 1.0
    for i in range(10, 0, 0):
        t = t + 1.0
    y.store(t)
