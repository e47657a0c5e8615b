"""Coefficients in a global list."""

import numpy as np

import freehold as fh
from freehold import f32, Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)
COEFFICIENTS = [1.0, 0.5, 0.25]


@fh.kernel
def polynomial(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    acc = fh.zeros(y.tile, f32)
    for c in COEFFICIENTS:
        acc = acc * t + c
    y.store(acc)
FIXED_COEFFICIENTS = (1.0, 0.5, 0.25)


@fh.kernel
def polynomial_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    acc = fh.zeros(y.tile, f32)
    for c in FIXED_COEFFICIENTS:
        acc = acc * t + c
    y.store(acc)


def mistake():
    polynomial(fh.partition(y, 64), x).sync()


def fixed():
    polynomial_fixed(fh.partition(y, 64), x).sync()
    return y, np.polyval(COEFFICIENTS, x)
