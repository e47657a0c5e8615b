"""A list for a compile-time parameter."""

import numpy as np

import freehold as fh
from freehold import Const, f32, Out

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def zero(y: Out["N"], SHAPE: Const[tuple]):
    y.store(fh.zeros(SHAPE, f32))

def mistake():
    zero(fh.partition(y, 64), [64]).sync()

def fixed():
    zero(fh.partition(y, 64), (64,)).sync()
    return y, 0
