"""A NumPy integer for a compile-time one."""

import numpy as np

import freehold as fh
from freehold import Const, Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def scale(y: Out["N"], x: Ref["N"], K: Const[int]):
    y.store(K * x.load_like(y))

def mistake():
    scale(fh.partition(y, 64), x, np.int64(2)).sync()

def fixed():
    scale(fh.partition(y, 64), x, int(np.int64(2))).sync()
    return y, 2 * x
