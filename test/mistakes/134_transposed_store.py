"""A transposed tile, stored at the same place."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)
y = np.zeros((64, 128), np.float32)


@fh.kernel
def transpose(y: Out["N", "M"], x: Ref["M", "N"]):
    y.store(x.load_like(y).T)


@fh.kernel
def transpose_fixed(y: Out["N", "M"], x: Ref["M", "N"]):
    y.store(x.load((y.index[1], y.index[0]), (64, 32)).T)

def mistake():
    transpose(fh.partition(np.zeros((128, 64), np.float32), (32, 64)), x).sync()

def fixed():
    out = np.zeros((128, 64), np.float32)
    transpose_fixed(fh.partition(out, (32, 64)), x).sync()
    return out, x.T
