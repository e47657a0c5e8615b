"""The second operand of a product is stored transposed."""

import numpy as np

import freehold as fh
from freehold import f32, Out, Ref

a = np.linspace(-1, 1, 64 * 32, dtype=np.float32).reshape(64, 32)
b = np.linspace(-1, 1, 32 * 64, dtype=np.float32).reshape(32, 64)
c = np.zeros((64, 64), np.float32)


@fh.kernel
def matmul(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    m, n = c.index
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=16):
        acc = fh.mma(a.load((m, k), (32, 16)), b.load((k, n), (16, 32)), acc)
    c.store(acc)

def mistake():
    bt = b.T.copy()
    matmul(fh.partition(c, (32, 32)), a, bt).sync()

def fixed():
    bt = b.T.copy()
    matmul(fh.partition(c, (32, 32)), a, bt.T).sync()
    return c, a @ b
