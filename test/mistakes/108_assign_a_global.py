"""A counter in a global variable."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)
COUNT = 0


@fh.kernel
def counted(y: Out["N"], x: Ref["N"]):
    global COUNT
    COUNT += 1
    y.store(x.load_like(y))


@fh.kernel
def counted_fixed(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y))


def mistake():
    counted(fh.partition(y, 64), x).sync()


def fixed():
    counted_fixed(fh.partition(y, 64), x).sync()
    return y, x
