"""One index for a matrix, as NumPy takes rows."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

table = np.arange(40, dtype=np.float32).reshape(10, 4)
ids = np.array([3, 1, 4, 1, 5, 9, 2, 6], np.int32)
y = np.zeros((8, 4), np.float32)


@fh.kernel
def lookup(y: Out["N", 4], table: Ref["V", 4], ids: Ref["N"]):
    rows = ids.load((y.index[0],), (8,))
    y.store(table.gather(rows))


@fh.kernel
def lookup_fixed(y: Out["N", 4], table: Ref["V", 4], ids: Ref["N"]):
    rows = ids.load((y.index[0],), (8,))
    y.store(table.gather(rows[:, None], fh.arange(4)))


def mistake():
    lookup(fh.partition(y, (8, 4)), table, ids).sync()


def fixed():
    lookup_fixed(fh.partition(y, (8, 4)), table, ids).sync()
    return y, table[ids]
