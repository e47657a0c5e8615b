import freehold as fh
from freehold import Out, Raw, f32


def early(r, y):
    with fh.unsafe("it is read alone"):
        return r.gather(0)


def kernel(y: Out["N"], r: Raw["N"], x: f32):
    y.store(early(r, y))
    with fh.unsafe(""):
        y.store(r.gather(0))
    with fh.unsafe(x):
        y.store(r.gather(0))
    fh.unsafe("as a call")
