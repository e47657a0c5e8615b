"""A number of NumPy's that a kernel reads."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)
SCALE = np.float32(0.5)
SCALE_FIXED = SCALE.item()


@fh.kernel
def kernel(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * SCALE)


@fh.kernel
def kernel_fixed(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * SCALE_FIXED)


def mistake():
    kernel(fh.partition(y, 64), x).sync()


def fixed():
    kernel_fixed(fh.partition(y, 64), x).sync()
    return y, x * 0.5
