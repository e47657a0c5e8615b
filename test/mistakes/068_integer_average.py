"""The average of integers, with `/`."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.arange(256, dtype=np.int32)
y = np.zeros(256, np.int32)


@fh.kernel
def halve(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) / 2)


@fh.kernel
def halve_fixed(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) // 2)


def mistake():
    halve(fh.partition(y, 64), x).sync()


def fixed():
    halve_fixed(fh.partition(y, 64), x).sync()
    return y, x // 2
