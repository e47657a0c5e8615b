"""Reading one element of a tile at a place that is a float."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def shift(y: Out["N"], x: Ref["N"], i: float):
    t = x.load_like(y)
    y.store(t - t[i])


@fh.kernel
def shift_fixed(y: Out["N"], x: Ref["N"], i: float):
    t = x.load_like(y)
    y.store(t - t[int(i)])


def mistake():
    shift(fh.partition(y, 256), x, 3.0).sync()


def fixed():
    shift_fixed(fh.partition(y, 256), x, 3.0).sync()
    return y, x - x[3]
