"""A kernel that is called for its result, as a function of NumPy."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def square(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(t * t)


def mistake():
    return square(x).sync()


def fixed():
    tile = 64
    return square(fh.partition(y, tile), x).sync(), x * x
