"""The positive elements are looked for as NumPy does it."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def positive(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(fh.nonzero(t > 0)[0])


@fh.kernel
def positive_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(fh.where(t > 0, t, 0))


def mistake():
    positive(fh.partition(y, 64), x).sync()


def fixed():
    positive_fixed(fh.partition(y, 64), x).sync()
    return y, np.maximum(x, 0)
