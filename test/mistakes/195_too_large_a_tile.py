"""A tile of a whole array."""

import numpy as np

import freehold as fh
from freehold import Mut

y = np.zeros((8192, 4096), np.int8)


@fh.kernel
def twice(y: Mut["M", "N"]):
    y.store(2 * y.load())


def mistake():
    twice(fh.partition(y, (8192, 4096))).sync()


def fixed():
    twice(fh.partition(y, (64, 64), grid=(1, 1), partial=True)).sync()
