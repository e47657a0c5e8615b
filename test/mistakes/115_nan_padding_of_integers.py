"""NaN as the padding of integers."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.arange(256, dtype=np.int32)
y = np.zeros(256, np.int32)


@fh.kernel
def copy(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y, padding="nan"))


@fh.kernel
def copy_fixed(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y, padding="zero"))


def mistake():
    copy(fh.partition(y, 64), x).sync()


def fixed():
    copy_fixed(fh.partition(y, 64), x).sync()
    return y, x
