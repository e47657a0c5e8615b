"""Each block takes a window of its own, of the sequence that it works on."""

import numpy as np

import freehold as fh
from freehold import Out, Ref, f32, i32

x = np.linspace(-1, 1, 48, dtype=np.float32).reshape(6, 8)
offsets = np.array([0, 2, 6], np.int32)
y = np.zeros((2, 8), np.float32)


@fh.kernel
def sums(y: Out["B", "D"], x: Ref["S", "D"], offsets: Ref[i32, "B + 1"]):
    b, d = y.index
    first = offsets.load(b, ())
    rows = x.window(0, first, offsets.load(b + 1, ()) - first)
    y.store(rows.load((0, d), (4, y.tile[1])).sum(axis=0, keepdims=True))


@fh.kernel
def sums_fixed(y: Out["B", "D"], x: Ref["S", "D"], offsets: Ref[i32, "B + 1"]):
    b, _ = y.index
    start, stop = offsets.load(b, ()), offsets.load(b + 1, ())
    total = fh.zeros(y.tile, f32)
    for at in range(start, stop, 4):
        rows = x.load_from((at, y.start[1]), (4, y.tile[1]))
        total += fh.where((at + fh.arange(4) < stop)[:, None], rows, 0.0).sum(axis=0, keepdims=True)
    y.store(total)


def mistake():
    sums(fh.partition(y, (1, 8)), x, offsets).sync()


def fixed():
    sums_fixed(fh.partition(y, (1, 8)), x, offsets).sync()
    return y, np.stack((x[:2].sum(0), x[2:].sum(0)))
