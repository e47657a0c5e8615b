"""The first n elements of a tile."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def head(y: Out["N"], x: Ref["N"], n: int):
    t = x.load_like(y)
    y.store(t[:n].sum())


@fh.kernel
def head_fixed(y: Out["N"], x: Ref["N"], n: int):
    t = x.load_like(y)
    y.store(fh.where(fh.arange(256) < n, t, 0).sum())


def mistake():
    head(fh.partition(y, 256), x, 128).sync()


def fixed():
    head_fixed(fh.partition(y, 256), x, 128).sync()
    return y, np.full(256, x[:128].sum())
