"""A store that does not say which of the regions of a row."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 16 * 128, dtype=np.float32).reshape(16, 128)
y = np.zeros((16, 128), np.float32)


@fh.kernel
def copy(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(x.load((y.index[0], 0), y.tile))


@fh.kernel
def copy_fixed(y: Out["M", "N"], x: Ref["M", "N"]):
    for k in fh.tiles(y, axis=1, size=64):
        y.at(k).store(x.load((y.index[0], k), y.tile))


def mistake():
    copy(fh.partition(y, (4, 64), owned=1), x).sync()


def fixed():
    copy_fixed(fh.partition(y, (4, 64), owned=1), x).sync()
    return y, x
