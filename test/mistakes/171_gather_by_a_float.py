"""Indices that were computed in floats."""

import numpy as np

import freehold as fh
from freehold import Out, Ref, i32

x = np.arange(100, dtype=np.float32)
y = np.zeros(64, np.float32)


@fh.kernel
def nearest(y: Out["N"], x: Ref["M"]):
    y.store(x.gather(fh.arange(64) * 1.5))


@fh.kernel
def nearest_fixed(y: Out["N"], x: Ref["M"]):
    y.store(x.gather((fh.arange(64) * 1.5).astype(i32)))


def mistake():
    nearest(fh.partition(y, 64), x).sync()


def fixed():
    nearest_fixed(fh.partition(y, 64), x).sync()
    return y, x[(np.arange(64) * 1.5).astype(int)]
