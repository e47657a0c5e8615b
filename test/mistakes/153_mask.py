"""A load with a mask, as in Triton."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def double(y: Out["N"], x: Ref["N"]):
    (i,) = y.index
    mask = fh.arange(64) < 64
    y.store(2.0 * x.load((i,), (64,), mask=mask, other=0.0))


@fh.kernel
def double_fixed(y: Out["N"], x: Ref["N"]):
    (i,) = y.index
    y.store(2.0 * x.load((i,), (64,)))


def mistake():
    double(fh.partition(y, 64), x).sync()


def fixed():
    double_fixed(fh.partition(y, 64), x).sync()
    return y, 2 * x
