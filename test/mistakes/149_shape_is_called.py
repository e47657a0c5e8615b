"""A shape, called as in torch."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)
y = np.zeros((64, 128), np.float32)


@fh.kernel
def double(y: Out["M", "N"], x: Ref["M", "N"]):
    rows = x.shape(0)
    y.store(2.0 * x.load_like(y) + 0 * rows)


@fh.kernel
def double_fixed(y: Out["M", "N"], x: Ref["M", "N"]):
    rows = x.shape[0]
    y.store(2.0 * x.load_like(y) + 0 * rows)


def mistake():
    double(fh.partition(y, (32, 32)), x).sync()


def fixed():
    double_fixed(fh.partition(y, (32, 32)), x).sync()
    return y, 2 * x
