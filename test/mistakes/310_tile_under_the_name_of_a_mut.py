"""Updating a tensor as one updates a variable of Python: the name is given to a tile, and nothing is written."""

import numpy as np

import freehold as fh
from freehold import Mut

y = np.arange(256, dtype=np.float32)


@fh.kernel
def count(y: Mut["N"]):
    y = y.load() + 1.0


@fh.kernel
def count_fixed(y: Mut["N"]):
    y.store(y.load() + 1.0)


def mistake():
    count(fh.partition(y, 64)).sync()


def fixed():
    count_fixed(fh.partition(y, 64)).sync()
    return y, np.arange(1, 257)
