"""One number that all blocks store to, each its own part of a sum."""

import numpy as np

import freehold as fh
from freehold import Acc, Out, Ref

x = np.ones(256, np.float32)
total = np.zeros(1, np.float32)


@fh.kernel
def summed(total: Out[1], x: Ref["N"]):
    total.store(x.load().sum())


@fh.kernel
def summed_fixed(total: Acc[1], x: Ref["N"]):
    total.at(0).add(x.load().sum())


def mistake():
    summed(fh.partition(total, 1), fh.partition(x, 64)).sync()


def fixed():
    summed_fixed(total, fh.partition(x, 64)).sync()
    return total, np.full(1, 256)
