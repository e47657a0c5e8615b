"""Scalars as launches pass them: which values are numbers of a dtype, and at which limits they are none."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from freehold.runtime.memory.numpy_types import numpy_dtype
from freehold.runtime.memory.scalars import is_plain, plain_number, scalar_dtype, with_plain_numbers
from freehold.support import dtypes


class Index:
    """What counts as an integer, and is no number of Python's."""

    def __index__(self) -> int:
        return 7


class Float:
    def __float__(self) -> float:
        return 0.5


class Broken:
    def __index__(self) -> int:
        raise TypeError("no number after all")


@pytest.mark.parametrize(
    ("dtype", "least", "greatest"),
    [
        (dtypes.i8, -128, 127), (dtypes.u8, 0, 255), (dtypes.i16, -(1 << 15), (1 << 15) - 1), (dtypes.u16, 0, 65535),
        (dtypes.i32, -(1 << 31), (1 << 31) - 1), (dtypes.u32, 0, (1 << 32) - 1),
        (dtypes.i64, -(1 << 63), (1 << 63) - 1), (dtypes.u64, 0, (1 << 64) - 1),
    ],
)  # fmt: skip
def test_integers_at_their_limits(dtype: Any, least: int, greatest: int) -> None:
    assert dtypes.bounds(dtype) == (least, greatest)
    assert [plain_number(dtype, n) for n in (least - 1, least, greatest, greatest + 1)] == [None, least, greatest, None]


FLOATS = [  # the largest number of each, the largest that rounds to it, and the least that rounds to an infinity
    (dtypes.f16, 65504.0, math.nextafter(65520.0, 0.0), 65520.0),
    (dtypes.bf16, 2.0**128 - 2.0**120, 2.0**128 - 2.0**119 - 2.0**104, 2.0**128 - 2.0**119),
    (dtypes.f32, 2.0**128 - 2.0**104, math.nextafter(2.0**128 - 2.0**103, 0.0), 2.0**128 - 2.0**103),
    (dtypes.f8e5m2, 57344.0, 61439.0, 61440.0),
]


@pytest.mark.parametrize(("dtype", "greatest", "rounded", "infinite"), FLOATS)
def test_floats_at_their_limits(dtype: Any, greatest: float, rounded: float, infinite: float) -> None:
    """What would round to an infinity is no number of the dtype; an infinity is, and NaN. Kernels are told the same."""
    for sign in 1, -1:
        for taken in sign * greatest, sign * rounded, sign * math.inf:
            assert plain_number(dtype, taken) == taken
            assert plain_number(dtype, np.float64(taken)) == taken
        assert plain_number(dtype, sign * infinite) is None
        assert plain_number(dtype, sign * 10**400) is None
        assert dtypes.held(dtype, sign * infinite) is not None
    assert math.isnan(plain_number(dtype, math.nan) or 0)
    kept = np.array([greatest, rounded]).astype(numpy_dtype(dtype.name)).astype(np.float64)
    assert kept.tolist() == [greatest, greatest]
    with np.errstate(over="ignore"):
        assert np.isinf(np.array(infinite).astype(numpy_dtype(dtype.name)).astype(np.float64))


@pytest.mark.parametrize(
    ("dtype", "value", "number"),
    [
        (dtypes.i32, True, None), (dtypes.bool_, True, True), (dtypes.bool_, np.bool_(False), False),
        (dtypes.bool_, 1, None), (dtypes.f32, True, None), (dtypes.f32, 3, 3.0), (dtypes.f32, 0.1, 0.1),
        (dtypes.i32, 3.0, None), (dtypes.i32, Index(), 7), (dtypes.f32, Index(), 7.0), (dtypes.f32, Float(), 0.5),
        (dtypes.i32, Float(), None), (dtypes.i32, Broken(), None), (dtypes.f32, "1", None),
        (dtypes.f32, np.str_("1"), None), (dtypes.i32, np.ones((), np.int32), None),
        (dtypes.i32, np.int64(5), 5), (dtypes.f64, np.float32(0.25), 0.25), (dtypes.i32, np.ones(1, np.int32), None),
        (dtypes.f32, np.ones((), np.float32), None), (dtypes.f32, 10**400, None), (dtypes.f32, None, None),
        (dtypes.f32, math.inf, math.inf),
    ],
)  # fmt: skip
def test_what_is_a_number_of_a_dtype(dtype: Any, value: Any, number: Any) -> None:
    found = plain_number(dtype, value)
    assert (found, type(found)) == (number, type(number))


def parameter(mode: str, dtype: Any = None, kind: Any = None) -> Any:
    return SimpleNamespace(mode=mode, dtype=dtype, type=kind)


def test_annotations_say_dtypes() -> None:
    kinds: list[Any] = [(None, int), (None, float), (None, bool), (None, None), (dtypes.u8, int)]
    found = [scalar_dtype(parameter("scalar", *each)) for each in kinds]
    assert found == [dtypes.i32, dtypes.f32, dtypes.bool_, dtypes.f32, dtypes.u8]


def test_only_scalars_become_plain_and_only_where_they_are_numbers() -> None:
    parameters = [
        parameter("ref"),
        parameter("scalar", dtypes.i32),
        parameter("scalar", dtypes.i32),
        parameter("const"),
    ]
    signature: Any = SimpleNamespace(parameters=parameters)
    given = (Index(), Index(), "3", Index())
    assert with_plain_numbers(signature, given) == (given[0], 7, "3", given[3])


@pytest.mark.parametrize("kind", [bool, int, float, np.int8, np.float64, np.bool_])
def test_numbers_that_stay_what_they_are(kind: type) -> None:
    assert is_plain(kind)


@pytest.mark.parametrize("kind", [str, Index, Float, np.ndarray, type(None)])
def test_what_may_say_another_number_each_time(kind: type) -> None:
    assert not is_plain(kind)
