"""The largest of three."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def kernel(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(fh.maximum(t, -t, 0.5))


@fh.kernel
def kernel_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(fh.maximum(fh.maximum(t, -t), 0.5))


def mistake():
    kernel(fh.partition(y, 64), x).sync()


def fixed():
    kernel_fixed(fh.partition(y, 64), x).sync()
    return y, np.maximum(np.abs(x), 0.5)
