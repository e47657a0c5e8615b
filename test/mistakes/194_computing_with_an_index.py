"""A block's coordinates as if they were one number."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def shift(y: Out["N"], x: Ref["N"]):
    i = y.index
    y.store(x.load_like(y) + 2 * i)


@fh.kernel
def shift_fixed(y: Out["N"], x: Ref["N"]):
    i = y.index
    y.store(x.load_like(y) + 2 * i[0])


def mistake():
    shift(fh.partition(y, 64), x).sync()


def fixed():
    shift_fixed(fh.partition(y, 64), x).sync()
    return y, x + 2 * (np.arange(256) // 64)
