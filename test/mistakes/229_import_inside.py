"""A module is imported in the kernel."""

import math
import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


def kernel(y: Out["N"], x: Ref["N"]):
    import math
    y.store(x.load_like(y) * math.pi)


@fh.kernel
def kernel_fixed(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * math.pi)


def mistake():
    fh.kernel(kernel)(fh.partition(y, 64), x).sync()


def fixed():
    kernel_fixed(fh.partition(y, 64), x).sync()
    return y, x * np.pi
