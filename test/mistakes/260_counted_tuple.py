"""A tuple of tensors is walked by number."""

import numpy as np

import freehold as fh
from freehold import Out, Ref, f32

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


def kernel(y: Out["N"], xs: tuple[Ref["N"], ...]):
    t = fh.zeros(y.tile, f32)
    for i in range(len(xs)):
        t += xs[i].load_like(y)
    y.store(t)


@fh.kernel
def kernel_fixed(y: Out["N"], xs: tuple[Ref["N"], ...]):
    t = fh.zeros(y.tile, f32)
    for tensor in xs:
        t += tensor.load_like(y)
    y.store(t)


def mistake():
    fh.kernel(kernel)(fh.partition(y, 64), (x, x)).sync()


def fixed():
    kernel_fixed(fh.partition(y, 64), (x, x)).sync()
    return y, 2 * x
