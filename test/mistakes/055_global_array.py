"""Weights in a global array."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)
WEIGHTS = np.full(64, 2.0, np.float32)


@fh.kernel
def scale(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * WEIGHTS)


@fh.kernel
def scale_fixed(y: Out["N"], x: Ref["N"], weights: Ref["T"]):
    y.store(x.load_like(y) * weights.load((0,), (64,)))

def mistake():
    scale(fh.partition(y, 64), x).sync()

def fixed():
    scale_fixed(fh.partition(y, 64), x, WEIGHTS).sync()
    return y, 2 * x
