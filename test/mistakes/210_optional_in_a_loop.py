"""A loop runs over a tensor that may be left out."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def total(y: Out["M"], x: Ref["M"], more: Ref["N"] | None = None):
    t = x.load_like(y)
    for k in fh.tiles(more, axis=0, size=64):
        t = t + more.load((k,), (64,)).sum()
    y.store(t)


@fh.kernel
def total_fixed(y: Out["M"], x: Ref["M"], more: Ref["N"] | None = None):
    t = x.load_like(y)
    if more is not None:
        for k in fh.tiles(more, axis=0, size=64):
            t = t + more.load((k,), (64,)).sum()
    y.store(t)


def mistake():
    total(fh.partition(y, 64), x).sync()


def fixed():
    total_fixed(fh.partition(y, 64), x).sync()
    return y, x
