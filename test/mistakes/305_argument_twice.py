"""One argument more than there are parameters, and one of them by its name, too."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def kernel(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y))


def mistake():
    kernel(fh.partition(y, 64), x, 256, x=x).sync()


def fixed():
    kernel(fh.partition(y, 64), x).sync()
    return y, x
