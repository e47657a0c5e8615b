"""What overhangs is padded by hand."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def padded(y: Out["N"], x: Ref["N"]):
    y.store(fh.pad(x.load_like(y), 1))


@fh.kernel
def padded_fixed(y: Out["N"], x: Ref["N"]):
    y.store(x.load(y.index, y.tile, padding="zero"))


def mistake():
    padded(fh.partition(y, 64), x).sync()


def fixed():
    padded_fixed(fh.partition(y, 64), x).sync()
    return y, x
