"""A Python list instead of an array."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def double(y: Out["N"], x: Ref["N"]):
    y.store(2.0 * x.load_like(y))

def mistake():
    double(fh.partition(y[:4], 4), [1.0, 2.0, 3.0, 4.0]).sync()

def fixed():
    double(fh.partition(y[:4], 4), np.array([1.0, 2.0, 3.0, 4.0], np.float32)).sync()
    return y[:4], np.array([2.0, 4.0, 6.0, 8.0])
