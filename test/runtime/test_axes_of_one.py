"""Axes along which a launch without a partition would have tiles of one element: whole, where they are combined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Acc, Out, Ref, f32, i32


@fh.kernel
def first_axis(y: Out["B", "M", "N"], x: Ref["B", "M", "N"]):
    t = x.load_like(y)
    y.store(t - t.sum(axis=0, keepdims=True))


@fh.kernel
def first_axis_in_a_branch(y: Out["B", "M", "N"], x: Ref["B", "M", "N"], n: i32):
    t = x.load_like(y)
    if n > 0:
        t -= t.sum(axis=0, keepdims=True)
    y.store(t)


@fh.kernel
def first_axis_in_a_loop(y: Out["B", "M", "N"], x: Ref["B", "M", "N"], n: i32):
    t = x.load_like(y)
    for _ in range(n):
        t -= t.sum(axis=0, keepdims=True)
    y.store(t)


def less_its_sum(t: Any) -> Any:
    return t - t.sum(axis=0, keepdims=True)


@fh.kernel
def first_axis_in_a_helper(y: Out["B", "M", "N"], x: Ref["B", "M", "N"]):
    y.store(less_its_sum(x.load_like(y)))


@pytest.mark.parametrize(
    ("kernel", "rest"),
    [(first_axis, ()), (first_axis_in_a_branch, (1,)), (first_axis_in_a_loop, (1,)), (first_axis_in_a_helper, ())],
)
def test_the_first_of_three_axes_is_summed_as_a_whole(kernel: Any, rest: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal((5, 6, 7)).astype(np.float32)
    y = np.empty_like(x)
    kernel(y, x, *rest).sync()
    np.testing.assert_allclose(y, x - x.sum(0, keepdims=True), rtol=1e-5, atol=1e-5)


@fh.kernel
def everything(y: Out["B", "M", "N"], x: Ref["B", "M", "N"]):
    t = x.load_like(y)
    y.store(t - t.max())


@fh.kernel
def counted(y: Out[f32, "B", "M", "N"]):
    y.store(fh.arange(y.tile[0], dtype=f32)[:, None, None])


@fh.kernel
def first_of_all(y: Out["B", "M", "N"], x: Ref["B", "M", "N"]):
    y.store(x.load((0, y.index[1], y.index[2]), y.tile))


@fh.kernel
def first_one(y: Out["B", "M", "N"], x: Ref["B", "M", "N"]):
    y.store(x.load((0, y.index[1], y.index[2]), (1, y.tile[1], y.tile[2])))


@fh.kernel
def by_matrix(y: Out["B", "M", "N"], x: Ref["B", "M", "N"]):
    b, i, j = y.index
    t = x.load((b, i, j), (1, y.tile[1], y.tile[2])).reshape(y.tile[1], y.tile[2])
    y.store((t - t.max(axis=1, keepdims=True)).reshape(1, y.tile[1], y.tile[2]))


def launched(kernel: Any, x: Any) -> Any:
    y = np.empty_like(x)
    kernel(y, x).sync()
    return y


def test_what_tiles_of_one_element_hide() -> None:
    x = np.random.default_rng(0).standard_normal((5, 6, 7)).astype(np.float32)
    np.testing.assert_allclose(launched(everything, x), x - x.max(), rtol=1e-5)
    np.testing.assert_array_equal(launched(first_one, x), np.broadcast_to(x[:1], x.shape))
    np.testing.assert_allclose(launched(by_matrix, x), x - x.max(axis=2, keepdims=True), rtol=1e-5)


def test_the_first_tile_along_an_axis_is_refused() -> None:
    """With tiles of one element it would be the first element, and with one tile all."""
    with pytest.raises(fh.Rejected, match="it combines parts of a tensor that depend on the tile"):
        first_of_all(np.empty((5, 6, 7), np.float32), np.zeros((5, 6, 7), np.float32)).sync()


def test_numbers_along_the_first_axis() -> None:
    y = np.empty((5, 6, 7), np.float32)
    counted(y).sync()
    np.testing.assert_array_equal(y, np.broadcast_to(np.arange(5)[:, None, None], y.shape))


@fh.kernel
def all_of_a_matrix(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y)
    y.store(t - t.sum())


def test_a_tile_that_would_be_too_large_is_not_cut_into_rows() -> None:
    """No tile has all of the matrix, and what a tile of one row makes is something else."""
    x = np.broadcast_to(np.ones(1, np.float32), (4096, 8192))
    with pytest.raises(fh.Rejected, match="O221"):
        all_of_a_matrix.explain(np.empty((4096, 8192), np.float32), x)


@fh.kernel
def counts_tiles(y: Out[f32, "N"], h: Acc[f32, 1]):
    y.store(1.0)
    h.at(0).add(1.0)


def test_what_each_tile_adds_is_refused() -> None:
    with pytest.raises(fh.Rejected, match="or counts them"):
        counts_tiles(np.empty(1000, np.float32), np.zeros(1, np.float32)).sync()


@fh.kernel
def sums_beside(y: Out["M", "N"], sums: Out["M"], x: Ref["M", "N"]):
    t = x.load_like(y)
    y.store(t * 2.0)
    sums.store(t.sum(axis=1))


@fh.kernel
def sums_in_front(sums: Out["M"], y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y)
    sums.store(t.sum(axis=1))
    y.store(t * 2.0)


@fh.kernel
def ones_beside(y: Out["M", "N"], sums: Out["M"], x: Ref["M", "N"]):
    y.store(x.load_like(y) * 2.0)
    sums.store(1.0)


@fh.kernel
def sums_both_ways(y: Out["M", "N"], sums: Out["M"], columns: Out["N"], x: Ref["M", "N"]):
    y.store(x.load_like(y))
    sums.store(1.0)
    columns.store(1.0)


def test_an_axis_that_one_of_two_outputs_has_is_whole() -> None:
    """Else there would be more regions of the one than of the other."""
    x = np.random.default_rng(0).standard_normal((40, 300)).astype(np.float32)
    for kernel in (sums_beside, sums_in_front, ones_beside):
        y, sums = np.empty_like(x), np.empty(40, np.float32)
        given = (sums, y) if kernel is sums_in_front else (y, sums)
        kernel(*given, x).sync()
        np.testing.assert_array_equal(y, 2 * x)
        np.testing.assert_allclose(sums, np.ones(40) if kernel is ones_beside else x.sum(1), rtol=1e-4, atol=1e-4)


def test_axes_that_no_tile_makes_agree_are_refused() -> None:
    y, sums, columns = np.empty((40, 300), np.float32), np.empty(40, np.float32), np.empty(300, np.float32)
    with pytest.raises(fh.Rejected, match="what is written is cut into different numbers of regions"):
        sums_both_ways(y, sums, columns, y.copy()).sync()
