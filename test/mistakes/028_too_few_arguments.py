"""A launch without one of its arguments."""

import numpy as np

import freehold as fh
from freehold import f32, Mut, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def axpy(y: Mut["N"], x: Ref["N"], alpha: f32):
    y.store(alpha * x.load_like(y) + y.load())

def mistake():
    axpy(fh.partition(y, 64), x).sync()

def fixed():
    axpy(fh.partition(y, 64), x, 2.0).sync()
    return y, 2 * x
