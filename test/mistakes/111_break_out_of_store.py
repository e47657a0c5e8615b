"""A store where a loop is left, and none where it is not."""

import numpy as np

import freehold as fh
from freehold import f32, Out, Ref

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)
y = np.zeros(64, np.float32)


@fh.kernel
def total(y: Out["M"], x: Ref["M", "N"], n: int):
    (i,) = y.index
    acc = fh.zeros(y.tile, f32)
    for k in fh.tiles(x, axis=1, size=64):
        if k == n:
            y.store(acc)
            break
        acc += x.load((i, k), (32, 64)).sum(axis=1)


@fh.kernel
def total_fixed(y: Out["M"], x: Ref["M", "N"], n: int):
    (i,) = y.index
    acc = fh.zeros(y.tile, f32)
    for k in fh.tiles(x, axis=1, size=64):
        if k == n:
            break
        acc += x.load((i, k), (32, 64)).sum(axis=1)
    y.store(acc)


def mistake():
    total(fh.partition(y, 32), x, 5).sync()


def fixed():
    total_fixed(fh.partition(y, 32), x, 5).sync()
    return y, x.sum(1)
