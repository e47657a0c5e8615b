"""Warps given to the call, as in Triton."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def double(y: Out["N"], x: Ref["N"]):
    y.store(2.0 * x.load_like(y))

def mistake():
    double(fh.partition(y, 64), x, num_warps=8, num_stages=3).sync()

def fixed():
    double.with_hints(num_worker_warps=8)(fh.partition(y, 64), x).sync()
    return y, 2 * x
