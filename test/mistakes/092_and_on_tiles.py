"""Two conditions on a tile, joined with `and`."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def band(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(fh.where(t > 0 and t < 0.5, t, 0.0))


@fh.kernel
def band_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(fh.where((t > 0) & (t < 0.5), t, 0.0))


def mistake():
    band(fh.partition(y, 64), x).sync()


def fixed():
    band_fixed(fh.partition(y, 64), x).sync()
    return y, np.where((x > 0) & (x < 0.5), x, 0)
