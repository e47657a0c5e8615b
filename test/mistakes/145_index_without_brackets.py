"""An index of two axes without its brackets."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)
y = np.zeros((64, 128), np.float32)


@fh.kernel
def double(y: Out["M", "N"], x: Ref["M", "N"]):
    i, j = y.index
    y.store(2.0 * x.load(i, j, y.tile))


@fh.kernel
def double_fixed(y: Out["M", "N"], x: Ref["M", "N"]):
    i, j = y.index
    y.store(2.0 * x.load((i, j), y.tile))


def mistake():
    double(fh.partition(y, (32, 32)), x).sync()


def fixed():
    double_fixed(fh.partition(y, (32, 32)), x).sync()
    return y, 2 * x
