"""A ramp along the whole tensor, made in each block as NumPy makes it."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def ramp(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) + np.linspace(0.0, 1.0, x.shape[0]))


@fh.kernel
def ramp_fixed(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) + (0.0 + (1.0 - 0.0) / (x.shape[0] - 1) * (y.start[0] + fh.arange(y.tile[0]))))


def mistake():
    ramp(fh.partition(y, 64), x).sync()


def fixed():
    ramp_fixed(fh.partition(y, 64), x).sync()
    return y, x + np.linspace(0, 1, 256)
