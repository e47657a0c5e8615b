"""Rows that are written where data say; here the data hold each row once, so reading by them does it."""

import numpy as np

import freehold as fh
from freehold import Mut, Ref, i32

x = np.sin(np.arange(16 * 64, dtype=np.float32)).reshape(16, 64)
y = np.zeros((16, 64), np.float32)
slots = np.arange(16, dtype=np.int32)[::-1].copy()


@fh.kernel
def to_slots(y: Mut["M", "N"], x: Ref["M", "N"], slots: Ref[i32, "M"]):
    i, j = y.index
    y.at(slots.load(i, ()), j).store(x.load((i, j), (1, 64)))


@fh.kernel
def to_slots_fixed(y: Mut["M", "N"], x: Ref["M", "N"], slots: Ref[i32, "M"]):
    i, j = y.index
    y.store(x.load((slots.load(i, ()), j), (1, 64)))


def mistake():
    to_slots(fh.partition(y, (1, 64)), x, slots).sync()


def fixed():
    to_slots_fixed(fh.partition(y, (1, 64)), x, slots).sync()
    return y, x[slots]
