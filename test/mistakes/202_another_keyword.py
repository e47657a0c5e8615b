"""An argument by a name of one's own."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def copy(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y))


def mistake():
    copy(fh.partition(y, 64), inp=x).sync()


def fixed():
    copy(fh.partition(y, 64), x=x).sync()
    return y, x
