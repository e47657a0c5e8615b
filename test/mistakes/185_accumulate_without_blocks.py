"""A histogram that says where the counts are, and not who counts what."""

import numpy as np

import freehold as fh
from freehold import Acc, Ref

x = np.arange(1000, dtype=np.int32) % 7
h = np.zeros(8, np.int32)


@fh.kernel
def count(h: Acc["B"], x: Ref["N"]):
    h.add_at(1, x.load((0,), (1024,)), mask=fh.arange(1024) < x.shape[0])


@fh.kernel
def count_fixed(h: Acc["B"], x: Ref["N"]):
    h.add_at(1, x.load(), mask=x.index[0] * 128 + fh.arange(128) < x.shape[0])


def mistake():
    count(h, x).sync()


def fixed():
    h[:] = 0
    count_fixed(h, fh.partition(x, 128)).sync()
    return h, np.bincount(x, minlength=8)
