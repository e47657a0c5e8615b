"""A stencil that reads its neighbours in the array that it writes."""

import numpy as np

import freehold as fh
from freehold import Mut, Out, Ref

u = np.arange(1000, dtype=np.float32) ** 2
v = np.zeros_like(u)


@fh.kernel
def smooth(u: Mut["N"]):
    i = u.index[0] * 128
    left, right = u.load_from((i - 1,), (128,)), u.load_from((i + 1,), (128,))
    u.store((left + right) / 2)


@fh.kernel
def smooth_fixed(v: Out["N"], u: Ref["N"]):
    i = v.index[0] * 128
    left, right = u.load_from((i - 1,), (128,)), u.load_from((i + 1,), (128,))
    v.store((left + right) / 2)


def mistake():
    smooth(fh.partition(u, 128)).sync()


def fixed():
    smooth_fixed(fh.partition(v, 128), u).sync()
    padded = np.pad(u, 1)
    return v, (padded[:-2] + padded[2:]) / 2
