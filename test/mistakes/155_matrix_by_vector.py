"""A matrix by a vector, with `@`."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)
y = np.zeros(64, np.float32)


@fh.kernel
def product(y: Out["M"], x: Ref["M", "N"], v: Ref["N"]):
    (i,) = y.index
    y.store(x.load((i, 0), (32, 128)) @ v.load((0,), (128,)))


@fh.kernel
def product_fixed(y: Out["M"], x: Ref["M", "N"], v: Ref["N"]):
    (i,) = y.index
    y.store((x.load((i, 0), (32, 128)) * v.load((0,), (128,))).sum(axis=1))


def mistake():
    product(fh.partition(y, 32), x, x[0]).sync()


def fixed():
    product_fixed(fh.partition(y, 32), x, x[0]).sync()
    return y, x @ x[0]
