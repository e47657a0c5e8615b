"""A variable with another dtype in each branch."""

import numpy as np

import freehold as fh
from freehold import f16, f32, Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def scale(y: Out["N"], x: Ref["N"], mode: int):
    if mode == 1:
        t = x.load_like(y).astype(f16)
    else:
        t = x.load_like(y)
    y.store(t)


@fh.kernel
def scale_fixed(y: Out["N"], x: Ref["N"], mode: int):
    if mode == 1:
        t = x.load_like(y).astype(f16).astype(f32)
    else:
        t = x.load_like(y)
    y.store(t)


def mistake():
    scale(fh.partition(y, 64), x, 0).sync()


def fixed():
    scale_fixed(fh.partition(y, 64), x, 0).sync()
    return y, x
