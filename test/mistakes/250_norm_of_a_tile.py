"""A norm is asked of the tile."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 4096, dtype=np.float32).reshape(32, 128)
y = np.zeros((32, 128), np.float32)


def kernel(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y)
    y.store(t / t.norm(dim=1, keepdim=True))


@fh.kernel
def kernel_fixed(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y)
    y.store(t / fh.sqrt(fh.sum(t * t, axis=1, keepdims=True)))


def mistake():
    fh.kernel(kernel)(fh.partition(y, (8, 64)), x).sync()


def fixed():
    kernel_fixed(fh.partition(y, (8, 64)), x).sync()
    return y, (lambda t: (t / np.sqrt((t * t).sum(-1, keepdims=True))).reshape(32, 128))(x.reshape(32, 2, 64))
