"""A tuple of tensors is loaded from as if it were one."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


def kernel(y: Out["N"], xs: tuple[Ref["N"], ...]):
    y.store(xs.load_like(y))


@fh.kernel
def kernel_fixed(y: Out["N"], xs: tuple[Ref["N"], ...]):
    y.store(xs[0].load_like(y))


def mistake():
    fh.kernel(kernel)(fh.partition(y, 64), (x,)).sync()


def fixed():
    kernel_fixed(fh.partition(y, 64), (x,)).sync()
    return y, x
