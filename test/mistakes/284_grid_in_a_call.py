"""A grid given to the call, as in Pallas."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def double(y: Out["N"], x: Ref["N"]):
    y.store(2.0 * x.load_like(y))

def mistake():
    double(y, x, grid=(4,)).sync()

def fixed():
    double(fh.partition(y, 64), x).sync()
    return y, 2 * x
