"""Infinity, as the module of another library has it."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def positive(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(fh.where(t > 0, t, -fh.inf))


@fh.kernel
def positive_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(fh.where(t > 0, t, -float('inf')))


def mistake():
    positive(fh.partition(y, 64), x).sync()


def fixed():
    positive_fixed(fh.partition(y, 64), x).sync()
    return y, np.where(x > 0, x, -np.inf)
