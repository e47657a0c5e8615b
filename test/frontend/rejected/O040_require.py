import freehold as fh
from freehold import Out, Ref


def checked(x):
    fh.require(x.shape[0] <= 4096)


def kernel(y: Out["N"], x: Ref["N"], n: int):
    checked(x)
    if n > 0:
        fh.require(x.shape[0] % n == 0, "in whole parts")
        checked(x)
    y.store(x.load_like(y))
