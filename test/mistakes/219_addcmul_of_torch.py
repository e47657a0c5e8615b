"""A product is added as torch has it."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def added(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(fh.addcmul(t, t, t, value=2.0))


@fh.kernel
def added_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(t + 2.0 * t * t)


def mistake():
    added(fh.partition(y, 64), x).sync()


def fixed():
    added_fixed(fh.partition(y, 64), x).sync()
    return y, x + 2 * x * x
