"""A tile of zeros of two extents, as in torch."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.sin(np.arange(8 * 128, dtype=np.float32)).reshape(8, 128)
y = np.zeros((8, 128), np.float32)


@fh.kernel
def doubled(y: Out["M", "N"], x: Ref["M", "N"]):
    t = fh.zeros(4, 128)
    for _ in range(2):
        t += x.load_like(y)
    y.store(t)


@fh.kernel
def doubled_fixed(y: Out["M", "N"], x: Ref["M", "N"]):
    t = fh.zeros((4, 128))
    for _ in range(2):
        t += x.load_like(y)
    y.store(t)


def mistake():
    doubled(fh.partition(y, (4, 128)), x).sync()


def fixed():
    doubled_fixed(fh.partition(y, (4, 128)), x).sync()
    return y, 2 * x
