"""Sliding windows as a partition of an output."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def double(y: Out["N"], x: Ref["N"]):
    y.store(2.0)

def mistake():
    double(fh.partition(y, 64, step=32), x).sync()

def fixed():
    double(fh.partition(y, 64, step=64), x).sync()
