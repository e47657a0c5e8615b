"""Every block writes the first region."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def fill(y: Out["N"], x: Ref["N"]):
    y.at(0).store(x.load_like(y))


@fh.kernel
def fill_fixed(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y))


def mistake():
    fill(fh.partition(y, 64), x).sync()


def fixed():
    fill_fixed(fh.partition(y, 64), x).sync()
    return y, x
