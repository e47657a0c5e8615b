"""One array is given where the kernel takes several."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def kernel(y: Out["N"], xs: tuple[Ref["N"], ...]):
    y.store(xs[0].load_like(y))


def mistake():
    kernel(fh.partition(y, 64), x).sync()


def fixed():
    kernel(fh.partition(y, 64), (x,)).sync()
    return y, x
