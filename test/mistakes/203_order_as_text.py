"""An order by its name."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.ones((64, 64), np.float32)
y = np.zeros((64, 64), np.float32)


@fh.kernel
def copy(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(x.load_like(y))


def mistake():
    copy(fh.partition(y, (16, 16), order="grouped"), x).sync()


def fixed():
    copy(fh.partition(y, (16, 16), order=fh.grouped(8)), x).sync()
    return y, x
