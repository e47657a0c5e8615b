"""Elements are dropped as torch drops them."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def dropped(y: Out["N"], x: Ref["N"]):
    y.store(fh.dropout(x.load_like(y), 0.5))


@fh.kernel
def dropped_fixed(y: Out["N"], x: Ref["N"]):
    counters = y.start[0] + fh.arange(y.tile[0])
    t = x.load_like(y)
    y.store(fh.where(fh.random_uniform(7, counters) < 0.5, 0, t / (1 - 0.5)))


def mistake():
    dropped(fh.partition(y, 64), x).sync()


def fixed():
    dropped_fixed(fh.partition(y, 64), x).sync()
    return y, np.where(y == 0, 0, 2 * x)
