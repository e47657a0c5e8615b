"""An index from a table, where checks in the kernel are denied."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)
table = np.array([1], np.int32)

def mistake():
    @fh.kernel(deny_kernel_checks=True)
    def pick(y: Out["T"], x: Ref["N"], table: Ref["K"]):
        n = table.load((0,), (1,)).sum()
        y.store(x.load((n,), (64,)))

    pick(fh.partition(y[:64], 64), x, table).sync()

def fixed():
    @fh.kernel(deny_kernel_checks=True)
    def pick(y: Out["T"], x: Ref["N"], table: Ref["K"]):
        n = table.load((0,), (1,)).sum()
        if 0 <= n and n < fh.cdiv(x.shape[0], 64):
            y.store(x.load((n,), (64,)))
        else:
            y.store(0.0)

    pick(fh.partition(y[:64], 64), x, table).sync()
    return y[:64], x[64:128]
