"""A tile size as an ordinary parameter."""

import numpy as np

import freehold as fh
from freehold import Const, f32, Out, Ref

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)
y = np.zeros(64, np.float32)


@fh.kernel
def row_sums(y: Out["M"], x: Ref["M", "N"], BK: int):
    (i,) = y.index
    acc = fh.zeros(y.tile, f32)
    for k in fh.tiles(x, axis=1, size=BK):
        acc += x.load((i, k), (y.tile[0], BK)).sum(axis=1)
    y.store(acc)


@fh.kernel
def row_sums_fixed(y: Out["M"], x: Ref["M", "N"], BK: Const[int]):
    (i,) = y.index
    acc = fh.zeros(y.tile, f32)
    for k in fh.tiles(x, axis=1, size=BK):
        acc += x.load((i, k), (y.tile[0], BK)).sum(axis=1)
    y.store(acc)


def mistake():
    row_sums(fh.partition(y, 32), x, 64).sync()


def fixed():
    row_sums_fixed(fh.partition(y, 32), x, 64).sync()
    return y, x.sum(1)
