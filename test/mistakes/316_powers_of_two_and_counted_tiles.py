"""`2 ** n` of a number of the launch, and `enumerate` of a range of tiles."""

import numpy as np

import freehold as fh
from freehold import Out, Ref, f32, i32

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(64, np.float32)


@fh.kernel
def weighted(y: Out[64], x: Ref["N"], n: i32):
    t = fh.zeros((64,), f32)
    for i, k in enumerate(fh.tiles(x, axis=0, size=64)):
        t += x.load((k,), (64,)) * i
    y.store(t * 2**n + 3**n)


@fh.kernel
def weighted_fixed(y: Out[64], x: Ref["N"], n: i32):
    t = fh.zeros((64,), f32)
    for k in fh.tiles(x, axis=0, size=64):
        t += x.load((k,), (64,)) * k
    y.store(t * (1 << n) + 3 ** n.astype(f32))


def mistake():
    weighted(fh.partition(y, 64), x, 3).sync()


def fixed():
    weighted_fixed(fh.partition(y, 64), x, 3).sync()
    return y, 8 * (np.arange(4)[:, None] * x.reshape(4, 64)).sum(0) + 27
