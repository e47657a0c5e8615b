"""A function of `math` on a tile."""

import math

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def exp(y: Out["N"], x: Ref["N"]):
    y.store(math.exp(x.load_like(y)))


@fh.kernel
def exp_fixed(y: Out["N"], x: Ref["N"]):
    y.store(fh.exp(x.load_like(y)))


def mistake():
    exp(fh.partition(y, 64), x).sync()


def fixed():
    exp_fixed(fh.partition(y, 64), x).sync()
    return y, np.exp(x)
