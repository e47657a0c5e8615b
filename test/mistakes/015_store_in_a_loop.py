"""Storing in a loop that may run no turn."""

import numpy as np

import freehold as fh
from freehold import f32, Out, Ref

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)
y = np.zeros((64, 128), np.float32)


@fh.kernel
def total(y: Out["M"], x: Ref["M", "N"], n: int):
    (i,) = y.index
    acc = fh.zeros(y.tile, f32)
    for k in range(n):
        acc += x.load((i, k), (32, 64)).sum(axis=1)
        y.store(acc)


@fh.kernel
def total_fixed(y: Out["M"], x: Ref["M", "N"], n: int):
    (i,) = y.index
    acc = fh.zeros(y.tile, f32)
    for k in range(n):
        acc += x.load((i, k), (32, 64)).sum(axis=1)
    y.store(acc)


def mistake():
    total(fh.partition(y[:, 0].copy(), 32), x, 2).sync()


def fixed():
    total_fixed(fh.partition(y[:, 0].copy(), 32), x, 2).sync()
    return 0, 0
