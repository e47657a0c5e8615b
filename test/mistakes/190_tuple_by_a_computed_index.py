"""A tuple's item chosen by a computed index."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def weighted(y: Out["N"], x: Ref["N"]):
    (i,) = y.index
    weights = (2.0, 3.0)
    y.store(x.load_like(y) * weights[i % 2])


@fh.kernel
def weighted_fixed(y: Out["N"], x: Ref["N"]):
    (i,) = y.index
    weights = (2.0, 3.0)
    y.store(x.load_like(y) * fh.where(i % 2 == 0, weights[0], weights[1]))


def mistake():
    weighted(fh.partition(y, 64), x).sync()


def fixed():
    weighted_fixed(fh.partition(y, 64), x).sync()
    return y, x * np.where(np.arange(256) // 64 % 2 == 0, 2, 3)
