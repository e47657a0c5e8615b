"""Indices of 64 bits and without a sign: they are what they say, or the launch fails."""

# Kernels are called with what their annotations do not say.
# pyright: reportArgumentType=false

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Mut, Out, Ref, i64, u32


@fh.kernel
def straight(y: Out["N"], x: Ref["N"], table: Ref["M"]):
    (i,) = y.index
    y.store(x.load(table.load(i, ()), y.tile))


@fh.kernel
def in_a_branch(y: Mut["N"], x: Ref["N"], table: Ref["M"]):
    (i,) = y.index
    row = table.load(i, ())
    if i >= 0:
        y.store(x.load(row, y.tile))


@fh.kernel
def in_a_loop(y: Mut["N"], x: Ref["N"], table: Ref["M"]):
    (i,) = y.index
    for _ in range(2):
        y.store(x.load(table.load(i, ()), y.tile))


def row_of(x: Any, row: Any, shape: Any) -> Any:
    return x.load(row, shape)


@fh.kernel
def in_a_helper(y: Mut["N"], x: Ref["N"], table: Ref["M"]):
    (i,) = y.index
    y.store(row_of(x, table.load(i, ()), y.tile))


KERNELS = [straight, in_a_branch, in_a_loop, in_a_helper]


def launched(kernel: Any, rows: list[int], dtype: str) -> np.ndarray[Any, Any]:
    x, y = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    kernel(fh.partition(y, 4), x, np.array(rows, dtype)).sync()
    return y[::4]


@pytest.mark.parametrize("dtype", ["int64", "uint64", "uint32"])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.__name__)
def test_a_wide_index_names_a_tile(kernel: Any, dtype: str) -> None:
    assert list(launched(kernel, [3, 1, 2, 0], dtype)) == [12, 4, 8, 0]


@pytest.mark.parametrize(
    ("row", "dtype", "said"),
    [
        (2**32 + 1, "int64", "does not fit in 32 bits"),
        (2**31, "int64", "does not fit in 32 bits"),
        (-(2**32) + 1, "int64", "is negative"),
        (-1, "int64", "is negative"),
        (2**32 + 1, "uint64", "does not fit in 32 bits"),
        (2**63 + 1, "uint64", "does not fit in 32 bits"),
        (2**31 + 1, "uint32", "does not fit in 32 bits"),
        (4, "int64", "which has 4 tiles there"),
    ],
)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.__name__)
def test_no_index_is_cut_down_to_one_that_exists(kernel: Any, row: int, dtype: str, said: str) -> None:
    with pytest.raises(fh.LaunchError, match=said):
        launched(kernel, [0, row, 0, 0], dtype)


def test_scalars_and_places_of_windows_are_wide_as_well() -> None:
    @fh.kernel
    def shifted(y: Out["N"], x: Ref["M"], start: i64, tile: u32):
        (i,) = y.index
        first = x.window(0, start, 4).load(0, (4,))
        y.store(first + x.load(tile, (4,)) + i.astype(i64))

    x, y = np.arange(16, dtype=np.float32), np.zeros(4, np.float32)
    shifted(fh.partition(y, 4), x, 3, 2).sync()
    assert list(y) == [11, 13, 15, 17]
    for start, tile, code in ((2**32 + 3, 2, "O234"), (3, 2**31 + 2, "O232")):
        with pytest.raises(fh.LaunchError, match=code):
            shifted(fh.partition(y, 4), x, start, tile).sync()


@fh.kernel
def named_window(y: Out["N"], x: Ref["M"], start: u32):
    y.store(x.window(0, start, 4).load(0, (4,)))


@fh.kernel
def named_tile(y: Out["N"], x: Ref["M"], tile: u32):
    y.store(x.load(tile, (4,)))


@fh.kernel
def window_in_memory(y: Out["N"], x: Ref["M"], table: Ref["K"]):
    y.store(x.window(0, table.load(0, ()), 4).load(0, (4,)))


@pytest.mark.parametrize(
    ("kernel", "given", "code", "said"),
    [
        (named_window, 2**31 + 2, "O232", "here `M` = 16 and `start` = 2147483650"),
        (named_tile, 2**32 - 1, "O232", "here `M` = 16 and `tile` = 4294967295"),
        (window_in_memory, np.array([2**31 + 2], "uint32"), "O234", "with `table.load(0, ())` = 2147483650"),
        (window_in_memory, np.array([2**32 + 13], "uint64"), "O234", "with `table.load(0, ())` = 4294967309"),
        (window_in_memory, np.array([2**64 - 1], "uint64"), "O234", f"with `table.load(0, ())` = {2**64 - 1}"),
        (window_in_memory, np.array([13], "uint32"), "O235", "a window that begins at 13 along axis 0"),
    ],
)
def test_a_number_without_a_sign_is_told_as_it_was_given(kernel: Any, given: Any, code: str, said: str) -> None:
    x, y = np.arange(16, dtype=np.float32), np.zeros(4, np.float32)
    with pytest.raises(fh.LaunchError, match=code) as caught:
        kernel(fh.partition(y, 4), x, given).sync()
    assert said in str(caught.value)


@pytest.mark.parametrize("dtype", ["int64", "uint64", "uint32"])
def test_a_window_at_a_wide_place_in_memory(dtype: str) -> None:
    x, y = np.arange(16, dtype=np.float32), np.zeros(4, np.float32)
    window_in_memory(fh.partition(y, 4), x, np.array([12], dtype)).sync()
    assert list(y) == [12, 13, 14, 15]
