"""`clip` with a lower bound alone."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def positive(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y).clip(0))


@fh.kernel
def positive_fixed(y: Out["N"], x: Ref["N"]):
    y.store(fh.maximum(x.load_like(y), 0))


def mistake():
    positive(fh.partition(y, 64), x).sync()


def fixed():
    positive_fixed(fh.partition(y, 64), x).sync()
    return y, np.maximum(x, 0)
