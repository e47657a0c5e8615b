"""What tiles stand for that a loop comes by, where a point has all of a row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Acc, Out, Ref, f32, i32


def walked(y: Out["M", "N"], x: Ref["M", "N"], w: Ref["N"]):
    """Each tile of a row, with numbers of its places."""
    (i,) = y.index
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        columns = k * y.tile[1] + fh.arange(y.tile[1])
        inside = fh.arange(y.tile[1]) < y.shape[1] - k * y.tile[1]
        t = fh.where(inside[None, :], x.load((i, k), y.tile), 0.0) + columns[None, :]
        y.at(k).store(t * w.load((k,), (y.tile[1],))[None, :])


def walked_twice(y: Out["M", "N"], x: Ref["M", "N"], w: Ref["N"]):
    """The sum of a row in a tile, and each of its tiles."""
    (i,), s = y.index, fh.zeros(y.tile, f32)
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        s += x.load((i, k), y.tile)
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        y.at(k).store(x.load((i, k), y.tile) / s.sum(axis=1, keepdims=True))


def running_sums(y: Out["M", "N"], x: Ref["M", "N"], w: Ref["N"]):
    (i,), before = y.index, fh.zeros((y.tile[0], 1), f32)
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        t = x.load((i, k), y.tile)
        y.at(k).store(fh.cumsum(t, axis=1) + before)
        before += t.sum(axis=1, keepdims=True)


def sums_of_tiles(y: Out["M", "N"], x: Ref["M", "N"], w: Ref["N"]):
    """What all tiles of a row have at one place is no row's."""
    (i,), s = y.index, fh.zeros(y.tile, f32)
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        s += x.load((i, k), y.tile)
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        y.at(k).store(s)


def sums_of_tiles_so_far(y: Out["M", "N"], x: Ref["M", "N"], w: Ref["N"]):
    (i,), s = y.index, fh.zeros(y.tile, f32)
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        s += x.load((i, k), y.tile)
        y.at(k).store(s)


def next_tiles(y: Out["M", "N"], x: Ref["M", "A"], w: Ref["N"]):
    (i,) = y.index
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        y.at(k).store(x.load((i, k + 1), y.tile))


def tiles_from_behind(y: Out["M", "N"], x: Ref["M", "N"], w: Ref["N"]):
    (i,), n = y.index, fh.cdiv(y.shape[1], y.tile[1])
    for k in range(n):
        y.at(k).store(x.load((i, n - 1 - k), y.tile))


def first_tile_in_each(y: Out["M", "N"], x: Ref["M", "N"], w: Ref["N"]):
    (i,) = y.index
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        y.at(k).store(x.load((i, k), y.tile) * w.load((0,), (y.tile[1],))[None, :])


def numbers_in_each(y: Out["M", "N"], x: Ref["M", "N"], w: Ref["N"]):
    (i,) = y.index
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        y.at(k).store(_numbered(x.load((i, k), y.tile), y.tile[1]))


def _numbered(t: Any, size: Any) -> Any:
    numbers: Any = fh.arange(size)
    return t * numbers[None, :].astype(f32)


def tiles_of_another_turn_in_a_branch(y: Out["M", "N"], x: Ref["M", "A"], w: Ref["N"]):
    (i,) = y.index
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        t = x.load((i, k), y.tile)
        if k > 1:
            t = x.load((i, k + 1), y.tile)
        y.at(k).store(t)


def sorted_tiles(y: Out["M", "N"], x: Ref["M", "N"], w: Ref["N"]):
    (i,) = y.index
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        y.at(k).store(fh.sort(x.load((i, k), y.tile), axis=1))


def launched(kernel: Any) -> list[np.ndarray[Any, Any]]:
    numbers = np.random.default_rng(5)
    shapes = [[{"M": 4, "N": 16}.get(str(d), 64) for d in p.dims or ()] for p in fh.kernel(kernel).signature.parameters]
    arrays = [numbers.standard_normal(shape).astype(np.float32) for shape in shapes]
    fh.kernel(kernel)(*arrays).sync()
    return arrays


@pytest.mark.parametrize("kernel", [walked, walked_twice, running_sums])
def test_tiles_of_a_walk_along_a_row(kernel: Any) -> None:
    y, x, w = launched(kernel)
    expected = {
        walked: (x + np.arange(16)) * w, walked_twice: x / x.sum(axis=1, keepdims=True),
        running_sums: np.cumsum(x, axis=1),
    }  # fmt: skip
    np.testing.assert_allclose(y, expected[kernel], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    "kernel",
    [
        *(sums_of_tiles, sums_of_tiles_so_far, next_tiles, tiles_from_behind, first_tile_in_each, numbers_in_each),
        *(tiles_of_another_turn_in_a_branch, sorted_tiles),
    ],
)
def test_tiles_that_are_not_those_of_the_walk(kernel: Any) -> None:
    with pytest.raises(fh.Rejected, match=r"O221.*(\n.*)*combines parts of a tensor that depend on the tile"):
        launched(kernel)


@fh.kernel
def tiles_counted(y: Out["B", "M", "N"], h: Acc["E"], x: Ref["B", "M", "N"]):
    t = x.load_like(y)
    y.store(t - t.max(axis=2, keepdims=True) - t.max(axis=1, keepdims=True))
    h.at(0).add(1.0)


@fh.kernel
def tiles_counted_in_a_helper(y: Out["B", "M", "N"], h: Acc["E"], x: Ref["B", "M", "N"], n: i32):
    t = x.load_like(y)
    y.store(t - t.max(axis=2, keepdims=True) - t.max(axis=1, keepdims=True))
    for _ in range(n):
        if n > 1:
            _counted(h)


def _counted(h: Any) -> None:
    h.at(0).add(1.0)


def test_tiles_of_one_element_are_counted_too() -> None:
    x = np.ones((3, 4, 8), np.float32)
    for kernel, more in ((tiles_counted, ()), (tiles_counted_in_a_helper, (2,))):
        with pytest.raises(fh.Rejected, match=r"O221.*(\n.*)*along `B`, with where they begin, or counts them"):
            kernel(np.zeros_like(x), np.zeros(4, np.float32), x, *more).sync()
