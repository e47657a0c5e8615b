"""Zeros of a shape that no tile has."""

import numpy as np

import freehold as fh
from freehold import f32, Out

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def zero(y: Out["N"]):
    y.store(fh.zeros((100,), f32).sum())


@fh.kernel
def zero_fixed(y: Out["N"]):
    y.store(fh.zeros((128,), f32).sum())


def mistake():
    zero(fh.partition(y, 64)).sync()


def fixed():
    zero_fixed(fh.partition(y, 64)).sync()
    return y, 0
