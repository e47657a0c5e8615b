"""The values of a maximum, as torch names them."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.sin(np.arange(8 * 128, dtype=np.float32)).reshape(8, 128)
y = np.zeros(8, np.float32)


@fh.kernel
def largest(y: Out["M"], x: Ref["M", 128]):
    t = x.load((y.index[0], 0), (4, 128))
    y.store(t.max(1).values)


@fh.kernel
def largest_fixed(y: Out["M"], x: Ref["M", 128]):
    t = x.load((y.index[0], 0), (4, 128))
    y.store(t.max(1))


def mistake():
    largest(fh.partition(y, 4), x).sync()


def fixed():
    largest_fixed(fh.partition(y, 4), x).sync()
    return y, x.max(1)
