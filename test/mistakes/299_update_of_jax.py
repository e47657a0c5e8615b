"""An element that is set as JAX does it."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def kernel(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(t.at[3].set(1.0))


@fh.kernel
def kernel_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(t.insert(3, 1.0))


def mistake():
    kernel(fh.partition(y, 64), x).sync()


def fixed():
    kernel_fixed(fh.partition(y, 64), x).sync()
    return y, np.where(np.arange(256) % 64 == 3, 1, x)
