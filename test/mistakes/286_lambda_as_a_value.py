"""A function of no arguments, stored before it is called."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def later(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(lambda: t + 1)


@fh.kernel
def later_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store((lambda: t + 1)())


def mistake():
    later(fh.partition(y, 64), x).sync()


def fixed():
    later_fixed(fh.partition(y, 64), x).sync()
    return y, x + 1
