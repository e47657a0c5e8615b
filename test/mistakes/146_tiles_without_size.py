"""A loop over tiles that does not say how large they are."""

import numpy as np

import freehold as fh
from freehold import f32, Out, Ref

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)
y = np.zeros(64, np.float32)


@fh.kernel
def total(y: Out["M"], x: Ref["M", "N"]):
    (i,) = y.index
    acc = fh.zeros(y.tile, f32)
    for k in fh.tiles(x, axis=1):
        acc += x.load((i, k), (32, 64)).sum(axis=1)
    y.store(acc)


@fh.kernel
def total_fixed(y: Out["M"], x: Ref["M", "N"]):
    (i,) = y.index
    acc = fh.zeros(y.tile, f32)
    for k in fh.tiles(x, axis=1, size=64):
        acc += x.load((i, k), (32, 64)).sum(axis=1)
    y.store(acc)


def mistake():
    total(fh.partition(y, 32), x).sync()


def fixed():
    total_fixed(fh.partition(y, 32), x).sync()
    return y, x.sum(1)
