"""Blocks add to what each of them owns a part of."""

import numpy as np

import freehold as fh
from freehold import Acc, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


def kernel(y: Acc["N"], x: Ref["N"]):
    y.store(x.load_like(y))


def mistake():
    fh.kernel(kernel)(y, fh.partition(x, 64)).sync()
