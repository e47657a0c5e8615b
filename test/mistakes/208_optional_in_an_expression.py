"""What is multiplied by a scale that may be left out is stored at once."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def scaled(y: Out["N"], x: Ref["N"], scale: Ref["N"] | None = None):
    y.store(x.load_like(y) * scale.load_like(y))


@fh.kernel
def scaled_fixed(y: Out["N"], x: Ref["N"], scale: Ref["N"] | None = None):
    y.store(x.load_like(y) * (scale.load_like(y) if scale is not None else 1.0))


def mistake():
    scaled(fh.partition(y, 64), x).sync()


def fixed():
    scaled_fixed(fh.partition(y, 64), x).sync()
    return y, x
