"""A dtype by NumPy's name."""

import numpy as np

import freehold as fh
from freehold import Out

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def zero(y: Out["N"]):
    y.store(fh.zeros(y.tile, fh.float32))


@fh.kernel
def zero_fixed(y: Out["N"]):
    y.store(fh.zeros(y.tile, fh.f32))


def mistake():
    zero(fh.partition(y, 64)).sync()


def fixed():
    zero_fixed(fh.partition(y, 64)).sync()
    return y, 0
