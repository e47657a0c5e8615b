"""The elements beside a tile, at an index that counts tiles."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

u = np.linspace(-1, 1, 256, dtype=np.float32)
v = np.zeros(256, np.float32)


@fh.kernel
def neighbours(v: Out["N"], u: Ref["N"]):
    i = v.index[0]
    v.store(u.load(i - 1, 64) + u.load(i + 1, 64))


@fh.kernel
def neighbours_fixed(v: Out["N"], u: Ref["N"]):
    i = v.index[0]
    v.store(u.load_from((i * 64 - 1,), 64) + u.load_from((i * 64 + 1,), 64))


def mistake():
    neighbours(fh.partition(v, 64), u).sync()


def fixed():
    neighbours_fixed(fh.partition(v, 64), u).sync()
    around = np.pad(u, 1)
    return v, around[:-2] + around[2:]
