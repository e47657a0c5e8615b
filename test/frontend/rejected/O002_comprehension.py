import freehold as fh
from freehold import Out, Ref, f32


def total(parts):
    return sum(parts)


def kernel(y: Out["N"], x: Ref["M"], n: int):
    parts = [x.load(i, 128) for i in range(4)]
    later = (x.load(i, 128) for i in range(4))
    y.store(total(x.load(i, 128) for i in range(4)))
