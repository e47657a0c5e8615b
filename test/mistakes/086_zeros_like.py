"""Zeros like another tile."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def zero(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(fh.zeros_like(t))


@fh.kernel
def zero_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(fh.zeros(t.shape, t.dtype))


def mistake():
    zero(fh.partition(y, 64), x).sync()


def fixed():
    zero_fixed(fh.partition(y, 64), x).sync()
    return y, 0
