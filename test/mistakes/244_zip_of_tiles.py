"""Elements are paired by `zip`."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


def kernel(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    for a, b in zip(t, t):
        y.store(a * b)


@fh.kernel
def kernel_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(t * t)


def mistake():
    fh.kernel(kernel)(fh.partition(y, 64), x).sync()


def fixed():
    kernel_fixed(fh.partition(y, 64), x).sync()
    return y, x * x
