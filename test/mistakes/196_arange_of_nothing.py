"""A length that nobody gave."""

import numpy as np

import freehold as fh
from freehold import Out, i32

y = np.zeros(16, np.int32)


@fh.kernel
def count(y: Out[i32, "N"]):
    length = None
    y.store(fh.arange(length))


@fh.kernel
def count_fixed(y: Out[i32, "N"]):
    y.store(fh.arange(y.tile[0]))


def mistake():
    count(fh.partition(y, 16)).sync()


def fixed():
    count_fixed(fh.partition(y, 16)).sync()
    return y, np.arange(16)
