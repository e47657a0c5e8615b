"""The last element, as NumPy counts it."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.arange(100, dtype=np.float32)
y = np.zeros(64, np.float32)


@fh.kernel
def last(y: Out["N"], x: Ref["M"]):
    y.store(x.gather(-1))


@fh.kernel
def last_fixed(y: Out["N"], x: Ref["M"]):
    y.store(x.gather(x.shape[0] - 1))


def mistake():
    last(fh.partition(y, 64), x).sync()


def fixed():
    last_fixed(fh.partition(y, 64), x).sync()
    return y, np.full(64, 99)
