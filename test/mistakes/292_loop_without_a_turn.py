"""An output stored in a loop that may have no turn."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def newton(y: Out["N"], x: Ref["N"], turns: int):
    t = x.load_like(y) + 2
    for _ in range(turns):
        t = (t + 2 / t) / 2
        y.store(t)


@fh.kernel
def newton_fixed(y: Out["N"], x: Ref["N"], turns: int):
    fh.require("0 < turns")
    t = x.load_like(y) + 2
    for _ in range(turns):
        t = (t + 2 / t) / 2
        y.store(t)


def mistake():
    newton(fh.partition(y, 64), x, 5).sync()


def fixed():
    newton_fixed(fh.partition(y, 64), x, 5).sync()
    return y, np.full(256, 2**0.5)
