"""A reduction over the wrong axis."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)
y = np.zeros(64, np.float32)


@fh.kernel
def total(y: Out["M"], x: Ref["M", "N"]):
    (i,) = y.index
    y.store(x.load((i, 0), (32, 128)).sum(axis=0))


@fh.kernel
def total_fixed(y: Out["M"], x: Ref["M", "N"]):
    (i,) = y.index
    y.store(x.load((i, 0), (32, 128)).sum(axis=1))


def mistake():
    total(fh.partition(y, 32), x).sync()


def fixed():
    total_fixed(fh.partition(y, 32), x).sync()
    return y, x.sum(1)
