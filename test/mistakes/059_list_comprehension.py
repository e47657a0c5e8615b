"""Several tiles in a list."""

import numpy as np

import freehold as fh
from freehold import f32, Out, Ref

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)
y = np.zeros((64, 128), np.float32)


@fh.kernel
def total(y: Out["N"], x: Ref["M", "N"]):
    (j,) = y.index
    parts = [x.load((i, j), (1, 64)) for i in range(4)]
    y.store(sum(parts))


@fh.kernel
def total_fixed(y: Out["N"], x: Ref["M", "N"]):
    (j,) = y.index
    acc = fh.zeros((64,), f32)
    for i in range(4):
        acc += x.load((i, j), (1, 64)).reshape(64)
    y.store(acc)


def mistake():
    total(fh.partition(y[0], 64), x).sync()


def fixed():
    total_fixed(fh.partition(y[0], 64), x).sync()
    return y[0], x[:4].sum(0)
