"""Two arrays of different lengths under one dimension name."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def double(y: Out["N"], x: Ref["N"]):
    y.store(2.0 * x.load_like(y))

def mistake():
    double(fh.partition(y, 64), x[:200]).sync()

def fixed():
    double(fh.partition(y[:200], 64), x[:200]).sync()
    return y[:200], 2 * x[:200]
