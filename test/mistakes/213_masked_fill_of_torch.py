"""Negative elements are replaced as torch does it."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def relu(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(t.masked_fill(t < 0, 0.0))


@fh.kernel
def relu_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(fh.where(t < 0, 0.0, t))


def mistake():
    relu(fh.partition(y, 64), x).sync()


def fixed():
    relu_fixed(fh.partition(y, 64), x).sync()
    return y, np.maximum(x, 0)
