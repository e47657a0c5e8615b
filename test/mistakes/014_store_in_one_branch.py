"""Storing only where a flag says so."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def maybe(y: Out["N"], x: Ref["N"], flag: int):
    if flag > 0:
        y.store(x.load_like(y))


@fh.kernel
def maybe_fixed(y: Out["N"], x: Ref["N"], flag: int):
    if flag > 0:
        y.store(x.load_like(y))
    else:
        y.store(0.0)


def mistake():
    maybe(fh.partition(y, 64), x, 1).sync()


def fixed():
    maybe_fixed(fh.partition(y, 64), x, 1).sync()
    return y, x
