"""Pages of a table in which -1 stands for none."""

import numpy as np

import freehold as fh
from freehold import Out, Ref, i32

x = np.linspace(-1, 1, 1024, dtype=np.float32)
y = np.zeros(128, np.float32)
table = np.array([0, 7, -1, 1], np.int32)  # -1: no page


@fh.kernel
def pages(y: Out["N"], x: Ref["M"], table: Ref[i32, "P"]):
    total = fh.zeros(y.tile)
    for j in range(table.shape[0]):
        k = table.load(j, ())
        total += x.load((k,), (128,))
    y.store(total)


@fh.kernel
def pages_fixed(y: Out["N"], x: Ref["M"], table: Ref[i32, "P"]):
    total = fh.zeros(y.tile)
    for j in range(table.shape[0]):
        k = table.load(j, ())
        if 0 <= k < fh.cdiv(x.shape[0], 128):
            total += x.load((k,), (128,))
    y.store(total)


def mistake():
    pages(fh.partition(y, 128), x, table).sync()


def fixed():
    pages_fixed(fh.partition(y, 128), x, table).sync()
    return y, x.reshape(8, 128)[[0, 7, 1]].sum(0)
