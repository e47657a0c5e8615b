"""A float for a parameter that is an `int`."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.arange(256, dtype=np.int32)
y = np.zeros(256, np.int32)


@fh.kernel
def scale(y: Out["N"], x: Ref["N"], n: int):
    y.store(x.load_like(y) * n)

def mistake():
    scale(fh.partition(y, 64), x, 256 / 64).sync()

def fixed():
    scale(fh.partition(y, 64), x, 256 // 64).sync()
    return y, 4 * x
