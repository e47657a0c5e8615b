"""What has to hold is said as in Triton."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def checked(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    fh.device_assert(t < 2, "small")
    y.store(t)


@fh.kernel
def checked_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    fh.assert_(t < 2, "small")
    y.store(t)


def mistake():
    checked(fh.partition(y, 64), x).sync()


def fixed():
    checked_fixed(fh.partition(y, 64), x).sync()
    return y, x
