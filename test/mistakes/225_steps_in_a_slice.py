"""Every second element is taken by a slice."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 512, dtype=np.float32)
y = np.zeros(256, np.float32)


def kernel(y: Out["N"], x: Ref["2 * N"]):
    t = x.load(y.index, (128,))
    y.store(t[1::2])


def fixed_kernel(y: Out["N"], x: Ref["2 * N"]):
    t = x.load(y.index, (128,))
    y.store(t.reshape(64, 2)[:, 1])


def mistake():
    fh.kernel(kernel)(fh.partition(y, 64), x).sync()


def fixed():
    fh.kernel(fixed_kernel)(fh.partition(y, 64), x).sync()
    return y, x[1::2]
