"""Launches, tensors and partitions in which nothing is counted: one point, one element, one region."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Acc, Mut, Out, Ref, f32, i32

X = np.arange(1000, dtype=np.float32)


@fh.kernel
def one_point(y: Mut["N"], at: fh.Grid = fh.Grid(1)):
    (i,) = at.index
    y.at(i).store(fh.full(y.tile, 1))


@fh.kernel
def one_column(y: Mut["N", "M"], at: fh.Grid = fh.Grid("cdiv(N, 64)", 1)):
    y.store(y.load() + 1)


@pytest.mark.parametrize("grid", [None, fh.Grid(1), fh.Grid("1"), fh.Grid("2 - 1")])
def test_a_grid_of_one_point(grid: fh.Grid | None) -> None:
    y = np.zeros(256, np.float32)
    given: dict[str, Any] = {} if grid is None else {"at": grid}
    one_point(fh.partition(y, 64), **given).sync()
    assert y.sum() == 64


def test_a_grid_with_one_column() -> None:
    y = np.zeros((256, 4), np.float32)
    one_column(fh.partition(y, (64, 4))).sync()
    assert (y == 1).all()


@fh.kernel
def add(total: Acc[f32], x: Ref["N"]):
    total.add(x.load().sum())


@fh.kernel
def add_named(total: Acc[f32], x: Ref["N"]):
    total.at().add(x.load().sum())


@fh.kernel
def add_each(total: Acc[f32], x: Ref["N"]):
    total.add_at(x.load())


def rows(total: Any, x: Any) -> None:
    """Adds up what belongs to the block, in two turns and on two ways."""
    for half in range(2):
        part = fh.where(fh.arange(128) // 64 == half, x.load(), 0)
        if half == 0:
            total.add(part.sum())
        else:
            total.add_at(part)


@fh.kernel
def add_in_a_helper(total: Acc[f32], x: Ref["N"]):
    rows(total, x)


@fh.kernel
def add_in_a_loop(total: Acc[f32], x: Ref["N"], n: i32):
    for i in range(n):
        if i == 1:
            total.add(x.load().sum())


@pytest.mark.parametrize("kernel", [add, add_named, add_each, add_in_a_helper], ids=lambda k: k.__name__)
def test_blocks_meet_at_an_accumulator_without_axes(kernel: Any) -> None:
    total = np.zeros((), np.float32)
    kernel(total, fh.partition(X, 128)).sync()
    assert total == X.sum()


def test_blocks_meet_there_in_a_loop_and_a_branch() -> None:
    total = np.zeros((), np.float32)
    add_in_a_loop(total, fh.partition(X, 128), 3).sync()
    assert total == X.sum()


@fh.kernel
def written(y: Out[f32], x: Ref["N"]):
    y.store(x.load(0, (128,)).sum())


@fh.kernel
def changed(y: Mut[f32], x: Ref["N"]):
    y.store(y.load() + x.load(0, (128,)).sum())


def test_an_output_without_axes_is_one_region() -> None:
    y = np.ones((), np.float32)
    written(fh.partition(y, ()), X).sync()
    assert y == X[:128].sum()
    changed(fh.partition(y, ()), X).sync()
    assert y == 2 * X[:128].sum()


def test_an_array_with_axes_has_no_tile_without() -> None:
    with pytest.raises(fh.Rejected) as caught:
        written(fh.partition(np.zeros(4, np.float32), ()), X).sync()  # pyright: ignore[reportArgumentType] -- as told
    assert caught.value.codes == ("O222",)
    with pytest.raises(fh.Rejected) as caught:
        written(fh.partition(np.zeros((), np.float32), 1), X).sync()
    assert caught.value.codes == ("O222",)
    assert "give the tile an extent for each axis: `()`" in str(caught.value)


@fh.kernel
def sums(y: Out[i32, "N"], x: Ref[i32, "N"]):
    before = i32(0)
    for k in fh.tiles(y, axis=0, size=y.tile[0]):
        t = x.load(k, y.tile)
        y.at(k).store(t.cumsum() + before)
        before += t.sum()


def test_one_block_owns_all_regions() -> None:
    x = np.arange(1000, dtype=np.int32)
    y = np.zeros(1000, np.int32)
    sums(fh.partition(y, 128, owned=0), x).sync()
    assert (y == x.cumsum()).all()


@fh.kernel
def gaps(y: Out[i32, "N"], x: Ref[i32, "N"]):
    for k in fh.tiles(y, axis=0, size=y.tile[0], step=2):
        y.at(k).store(x.load(k, y.tile))


def test_one_block_that_owns_all_regions_stores_all_of_them() -> None:
    with pytest.raises(fh.Rejected):
        gaps(fh.partition(np.zeros(1000, np.int32), 128, owned=0), np.zeros(1000, np.int32)).sync()


@pytest.mark.parametrize("size", [0, -1, 2**31, 2**32, 2**63])
def test_bands_have_as_many_rows_as_there_can_be(size: int) -> None:
    with pytest.raises(ValueError, match="a band has from 1 to 2147483647 rows"):
        fh.grouped(size)
