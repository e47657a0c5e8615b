"""A constant that does not fit."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.arange(256, dtype=np.int32)
y = np.zeros(256, np.int32)


@fh.kernel
def mask(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) & 0xFFFFFFFF)


@fh.kernel
def mask_fixed(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) & 0x7FFFFFFF)


def mistake():
    mask(fh.partition(y, 64), x).sync()


def fixed():
    mask_fixed(fh.partition(y, 64), x).sync()
    return y, x
