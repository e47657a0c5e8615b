"""The bits of floats as integers, as torch's `view` gives them."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def kernel(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(t.view(fh.i32) & 1)


@fh.kernel
def kernel_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(fh.bitcast(t, fh.i32) & 1)


def mistake():
    kernel(fh.partition(y, 64), x).sync()


def fixed():
    kernel_fixed(fh.partition(y, 64), x).sync()
    return y, x.view(np.int32) & 1
