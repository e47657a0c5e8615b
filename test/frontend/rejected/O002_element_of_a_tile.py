from freehold import Out, Ref


def kernel(y: Out["N"], x: Ref["N"], i: int):
    t = x.load_like(y)
    y.store(t + t[t > 0] + t[1:5] + t[0:12] + t[::2] + t[200] + t[0, 1] + t[i:8] + t[8:8])
