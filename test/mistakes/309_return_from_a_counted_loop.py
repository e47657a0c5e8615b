"""A search that leaves the kernel as soon as it finds something, in front of the store of what it found."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(1, 2, 256, dtype=np.float32)
y = np.zeros(64, np.float32)


@fh.kernel
def first_large(y: Out[64], x: Ref["N"]):
    t = fh.zeros((64,), y.dtype)
    for k in fh.tiles(x, axis=0, size=64):
        t = x.load((k,), (64,))
        if t.max() > 1.5:
            return
    y.store(t)


@fh.kernel
def first_large_fixed(y: Out[64], x: Ref["N"]):
    t = fh.zeros((64,), y.dtype)
    for k in fh.tiles(x, axis=0, size=64):
        t = x.load((k,), (64,))
        if t.max() > 1.5:
            break
    y.store(t)


def mistake():
    first_large(fh.partition(y, 64), x).sync()


def fixed():
    first_large_fixed(fh.partition(y, 64), x).sync()
    return y, x[128:192]
