"""A dtype compared with its name."""

import numpy as np

import freehold as fh
from freehold import f32, Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def convert(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    if x.dtype == "float32":
        t = t * 2.0
    y.store(t)


@fh.kernel
def convert_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    if x.dtype == f32:
        t = t * 2.0
    y.store(t)


def mistake():
    convert(fh.partition(y, 64), x).sync()


def fixed():
    convert_fixed(fh.partition(y, 64), x).sync()
    return y, 2 * x
