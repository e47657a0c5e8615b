"""A loop over tiles with their size where the axis stands."""

import numpy as np

import freehold as fh
from freehold import Out, Ref, f32

x = np.linspace(-1, 1, 100, dtype=np.float32)
y = np.zeros(1, np.float32)


@fh.kernel
def total(y: Out[f32, 1], x: Ref["N"], at: fh.Grid = fh.Grid()):
    parts = fh.zeros((64,), f32)
    for k in fh.tiles(x, 64):
        parts += x.load(k, 64)
    y.at(0).store(parts.sum()[None])


@fh.kernel
def total_fixed(y: Out[f32, 1], x: Ref["N"], at: fh.Grid = fh.Grid()):
    parts = fh.zeros((64,), f32)
    for k in fh.tiles(x, axis=0, size=64):
        parts += x.load(k, 64)
    y.at(0).store(parts.sum()[None])


def mistake():
    total(fh.partition(y, 1), x).sync()


def fixed():
    total_fixed(fh.partition(y, 1), x).sync()
    return y, x.sum(keepdims=True)
