"""A kernel as JAX has functions: it takes arrays, and is annotated to return one."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def double(x: Ref["N"]) -> Out["N"]:
    return x.load() * 2.0


@fh.kernel
def double_fixed(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * 2.0)


def mistake():
    double(x).sync()


def fixed():
    double_fixed(fh.partition(y, 64), x).sync()
    return y, 2 * x
