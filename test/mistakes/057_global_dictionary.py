"""Settings in a dictionary."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)
SETTINGS = {"alpha": 2.0}


@fh.kernel
def scale(y: Out["N"], x: Ref["N"]):
    y.store(SETTINGS["alpha"] * x.load_like(y))
ALPHA = 2.0


@fh.kernel
def scale_fixed(y: Out["N"], x: Ref["N"]):
    y.store(ALPHA * x.load_like(y))


def mistake():
    scale(fh.partition(y, 64), x).sync()


def fixed():
    scale_fixed(fh.partition(y, 64), x).sync()
    return y, 2 * x
