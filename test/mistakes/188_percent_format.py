"""Text that is formatted by `%`."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def shown(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    fh.print("%f" % t.sum())
    y.store(t)


@fh.kernel
def shown_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    fh.print(f"{t.sum()}")
    y.store(t)


def mistake():
    shown(fh.partition(y, 64), x).sync()


def fixed():
    shown_fixed(fh.partition(y, 64), x).sync()
    return y, x
