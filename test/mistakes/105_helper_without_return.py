"""A helper that forgets its `return`."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)

def relu(t):
    fh.maximum(t, 0.0)


@fh.kernel
def activate(y: Out["N"], x: Ref["N"]):
    y.store(relu(x.load_like(y)))

def relu_fixed(t):
    return fh.maximum(t, 0.0)


@fh.kernel
def activate_fixed(y: Out["N"], x: Ref["N"]):
    y.store(relu_fixed(x.load_like(y)))


def mistake():
    activate(fh.partition(y, 64), x).sync()


def fixed():
    activate_fixed(fh.partition(y, 64), x).sync()
    return y, np.maximum(x, 0)
