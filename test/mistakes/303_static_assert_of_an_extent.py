"""A static assertion of what the launch knows."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.ones(128, np.float32)
y = np.zeros(128, np.float32)


@fh.kernel
def halved(y: Out["N"], x: Ref["N"]):
    fh.static_assert(x.shape[0] % 64 == 0)
    y.store(x.load_like(y) / 2.0)


@fh.kernel
def halved_fixed(y: Out["N"], x: Ref["N"]):
    fh.require(x.shape[0] % 64 == 0)
    y.store(x.load_like(y) / 2.0)


def mistake():
    halved(fh.partition(y, 64), x).sync()


def fixed():
    halved_fixed(fh.partition(y, 64), x).sync()
    return y, x / 2
