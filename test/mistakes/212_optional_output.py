"""A second output is stored, whether the call wants it or not."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def both(y: Out["N"], squares: Out["N"] | None, x: Ref["N"]):
    t = x.load_like(y)
    y.store(t)
    squares.store(t * t)


@fh.kernel
def both_fixed(y: Out["N"], squares: Out["N"] | None, x: Ref["N"]):
    t = x.load_like(y)
    y.store(t)
    if squares is not None: squares.store(t * t)  # noqa: E701 -- the edit as it is offered


def mistake():
    both(fh.partition(y, 64), None, x).sync()


def fixed():
    both_fixed(fh.partition(y, 64), None, x).sync()
    return y, x
