"""A fold with functions that do not take two values: one of ours, and one with a parameter that needs a name."""

import numpy as np

import freehold as fh
from freehold import Out, Ref, f32

x = np.arange(32, dtype=np.float32).reshape(4, 8)
y = np.zeros(4, np.float32)


def larger(a: fh.Tile[f32], b: fh.Tile[f32], *, by: float):
    return fh.maximum(a, b * by)


@fh.kernel
def folded(y: Out["M"], x: Ref["M", "N"]):
    t = x.load((y.index[0], 0), (y.tile[0], 8))
    y.store(fh.reduce(t, fh.sqrt, 0.0, 1) + fh.reduce(t, larger, 0.0, 1) + fh.reduce(t, lambda a: a, 0.0, 1))


def larger_fixed(a: fh.Tile[f32], b: fh.Tile[f32], *, by: float = 1.0):
    return fh.maximum(a, b * by)


@fh.kernel
def folded_fixed(y: Out["M"], x: Ref["M", "N"]):
    t = x.load((y.index[0], 0), (y.tile[0], 8))
    y.store(fh.reduce(t, fh.maximum, 0.0, 1) + fh.reduce(t, larger_fixed, 0.0, 1) + fh.reduce(t, lambda a, b: a + b, 0.0, 1))


def mistake():
    folded(fh.partition(y, 2), x).sync()


def fixed():
    folded_fixed(fh.partition(y, 2), x).sync()
    return y, 2 * x.max(axis=1) + x.sum(axis=1)
