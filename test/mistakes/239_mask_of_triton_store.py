"""A store with a mask, as in Triton."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


def kernel(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(t, mask=t > 0)


@fh.kernel
def kernel_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(fh.where(t > 0, t, 0.0))


def mistake():
    fh.kernel(kernel)(fh.partition(y, 64), x).sync()


def fixed():
    kernel_fixed(fh.partition(y, 64), x).sync()
    return y, np.maximum(x, 0)
