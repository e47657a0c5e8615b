"""The mean of a tile, by its method."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)
y = np.zeros(64, np.float32)


@fh.kernel
def mean(y: Out["M"], x: Ref["M", "N"]):
    (i,) = y.index
    y.store(x.load((i, 0), (32, 128)).mean(axis=1))


@fh.kernel
def mean_fixed(y: Out["M"], x: Ref["M", "N"]):
    (i,) = y.index
    y.store(x.load((i, 0), (32, 128)).sum(axis=1) / 128)


def mistake():
    mean(fh.partition(y, 32), x).sync()


def fixed():
    mean_fixed(fh.partition(y, 32), x).sync()
    return y, x.mean(1)
