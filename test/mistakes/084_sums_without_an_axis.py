"""Running sums of a tile with two axes, without an axis."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def running(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y).reshape(8, 8)
    y.store(t.cumsum().reshape(64))


@fh.kernel
def running_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y).reshape(8, 8)
    y.store(t.flatten().cumsum())


def mistake():
    running(fh.partition(y, 64), x).sync()


def fixed():
    running_fixed(fh.partition(y, 64), x).sync()
    return y, x.reshape(4, 64).cumsum(1).reshape(-1)
