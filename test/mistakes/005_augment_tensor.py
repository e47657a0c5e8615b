"""Adding to an array in place, with `+=`."""

import numpy as np

import freehold as fh
from freehold import Mut, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def add(y: Mut["N"], x: Ref["N"]):
    y += x.load_like(y)


@fh.kernel
def add_fixed(y: Mut["N"], x: Ref["N"]):
    y.store(y.load() + x.load_like(y))


def mistake():
    add(fh.partition(y, 64), x).sync()


def fixed():
    add_fixed(fh.partition(y, 64), x).sync()
    return y, x
