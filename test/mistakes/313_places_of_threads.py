"""Numba's and CUDA's ways to say where a thread is."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 200, dtype=np.float32)
y = np.zeros(200, np.float32)


@fh.kernel
def numbered(y: Out["N"], x: Ref["N"]):
    i = fh.grid(1)
    j = fh.blockIdx.x * fh.blockDim.x
    y.store(x.load_like(y) + i + j)


@fh.kernel
def numbered_fixed(y: Out["N"], x: Ref["N"]):
    i = y.start[0] + fh.arange(y.tile[0])
    y.store(x.load_like(y) + i)


def mistake():
    numbered(fh.partition(y, 64), x).sync()


def fixed():
    numbered_fixed(fh.partition(y, 64), x).sync()
    return y, x + np.arange(200)
