"""An operand of a product, as if blocks had a place in it."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

a = np.linspace(-1, 1, 64 * 32, dtype=np.float32).reshape(64, 32)
b = np.linspace(-1, 1, 32 * 64, dtype=np.float32).reshape(32, 64)
c = np.zeros((64, 64), np.float32)


@fh.kernel
def product(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    c.store(a @ b)


@fh.kernel
def product_fixed(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    m, n = c.index
    acc = fh.zeros(c.tile, fh.f32)
    for k in fh.tiles(a, axis=1, size=16):
        acc = fh.mma(a.load((m, k), (32, 16)), b.load((k, n), (16, 32)), acc)
    c.store(acc)


def mistake():
    product(fh.partition(c, (32, 32)), a, b).sync()


def fixed():
    product_fixed(fh.partition(c, (32, 32)), a, b).sync()
    return c, a @ b
