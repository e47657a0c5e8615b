"""Elements that are written where a tile of integers says, as in NumPy."""

import numpy as np

import freehold as fh
from freehold import Acc, Out, Ref, i32

x = np.arange(256, dtype=np.float32)
places = np.arange(256, dtype=np.int32)[::-1].copy()
y = np.zeros(256, np.float32)


@fh.kernel
def scattered(y: Out["N"], x: Ref["N"], places: Ref[i32, "N"]):
    i = places.load_like(y)
    y[i] = x.load_like(y)


@fh.kernel
def scattered_fixed(y: Acc["N"], x: Ref["N"], places: Ref[i32, "N"]):
    i = places.load_like(x)
    y.add_at(x.load(), i)


def mistake():
    scattered(fh.partition(y, 64), x, places).sync()


def fixed():
    scattered_fixed(y, fh.partition(x, 64), places).sync()
    return y, x[::-1]
