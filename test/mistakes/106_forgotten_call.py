"""A method that is named and not called."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def total(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y).sum)


@fh.kernel
def total_fixed(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y).sum())


def mistake():
    total(fh.partition(y, 256), x).sync()


def fixed():
    total_fixed(fh.partition(y, 256), x).sync()
    return y, np.full(256, x.sum())
