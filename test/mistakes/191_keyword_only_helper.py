"""A helper whose argument has to be named."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def scaled(y: Out["N"], x: Ref["N"]):
    def scale(t, *, by, offset=1.0):
        return t * by + offset

    y.store(scale(x.load_like(y), 2.0))


@fh.kernel
def scaled_fixed(y: Out["N"], x: Ref["N"]):
    def scale(t, *, by, offset=1.0):
        return t * by + offset

    y.store(scale(x.load_like(y), by=2.0))


def mistake():
    scaled(fh.partition(y, 64), x).sync()


def fixed():
    scaled_fixed(fh.partition(y, 64), x).sync()
    return y, 2 * x + 1
