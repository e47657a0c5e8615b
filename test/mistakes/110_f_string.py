"""Text that is made of a value."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def checked(y: Out["N"], x: Ref["N"], n: int):
    assert n > 0, f"n is {n}"
    y.store(x.load_like(y))


@fh.kernel
def checked_fixed(y: Out["N"], x: Ref["N"], n: int):
    assert n > 0, "n must be positive"
    y.store(x.load_like(y))


def mistake():
    checked(fh.partition(y, 64), x, 1).sync()


def fixed():
    checked_fixed(fh.partition(y, 64), x, 1).sync()
    return y, x
