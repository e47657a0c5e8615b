"""A reshape by torch's name."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def fold(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y).view(8, 8)
    y.store(t.reshape(64))


@fh.kernel
def fold_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y).reshape(8, 8)
    y.store(t.reshape(64))


def mistake():
    fold(fh.partition(y, 64), x).sync()


def fixed():
    fold_fixed(fh.partition(y, 64), x).sync()
    return y, x
