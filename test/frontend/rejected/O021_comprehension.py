import freehold as fh
from freehold import Out, Ref, f32


def kernel(y: Out["N"], x: Ref["M"], n: int):
    a = sum(x.load(i, 128) for i in fh.tiles(x, axis=0, size=128))
    b = sum(x.load(i, 128) for i in range(n))
    t = x.load(0, 128)
    c = max(e for e in t)
    d = tuple(i for i in range(4) if i < n)
    e = tuple(i for i in range(4000))
    y.store(t + a + b + c + d[0] + e[0])
