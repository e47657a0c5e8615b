"""Leaving early, as one does in CUDA where a thread has nothing to do: the output is left as it was there."""

import numpy as np

import freehold as fh
from freehold import Out, Ref, i32

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def first_tiles(y: Out["N"], x: Ref["N"], n: i32):
    if y.index[0] >= n:
        return
    t = 2.0 * x.load_like(y)
    y.store(t)


@fh.kernel
def first_tiles_fixed(y: Out["N"], x: Ref["N"], n: i32):
    y.store(0.0)
    if y.index[0] >= n:
        return
    t = 2.0 * x.load_like(y)
    y.store(t)


def mistake():
    first_tiles(fh.partition(y, 64), x, 2).sync()


def fixed():
    first_tiles_fixed(fh.partition(y, 64), x, 2).sync()
    return y, np.where(np.arange(256) < 128, 2 * x, 0)
