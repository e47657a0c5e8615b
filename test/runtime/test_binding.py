"""What calls are refused for and what is proposed instead, at the limits: extents, strides, numbers, empty arrays."""

from __future__ import annotations

import gc
import warnings
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Acc, Const, Out, Ref, f32, i32, i64, u8
from freehold.runtime.launch.launch import UnrunLaunch

LARGEST = (1 << 31) - 1
strided: Any = np.lib.stride_tricks.as_strided


@fh.kernel
def first(y: Out[u8, "N"], x: Ref[u8, "M"]):
    y.store(x.load((0,), (1,)))


@fh.kernel
def scaled(y: Out[f32, "N"], a: i32, b: i64, K: Const[int] = 1):
    y.store(fh.full(y.tile, 1, f32) * a * b * K)


@fh.kernel
def counted(total: Acc[i32, "N"], x: Ref[i32, "N"]):
    total.add(1)


@fh.kernel
def nothing(x: Ref["RefM"]):
    x.load((0,), (4,))


def refused(launch: Any) -> str:
    with pytest.raises(fh.Rejected) as caught:
        launch().sync()
    return str(caught.value)


def bytes_of(shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """An array of these extents and strides over very few bytes; nobody may look at what is behind them."""
    return strided(np.zeros(1, np.uint8), shape, strides)


def test_extents_and_strides_at_the_largest() -> None:
    y = np.zeros(1, np.uint8)
    first(fh.partition(y, 1), bytes_of((LARGEST,), (0,))).sync()
    said = refused(lambda: first(fh.partition(y, 1), bytes_of((LARGEST + 1,), (0,))))
    assert "error[O2" in said
    assert str(LARGEST + 1) in said
    first(fh.partition(y, 1), bytes_of((2,), (LARGEST,))).sync()
    assert "stride" in refused(lambda: first(fh.partition(y, 1), bytes_of((2,), (LARGEST + 1,))))
    assert "stride" in refused(lambda: first(fh.partition(y, 1), bytes_of((2,), (-1,))))
    assert "stride" in refused(lambda: first(fh.partition(bytes_of((2,), (0,)), 1), y))


@pytest.mark.parametrize(
    ("value", "edit"),
    [
        (3.0, "int(value)"), (float(LARGEST), "int(value)"), (-float(LARGEST), "int(value)"), (3.5, None),
        (float(LARGEST + 1), None), (1e30, None),
        (float("nan"), None), (np.array([3]), "value.item()"), (np.array([3, 4]), None),
        (np.array(3.0), "int(value)"), (np.array(3.5), None), ([3], "tuple(value)"), ("3", None),
    ],
)  # fmt: skip
def test_numbers_that_are_meant(value: Any, edit: str | None) -> None:
    """Of what is no integer, but is one in all but its class, it is said how to write it."""
    y = np.zeros(4, np.float32)
    said = refused(lambda: scaled(fh.partition(y, 4), value, 1))
    assert "error[O2" in said
    assert (edit in said) if edit else not any(e in said for e in ("int(value", "value.item()", "tuple(value)"))


def test_an_integer_of_numpy_is_one() -> None:
    y = np.zeros(4, np.float32)
    scaled(fh.partition(y, 4), np.int8(3), np.int64(-2)).sync()
    assert (y == -6).all()


def test_what_writes_nothing_is_told_how_to() -> None:
    said = refused(lambda: nothing(np.zeros(4, np.float32)))
    assert 'Out["RefM"]' in said  # of the annotation the mode alone


def test_empty_arrays_launch_nothing_only_where_something_would_be_written() -> None:
    empty = np.zeros(0, np.int32)
    with pytest.raises(fh.Rejected):
        nothing(np.zeros(0, np.float32)).sync()
    y = np.zeros(0, np.float32)
    scaled(fh.partition(y, 4), 1, 1).sync()
    with pytest.raises(fh.Rejected, match="O202"):
        first(fh.partition(np.zeros(4, np.uint8), 1), empty.astype(np.uint8)).sync()


def test_a_launch_that_is_not_run_says_where_it_was_written() -> None:
    y = np.zeros(4, np.float32)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (
            scaled(
                fh.partition(y, 4), 1, 1
            )
        )  # fmt: skip
        gc.collect()
    (told,) = caught
    assert told.category is UnrunLaunch
    here = test_a_launch_that_is_not_run_says_where_it_was_written.__code__.co_firstlineno
    line = int(str(told.message).rsplit(":", 1)[1])
    assert line - here in (4, 5)  # of the call, and not of what is in its brackets or of the function's beginning
