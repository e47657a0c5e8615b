"""A tensor that may be left out is a part of a sum."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def add(y: Out["N"], x: Ref["N"], bias: Ref["N"] | None = None):
    y.store(x.load_like(y) + bias)


@fh.kernel
def add_fixed(y: Out["N"], x: Ref["N"], bias: Ref["N"] | None = None):
    t = x.load_like(y)
    y.store(t if bias is None else t + bias.load_like(y))


def mistake():
    add(fh.partition(y, 64), x).sync()


def fixed():
    add_fixed(fh.partition(y, 64), x).sync()
    return y, x
