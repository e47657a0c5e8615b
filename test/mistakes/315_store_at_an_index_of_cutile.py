"""cuTile's `store(index=..., tile=...)`, Triton's `max(..., return_indices=True)` and the dtypes of its pointers."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 16 * 64, dtype=np.float32).reshape(16, 64)
y = np.zeros(16, np.float32)


@fh.kernel
def largest(y: Out["M"], x: Ref["M", 64]):
    (i,) = y.index
    v, places = fh.max(x.load((i, 0), (16, 64)), axis=1, return_indices=True)
    y.store(index=(i,), tile=v.astype(y.dtype.element_ty))


@fh.kernel
def largest_fixed(y: Out["M"], x: Ref["M", 64]):
    (i,) = y.index
    v, places = (fh.max(x.load((i, 0), (16, 64)), axis=1), fh.argmax(x.load((i, 0), (16, 64)), axis=1))
    y.store(tile=v.astype(y.dtype))


def mistake():
    largest(fh.partition(y, 16), x).sync()


def fixed():
    largest_fixed(fh.partition(y, 16), x).sync()
    return y, x.max(1)
