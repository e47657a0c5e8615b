"""A transposed output, whose indices are used for the input in the order that they have there."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.arange(64 * 48, dtype=np.float32).reshape(64, 48)
y = np.zeros((48, 64), np.float32)


@fh.kernel
def turned(y: Out["N", "M"], x: Ref["M", "N"]):
    i, j = y.index
    y.store(x.load((i, j), (16, 16)).T)


@fh.kernel
def turned_fixed(y: Out["N", "M"], x: Ref["M", "N"]):
    i, j = y.index
    y.store(x.load((j, i), (16, 16)).T)


def mistake():
    turned(fh.partition(y, (16, 16)), x).sync()


def fixed():
    turned_fixed(fh.partition(y, (16, 16)), x).sync()
    return y, x.T
