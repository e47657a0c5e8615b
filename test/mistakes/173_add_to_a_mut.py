"""A histogram into a tensor of which each block owns a part."""

import numpy as np

import freehold as fh
from freehold import Acc, Mut, Out, Ref

x = np.arange(1000, dtype=np.int32) % 7
part = np.zeros(8, np.int32)
h = np.zeros(8, np.int32)


@fh.kernel
def count(part: Out["G"], h: Mut["B"], x: Ref["N"]):
    part.store(0)
    h.add_at(1, x.load(part.index, (128,)))


@fh.kernel
def count_fixed(part: Out["G"], h: Acc["B"], x: Ref["N"]):
    part.store(0)
    h.add_at(1, x.load(part.index, (128,)), mask=part.index[0] * 128 + fh.arange(128) < x.shape[0])


def mistake():
    count(fh.partition(part, 1), fh.partition(h, 1), x).sync()


def fixed():
    h[:] = 0
    count_fixed(fh.partition(part, 1), h, x).sync()
    return h, np.bincount(x, minlength=8)
