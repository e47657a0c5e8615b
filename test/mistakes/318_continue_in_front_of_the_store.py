"""An output stored in a loop, some of whose turns end in front of the store."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def last_positive(y: Out["N"], x: Ref["N", 4], turns: int):
    for k in range(turns):
        t = x.load((y.index[0], k), (64, 1)).reshape(64)
        if t.max() < 0:
            continue
        y.store(t)


@fh.kernel
def last_positive_fixed(y: Out["N"], x: Ref["N", 4], turns: int):
    y.store(fh.zeros(y.tile))
    for k in range(turns):
        t = x.load((y.index[0], k), (64, 1)).reshape(64)
        if t.max() < 0:
            continue
        y.store(t)


def mistake():
    last_positive(fh.partition(y, 64), np.stack([x, -x, x - 5, x], 1), 3).sync()


def fixed():
    last_positive_fixed(fh.partition(y, 64), np.stack([x, -x, x - 5, x], 1), 3).sync()
    return y, np.where(np.arange(256) < 128, -x, x)
