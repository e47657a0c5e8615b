"""A launch of a function that is no kernel."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)

def double(y: Out["N"], x: Ref["N"]):
    y.store(2.0 * x.load_like(y))


@fh.kernel
def double_fixed(y: Out["N"], x: Ref["N"]):
    y.store(2.0 * x.load_like(y))

def mistake():
    double(fh.partition(y, 64), x)

def fixed():
    double_fixed(fh.partition(y, 64), x).sync()
    return y, 2 * x
