import freehold as fh
from freehold import Out, Raw


def inside(locks):
    return locks.gather(0)


def kernel(y: Out["N"], locks: Raw["N"]):
    y.store(locks.gather(fh.arange(128)))
    with fh.unsafe("reading is the only thing that is done"):
        y.store(locks.gather(fh.arange(128)) + inside(locks))
