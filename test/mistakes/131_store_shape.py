"""A tile of another shape than the region."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def copy(y: Out["N"], x: Ref["N"]):
    (i,) = y.index
    y.store(x.load((i,), (128,)))


@fh.kernel
def copy_fixed(y: Out["N"], x: Ref["N"]):
    (i,) = y.index
    y.store(x.load((i,), y.tile))


def mistake():
    copy(fh.partition(y, 64), x).sync()


def fixed():
    copy_fixed(fh.partition(y, 64), x).sync()
    return y, x
