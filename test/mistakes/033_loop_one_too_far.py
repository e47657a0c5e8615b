"""A loop with one turn too many."""

import numpy as np

import freehold as fh
from freehold import f32, Out, Ref

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)
y = np.zeros(64, np.float32)


@fh.kernel
def row_sums(y: Out["M"], x: Ref["M", "N"]):
    (i,) = y.index
    acc = fh.zeros(y.tile, f32)
    for k in range(fh.cdiv(x.shape[1], 64) + 1):
        acc += x.load((i, k), (32, 64)).sum(axis=1)
    y.store(acc)


@fh.kernel
def row_sums_fixed(y: Out["M"], x: Ref["M", "N"]):
    (i,) = y.index
    acc = fh.zeros(y.tile, f32)
    for k in fh.tiles(x, axis=1, size=64):
        acc += x.load((i, k), (32, 64)).sum(axis=1)
    y.store(acc)


def mistake():
    row_sums(fh.partition(y, 32), x).sync()


def fixed():
    row_sums_fixed(fh.partition(y, 32), x).sync()
    return y, x.sum(1)
