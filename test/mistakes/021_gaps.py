"""A step larger than the tile, on an output."""

import numpy as np

import freehold as fh
from freehold import Mut, Out

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def fill(y: Out["N"]):
    y.store(2.0)


@fh.kernel
def fill_fixed(y: Mut["N"]):
    y.store(2.0)


def mistake():
    fill(fh.partition(y, 32, step=64)).sync()


def fixed():
    fill_fixed(fh.partition(y, 32, step=64)).sync()
    return y[:32], np.full(32, 2.0)
