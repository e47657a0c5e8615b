"""A kernel that calls a kernel."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def square(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * x.load_like(y))


@fh.kernel
def fourth(y: Out["N"], x: Ref["N"]):
    square(y, x)

def squared(t):
    return t * t


@fh.kernel
def fourth_fixed(y: Out["N"], x: Ref["N"]):
    y.store(squared(squared(x.load_like(y))))


def mistake():
    fourth(fh.partition(y, 64), x).sync()


def fixed():
    fourth_fixed(fh.partition(y, 64), x).sync()
    return y, x**4
