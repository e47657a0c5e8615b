"""One name for the two coordinates of a block."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def copy(y: Out["M", "N"], x: Ref["M", "N"]):
    (i,) = y.index
    y.store(x.load((i, 0), y.tile))


@fh.kernel
def copy_fixed(y: Out["M", "N"], x: Ref["M", "N"]):
    i, _ = y.index
    y.store(x.load((i, 0), y.tile))


def mistake():
    copy(fh.partition(y.reshape(4, 64), (1, 64)), x.reshape(4, 64)).sync()


def fixed():
    copy_fixed(fh.partition(y.reshape(4, 64), (1, 64)), x.reshape(4, 64)).sync()
    return y, x
