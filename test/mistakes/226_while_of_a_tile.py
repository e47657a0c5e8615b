"""A loop goes on until all elements are small."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


def kernel(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    while t > 0.5:
        t = t / 2
    y.store(t)


@fh.kernel
def kernel_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    while t.max() > 0.5:
        t = t / 2
    y.store(t)


def mistake():
    fh.kernel(kernel)(fh.partition(y, 64), x).sync()


def fixed():
    kernel_fixed(fh.partition(y, 64), x).sync()
    return y, x / np.where(np.arange(256) >= 192, 2, 1)
