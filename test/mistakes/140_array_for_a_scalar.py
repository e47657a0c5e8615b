"""An array of one element for a scalar."""

import numpy as np

import freehold as fh
from freehold import f32, Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def scale(y: Out["N"], x: Ref["N"], a: f32):
    y.store(a * x.load_like(y))

def mistake():
    scale(fh.partition(y, 64), x, np.array([2.0])).sync()

def fixed():
    scale(fh.partition(y, 64), x, np.array([2.0]).item()).sync()
    return y, 2 * x
