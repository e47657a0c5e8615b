"""A bias that may be left out, declared by its default alone."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


def add(y: Out["N"], x: Ref["N"], bias: Ref["N"] = None):
    t = x.load_like(y)
    if bias is not None:
        t += bias.load_like(y)
    y.store(t)


@fh.kernel
def add_fixed(y: Out["N"], x: Ref["N"], bias: Ref["N"] | None = None):
    t = x.load_like(y)
    if bias is not None:
        t += bias.load_like(y)
    y.store(t)


def mistake():
    fh.kernel(add)(fh.partition(y, 64), x).sync()


def fixed():
    add_fixed(fh.partition(y, 64), x).sync()
    assert (y == x).all()
    add_fixed(fh.partition(y, 64), x, x).sync()
    return y, 2 * x
