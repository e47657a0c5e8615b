"""A number of NumPy for a compile-time `float`."""

import numpy as np

import freehold as fh
from freehold import Const, Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def scale(y: Out["N"], x: Ref["N"], a: Const[float]):
    y.store(a * x.load_like(y))

def mistake():
    scale(fh.partition(y, 64), x, np.float32(0.5)).sync()

def fixed():
    scale(fh.partition(y, 64), x, float(np.float32(0.5))).sync()
    return y, x / 2
