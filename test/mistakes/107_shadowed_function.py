"""A variable with the name of a function."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def twice(y: Out["N"], x: Ref["N"]):
    abs = x.load_like(y)
    y.store(abs(abs))


@fh.kernel
def twice_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(abs(t))


def mistake():
    twice(fh.partition(y, 64), x).sync()


def fixed():
    twice_fixed(fh.partition(y, 64), x).sync()
    return y, np.abs(x)
