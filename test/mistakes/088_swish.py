"""A function that Freehold does not have."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def gate(y: Out["N"], x: Ref["N"]):
    y.store(fh.swish(x.load_like(y)))


@fh.kernel
def gate_fixed(y: Out["N"], x: Ref["N"]):
    y.store(fh.silu(x.load_like(y)))


def mistake():
    gate(fh.partition(y, 64), x).sync()


def fixed():
    gate_fixed(fh.partition(y, 64), x).sync()
    return y, x / (1 + np.exp(-x))
