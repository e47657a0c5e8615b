"""Tuples of two lengths are paired."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def kernel(ys: tuple[Out["N"], ...], xs: tuple[Ref["N"], ...]):
    for y, x in zip(ys, xs, strict=True):
        y.store(x.load_like(y))


def mistake():
    kernel((fh.partition(y, 64),), (x, x)).sync()


def fixed():
    kernel((fh.partition(y, 64),), (x,)).sync()
    return y, x
