"""A whole row as one tile, by its extent."""

import numpy as np

import freehold as fh
from freehold import Const, Out, Ref

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)
y = np.zeros(64, np.float32)


@fh.kernel
def row_sums(y: Out["M"], x: Ref["M", "N"]):
    (i,) = y.index
    y.store(x.load((i, 0), (32, x.shape[1])).sum(axis=1))


@fh.kernel
def row_sums_fixed(y: Out["M"], x: Ref["M", "N"], N: Const[int]):
    (i,) = y.index
    y.store(x.load((i, 0), (32, N)).sum(axis=1))

def mistake():
    row_sums(fh.partition(y, 32), x).sync()

def fixed():
    row_sums_fixed(fh.partition(y, 32), x, 128).sync()
    return y, x.sum(1)
