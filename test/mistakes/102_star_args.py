"""Any number of inputs."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)

def mistake():
    @fh.kernel
    def total(y: Out["N"], *xs: Ref["N"]):
        y.store(sum(x.load_like(y) for x in xs))

    total(fh.partition(y, 64), x, x).sync()

def fixed():
    @fh.kernel
    def total(y: Out["N"], xs_0: Ref["N"], xs_1: Ref["N"]):
        y.store(xs_0.load_like(y) + xs_1.load_like(y))

    total(fh.partition(y, 64), x, x).sync()
    return y, 2 * x
