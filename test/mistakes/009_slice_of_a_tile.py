"""The middle of a tile, by slicing it."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def half(y: Out["N"], x: Ref["M"]):
    t = x.load((0,), (64,))
    y.store(t[16:48])


@fh.kernel
def half_fixed(y: Out["N"], x: Ref["M"]):
    y.store(x.load_from((16,), (32,)))


def mistake():
    half(fh.partition(y[:32], 32), x).sync()


def fixed():
    half_fixed(fh.partition(y[:32], 32), x).sync()
    return y[:32], x[16:48]
