"""A variable that only one branch assigns."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def scale(y: Out["N"], x: Ref["N"], mode: int):
    if mode == 1:
        factor = 2.0
    y.store(factor * x.load_like(y))


@fh.kernel
def scale_fixed(y: Out["N"], x: Ref["N"], mode: int):
    factor = 0.0
    if mode == 1:
        factor = 2.0
    y.store(factor * x.load_like(y))


def mistake():
    scale(fh.partition(y, 64), x, 1).sync()


def fixed():
    scale_fixed(fh.partition(y, 64), x, 1).sync()
    return y, 2 * x
