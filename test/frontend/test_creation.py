"""Tiles from numbers, and what NumPy's users leave out: dtypes, starts, axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Acc, DType, Out, Ref, bool_, f32, i32, i64


@fh.kernel
def dtypes(y: Out["N"]):
    t = fh.full(8, 3)
    fh.static_assert(fh.zeros(8).dtype == f32 and fh.ones((2, 4)).dtype == f32)
    fh.static_assert(fh.full(8, True).dtype == bool_ and t.dtype == i32 and fh.full(8, 2.5).dtype == f32)
    fh.static_assert(fh.full(8, t.sum()).dtype == i32 and fh.full(8, 3, i64).dtype == i64)
    fh.static_assert(fh.arange(2, 10).dtype == i32 and fh.arange(8, i64).dtype == i64)
    fh.static_assert(fh.arange(0, 8, dtype=i64).dtype == i64 and fh.arange(0, 16, 2, dtype=f32).dtype == f32)
    y.store(fh.full(y.tile, t.sum()))


def test_the_dtype_may_be_left_out() -> None:
    y = np.zeros(8, np.int32)
    dtypes(fh.partition(y, 8)).sync()
    np.testing.assert_array_equal(y, 24)


@fh.kernel
def counted(y: Out["R", 64]):
    i = y.index[0]
    t = fh.arange(64, 128)
    if i == 1:
        t = fh.arange(0, 128, 2)
    if i == 2:
        t = fh.arange(63, -1, -1)
    if i == 3:
        t = fh.arange(5, 260, 4, dtype=i64).astype(i32)
    if i == 4:
        t = fh.concatenate((fh.arange(16), fh.arange(16, 32), fh.zeros(16, i32), fh.full(16, 7)))
    if i == 5:
        t = fh.arange(-(2**31), -(2**31) + 64)
    if i == 6:
        t = fh.arange(128, step=2)
    y.store(t[None])


def test_arange_from_a_start_by_a_step() -> None:
    y = np.zeros((7, 64), np.int32)
    counted(fh.partition(y, (1, 64))).sync()
    n = np.arange(64)
    joined = np.concatenate((np.arange(32), np.zeros(16), np.full(16, 7)))
    stepped = np.arange(128, step=2)
    np.testing.assert_array_equal(y, [n + 64, 2 * n, 63 - n, 5 + 4 * n, joined, n - 2**31, stepped])


@fh.kernel
def folded(y: Out["R", 64]):
    i = y.index[0]
    t = fh.arange(64)
    whole = fh.reduce(t.reshape(8, 8), lambda a, b: a + b, 0)
    kept = fh.reduce(t.reshape(8, 8), fh.maximum, -1, keepdims=True)
    both = fh.reduce((t, 2 * t), lambda a, b: (a[0] + b[0], a[1] + b[1]), (0, 0))
    r = fh.scan(t, lambda a, b: a + b, 0)
    if i == 1:
        r = t.cumsum()
    if i == 2:
        r = fh.broadcast_to(whole, 64)
    if i == 3:
        r = fh.broadcast_to(kept.reshape(1), 64)
    if i == 4:
        r = fh.broadcast_to(both[0] + both[1], 64)
    y.store(r[None])


def test_folds_without_an_axis() -> None:
    y = np.zeros((5, 64), np.int32)
    folded(fh.partition(y, (1, 64))).sync()
    n = np.arange(64)
    np.testing.assert_array_equal(y, np.stack([n.cumsum(), n.cumsum(), 0 * n + 2016, 0 * n + 63, 0 * n + 3 * 2016]))


@fh.kernel
def places(starts: Acc[i32, "N"], total: Acc[i32, 1], x: Ref["N"]):
    i = x.start[0] + fh.arange(x.tile[0])
    inside = i < x.stop[0]
    starts.add_at(x.start[0], i, mask=inside)
    total.at(0).add(x.stop[0] - x.start[0])  # a scalar, to one element


@fh.kernel
def own_place(s: Acc[i32, "M", "N"]):
    s.add(s.start[0] * 1000 + s.start[1] + 0 * fh.arange(s.tile[1])[None, :])


@pytest.mark.parametrize("mode", ["fast", "checked"])
def test_where_a_tile_lies_that_is_read_or_added_to(mode: Any) -> None:
    with fh.interpreting(mode):
        starts, total = np.zeros(300, np.int32), np.zeros(1, np.int32)
        places(starts, total, fh.partition(np.zeros(300, np.float32), 64)).sync()
        np.testing.assert_array_equal(starts, np.arange(300) // 64 * 64)
        assert total[0] == 300
        s = np.zeros((10, 50), np.int32)
        own_place(fh.partition(s, (4, 16))).sync()
        np.testing.assert_array_equal(s, np.arange(10)[:, None] // 4 * 4000 + np.arange(50) // 16 * 16)


def test_the_host_takes_the_dtype_of_the_value() -> None:
    numbers: list[tuple[Any, DType]] = [
        (True, bool_),
        (3, i32),
        (2.0, f32),
        (np.int64(4), i64),
        (np.float16(1), fh.f16),
    ]
    for value, dtype in numbers:
        assert fh.full(3, value).sync().dtype is dtype
    for given in (np.float32, np.dtype("float32"), float, np.zeros(1, np.float32).dtype):
        assert fh.zeros(3, given).sync().dtype is f32


def test_editors_are_told_all_names_and_no_others() -> None:
    names = dir(fh)
    assert {"kernel", "zeros", "interpreting", "max", "Rejected", *fh.__all__} <= set(names)
    assert not {"annotations", "TYPE_CHECKING", "import_module", "Final"} & set(names)
    assert all(hasattr(fh, name) for name in names)
