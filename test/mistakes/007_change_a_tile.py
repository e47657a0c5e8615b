"""Setting the first element of a tile."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def first(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    t[0] = 1.0
    y.store(t)


@fh.kernel
def first_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    t = fh.where(fh.arange(64) == 0, 1.0, t)
    y.store(t)


def mistake():
    first(fh.partition(y, 64), x).sync()


def fixed():
    first_fixed(fh.partition(y, 64), x).sync()
    return y[1:64], x[1:64]
