"""Catching a division by zero."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def invert(y: Out["N"], x: Ref["N"]):
    try:
        y.store(1.0 / x.load_like(y))
    except ZeroDivisionError:
        y.store(0.0)


@fh.kernel
def invert_fixed(y: Out["N"], x: Ref["N"]):
    y.store(1.0 / x.load_like(y))


def mistake():
    invert(fh.partition(y, 64), x).sync()


def fixed():
    invert_fixed(fh.partition(y, 64), x).sync()
    return y, 1 / x
