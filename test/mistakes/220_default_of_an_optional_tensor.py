"""A bias that is a number unless it is given."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


def shifted(y: Out["N"], x: Ref["N"], bias: Ref["N"] | None = 0.0):
    t = x.load_like(y)
    y.store(t if bias is None else t + bias.load_like(y))


@fh.kernel
def shifted_fixed(y: Out["N"], x: Ref["N"], bias: Ref["N"] | None = None):
    t = x.load_like(y)
    y.store(t if bias is None else t + bias.load_like(y))


def mistake():
    fh.kernel(shifted)(fh.partition(y, 64), x).sync()


def fixed():
    shifted_fixed(fh.partition(y, 64), x).sync()
    return y, x
