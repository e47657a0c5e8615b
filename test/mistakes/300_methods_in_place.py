"""Methods of torch that change a tensor."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def kernel(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    t.mul_(2).clamp_(min=0)
    y.store(t)


@fh.kernel
def kernel_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    t = fh.clip(t * 2, 0, 10)
    y.store(t)


def mistake():
    kernel(fh.partition(y, 64), x).sync()


def fixed():
    kernel_fixed(fh.partition(y, 64), x).sync()
    return y, np.maximum(2 * x, 0)
