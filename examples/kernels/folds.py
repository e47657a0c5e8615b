"""Sums, running sums and histograms: of rows, and of arrays that no block sees whole."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import freehold as fh
from examples.kernels.example import Example, Inputs, unwritten
from freehold import Acc, Const, Out, Ref, f32
from freehold.kernels.counts import histogram_tiles, sum_of_counts


@fh.kernel
def sum_tiles(parts: Out["B"], x: Ref["N"], TILE: Const[int] = 64):
    """One number for each block, which sums every B-th tile; `sum_all` adds them up."""
    (b,) = parts.index
    acc = fh.zeros((TILE,), f32)
    for k in fh.tiles(x, axis=0, size=TILE, start=b, step=parts.shape[0]):
        acc += x.load((k,), (TILE,))
    parts.store(acc.sum()[None])


@fh.kernel
def sum_all(y: Out[1], parts: Ref["B"], TILE: Const[int] = 16):
    """The sum of all elements, by one block: the second pass, in the same order every time."""
    acc = fh.zeros((TILE,), f32)
    for k in fh.tiles(parts, axis=0, size=TILE):
        acc += parts.load((k,), (TILE,))
    y.store(acc.sum()[None])


@fh.kernel
def sum_at_once(y: Acc[f32, 1], x: Ref["N"]):
    """The same in one pass, whose last bits depend on the order in which blocks run."""
    y.add_at(x.load().sum(), 0)


@fh.kernel
def cumsum_rows(y: Out["M", "N"], x: Ref["M", "N"]):
    """Running sums along rows of any length: each tile begins with what the row has summed up to."""
    (i,) = y.index
    before = fh.zeros((y.tile[0], 1), f32)
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        t = x.load((i, k), y.tile)
        y.at(k).store(fh.cumsum(t, axis=1) + before)
        before += t.sum(axis=1, keepdims=True)


@fh.kernel
def cumsum_tiles(y: Out["N"], totals: Out["B"], x: Ref["N"]):
    """Running sums within each tile, and the tiles' sums: the first of two passes."""
    t = x.load_like(y)
    y.store(fh.cumsum(t))
    totals.store(t.sum()[None])


@fh.kernel
def add_before(y: fh.Mut["N"], totals: Ref["B"], TILE: Const[int] = 16):
    """Adds to each tile what those in front of it sum up to: the second pass."""
    (i,) = y.index
    acc = fh.zeros((TILE,), f32)
    for k in fh.tiles(totals, axis=0, size=TILE, stop=fh.cdiv(i, TILE)):
        front = k * TILE + fh.arange(TILE) < i
        acc += fh.where(front, totals.load((k,), (TILE,)), 0.0)
    y.store(y.load() + acc.sum())


def examples() -> Iterator[Example]:
    """A launch of each kernel of this file."""
    new = Inputs(8)
    N = 1000
    x = new.normal(N)
    tiles = np.pad(x, (0, 24)).reshape(16, 64)
    parts = np.array([tiles[b::5].sum() for b in range(5)], np.float32)
    yield Example(sum_tiles, (fh.partition(unwritten(5), 1), x), {0: parts})
    yield Example(sum_all, (fh.partition(unwritten(1), 1), parts), {0: x.sum(keepdims=True)}, 1e-4)
    yield Example(sum_at_once, (np.zeros(1, np.float32), fh.partition(x, 64)), {0: x.sum(keepdims=True)}, 1e-4)

    rows = new.normal(10, 150)
    part = fh.partition(unwritten(10, 150), (4, 64), owned=1)
    yield Example(cumsum_rows, (part, rows), {0: rows.cumsum(1)})

    sums = tiles.cumsum(1)
    outputs = fh.partition(unwritten(N), 64), fh.partition(unwritten(16), 1)
    yield Example(cumsum_tiles, (*outputs, x), {0: sums.reshape(-1)[:N], 1: sums[:, -1]})
    part = fh.partition(sums.reshape(-1)[:N].copy(), 64)
    yield Example(add_before, (part, sums[:, -1].copy()), {0: x.cumsum()}, 1e-4)

    wanted = np.bincount(np.floor((x + 2) / 4 * 10).astype(int)[abs(x) < 2], minlength=10)
    yield Example(histogram_tiles, (np.zeros((1, 10), np.int32), fh.partition(x, 128), -2.0, 2.0), {0: wanted[None]}, 0)
    counts = np.arange(30, dtype=np.int32).reshape(3, 10)
    yield Example(sum_of_counts, (fh.partition(unwritten(10, dtype=np.int32), 8), counts, 2), {0: counts.sum(0)}, 0)
