"""The greatest element of all, as a float."""

import numpy as np

import freehold as fh
from freehold import Acc, Out, Ref, f32

x = np.arange(1000, dtype=np.float32)
part = np.zeros(8, np.float32)
top = np.zeros(1, np.float32)


@fh.kernel
def peak(part: Out["G"], top: Acc[f32, 1], x: Ref["N"]):
    m = x.load(part.index, (128,)).max()
    part.store(m)
    top.maximum_at(m, 0)


@fh.kernel
def peak_fixed(part: Out["G"], x: Ref["N"]):
    part.store(x.load(part.index, (128,)).max())


def mistake():
    peak(fh.partition(part, 1), top, x).sync()


def fixed():
    peak_fixed(fh.partition(part, 1), x).sync()
    return part.max(), x.max()
