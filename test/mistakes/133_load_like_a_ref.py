"""The place of a tensor that is only read."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def add(y: Out["N"], x: Ref["N"], z: Ref["N"]):
    y.store(x.load_like(z) + z.load_like(x))


@fh.kernel
def add_fixed(y: Out["N"], x: Ref["N"], z: Ref["N"]):
    y.store(x.load_like(y) + z.load_like(y))


def mistake():
    add(fh.partition(y, 64), x, x).sync()


def fixed():
    add_fixed(fh.partition(y, 64), x, x).sync()
    return y, 2 * x
