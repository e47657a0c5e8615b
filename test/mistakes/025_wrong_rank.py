"""A matrix where the kernel declares a vector."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)
y = np.zeros((64, 128), np.float32)


@fh.kernel
def double(y: Out["N"], x: Ref["N"]):
    y.store(2.0 * x.load_like(y))

def mistake():
    double(fh.partition(y.reshape(-1), 64), x).sync()

def fixed():
    double(fh.partition(y.reshape(-1), 64), x.reshape(-1)).sync()
    return y, 2 * x
