"""A tile is filled with a number in quotes."""

import numpy as np

import freehold as fh
from freehold import Out, Ref, f32

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


def kernel(y: Out["N"], x: Ref["N"]):
    y.store(fh.full(y.tile, "1", f32))


@fh.kernel
def kernel_fixed(y: Out["N"], x: Ref["N"]):
    y.store(fh.full(y.tile, 1, f32))


def mistake():
    fh.kernel(kernel)(fh.partition(y, 64), x).sync()


def fixed():
    kernel_fixed(fh.partition(y, 64), x).sync()
    return y, np.ones(256)
