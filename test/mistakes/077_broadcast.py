"""A row added along the wrong axis."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)
y = np.zeros((64, 128), np.float32)


@fh.kernel
def add(y: Out["M", "N"], x: Ref["M", "N"], bias: Ref["M"]):
    i, j = y.index
    y.store(x.load_like(y) + bias.load((i,), (32,)))


@fh.kernel
def add_fixed(y: Out["M", "N"], x: Ref["M", "N"], bias: Ref["M"]):
    i, j = y.index
    y.store(x.load_like(y) + bias.load((i,), (32,))[:, None])


def mistake():
    add(fh.partition(y, (32, 64)), x, x[:, 0].copy()).sync()


def fixed():
    add_fixed(fh.partition(y, (32, 64)), x, x[:, 0].copy()).sync()
    return y, x + x[:, :1]
