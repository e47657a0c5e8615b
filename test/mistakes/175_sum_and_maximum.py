"""A sum and a maximum in one accumulator."""

import numpy as np

import freehold as fh
from freehold import Acc, Out, Ref

x = np.arange(1000, dtype=np.int32) % 7
part = np.zeros(8, np.int32)
h = np.zeros(8, np.int32)


@fh.kernel
def count(part: Out["G"], h: Acc["B"], x: Ref["N"]):
    part.store(0)
    v = x.load(part.index, (128,))
    h.add_at(1, v)
    h.maximum_at(v, 7)


@fh.kernel
def count_fixed(part: Out["G"], h: Acc["B"], x: Ref["N"]):
    part.store(0)
    h.add_at(1, x.load(part.index, (128,)), mask=part.index[0] * 128 + fh.arange(128) < x.shape[0])


def mistake():
    count(fh.partition(part, 1), h, x).sync()


def fixed():
    h[:] = 0
    count_fixed(fh.partition(part, 1), h, x).sync()
    return h, np.bincount(x, minlength=8)
