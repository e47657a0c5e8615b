"""A function's name without its call."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)



def twice(t):
    return t * 2


@fh.kernel
def scale(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(twice + fh.exp)


@fh.kernel
def scale_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(twice(t) + fh.exp(t))


def mistake():
    scale(fh.partition(y, 64), x).sync()


def fixed():
    scale_fixed(fh.partition(y, 64), x).sync()
    return y, x * 2 + np.exp(x)
