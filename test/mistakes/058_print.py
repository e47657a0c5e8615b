"""Printing a tile, to see what is in it."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def double(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    print("t =", t)
    y.store(2.0 * t)


@fh.kernel
def double_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    fh.print("t =", t)
    y.store(2.0 * t)


def mistake():
    double(fh.partition(y, 64), x).sync()


def fixed():
    double_fixed(fh.partition(y, 64), x).sync()
    return y, 2 * x
