"""A scan that walks over all tiles of its output, in each of many blocks."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.ones(256, np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def scan(y: Out["N"], x: Ref["N"]):
    carry = 0.0
    for i in fh.tiles(x, axis=0, size=64):
        t = x.load(i, 64)
        y.at(i).store(fh.cumsum(t) + carry)
        carry += t.sum()


def mistake():
    scan(fh.partition(y, 64), x).sync()


def fixed():
    scan(fh.partition(y, 64, owned=0), x).sync()
    return y, np.cumsum(x)
