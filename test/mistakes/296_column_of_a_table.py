"""A column of a table that holds an array, in place of the array."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


class Column:
    """What NumPy reads as an array, as the columns of Pandas are."""

    def __array__(self, dtype=None, copy=None):
        return x



@fh.kernel
def square(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(t * t)


def mistake():
    square(fh.partition(y, 64), Column()).sync()


def fixed():
    square(fh.partition(y, 64), np.asarray(Column())).sync()
    return y, x * x
