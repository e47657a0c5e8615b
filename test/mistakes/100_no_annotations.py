"""A kernel without annotations."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)

def mistake():
    @fh.kernel
    def double(y, x):
        y.store(2.0 * x.load_like(y))

    double(fh.partition(y, 64), x).sync()

def fixed():
    @fh.kernel
    def double(y: Out, x: Ref):
        y.store(2.0 * x.load_like(y))

    double(fh.partition(y, 64), x).sync()
    return y, 2 * x
