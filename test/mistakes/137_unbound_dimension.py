"""A dimension that is only part of an expression."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def repeat(y: Out["N"], x: Ref["N // G"]):
    y.store(x.load((0,), (64,)).sum())

def mistake():
    repeat(fh.partition(y, 64), x[:128]).sync()
