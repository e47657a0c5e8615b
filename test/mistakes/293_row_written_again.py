"""Rows that are written once, and again where what was computed asks for it."""

import numpy as np

import freehold as fh
from freehold import Mut, Out, Ref, f32

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)
y = np.zeros((64, 128), np.float32)


@fh.kernel
def normalised(y: Out["M", "N"], x: Ref["M", "N"]):
    (i,) = y.index
    total = fh.zeros((1, 1), f32)
    for k in fh.tiles(y, axis=1, size=32):
        t = x.load((i, k), y.tile)
        total += t.sum(axis=1, keepdims=True)
        y.at(k).store(t)
    if total.max() > 1.0:
        for k in fh.tiles(y, axis=1, size=32):
            y.at(k).store(x.load((i, k), y.tile) / total)


@fh.kernel
def normalised_fixed(y: Mut["M", "N"], x: Ref["M", "N"]):
    (i,) = y.index
    total = fh.zeros((1, 1), f32)
    for k in fh.tiles(y, axis=1, size=32):
        t = x.load((i, k), y.tile)
        total += t.sum(axis=1, keepdims=True)
        y.at(k).store(t)
    if total.max() > 1.0:
        for k in fh.tiles(y, axis=1, size=32):
            y.at(k).store(x.load((i, k), y.tile) / total)


def mistake():
    normalised(fh.partition(y, (1, 32), owned=1), x).sync()


def fixed():
    normalised_fixed(fh.partition(y, (1, 32), owned=1), x).sync()
    total = x.sum(1, keepdims=True)
    return y, np.where(total > 1, x / total, x)
