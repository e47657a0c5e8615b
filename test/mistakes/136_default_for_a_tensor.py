"""An optional tensor."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)

def mistake():
    @fh.kernel
    def add(y: Out["N"], x: Ref["N"], bias: Ref["N"] = None):
        y.store(x.load_like(y) + bias.load_like(y))

    add(fh.partition(y, 64), x).sync()

def fixed():
    @fh.kernel
    def add(y: Out["N"], x: Ref["N"], bias: Ref["N"]):
        y.store(x.load_like(y) + bias.load_like(y))

    add(fh.partition(y, 64), x, x).sync()
    return y, 2 * x
