"""How far arrays are apart that ought to be the same: integers not at all, floats by their norm."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import freehold as fh
from freehold.runtime.arrays import contents
from freehold.runtime.arrays.contents import TOLERANCES, difference

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0.0), ([3.0, 4.0], [3.0, 4.5], 0.1), ([3.0, 4.0], [4.0, 4.0], 0.2),
        ([0.0, 0.0], [0.0, 0.5], 0.5), ([NAN, 4.0], [NAN, 3.0], 0.25), ([INF, 4.0], [INF, 3.0], 0.25),
        ([INF, 4.0], [-INF, 4.0], INF), ([NAN, 4.0], [1.0, 4.0], INF), ([1.0, 4.0], [NAN, 4.0], INF),
        ([1.0, 4.0], [INF, 4.0], INF), ([NAN, NAN], [NAN, NAN], 0.0), ([], [], 0.0), ([-0.0], [0.0], 0.0),
    ],
)  # fmt: skip
def test_floats_by_the_norm(first: list[float], second: list[float], apart: float) -> None:
    found, limit = difference(np.array(first, np.float32), np.array(second, np.float32))
    assert found == pytest.approx(apart)
    assert limit == 2.0**-14


def test_pieces_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "_PIECE", 2)
    first, second = np.array([3, 0, 0, 4, 0], np.float64), np.array([3, 0, 1, 4, 0], np.float64)
    assert difference(first, second)[0] == pytest.approx(0.2)
    second[4] = NAN
    assert difference(first, second)[0] == INF
    first[4] = NAN
    assert difference(first, second)[0] == pytest.approx(0.2)


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.bool_])
def test_integers_and_bools_do_not_differ(dtype: Any) -> None:
    a = np.array([1, 0, 1], dtype)
    assert difference(a, a.copy()) == (0.0, 0.0)
    assert difference(a, np.array([1, 1, 1], dtype), 5.0) == (INF, 0.0)


def test_tolerances_are_those_of_the_type_or_what_is_said() -> None:
    for dtype, limit in (
        (np.float64, 2.0**-40), (np.float32, 2.0**-14), (np.float16, 2.0**-6), (ml_dtypes.bfloat16, 2.0**-5),
        (ml_dtypes.float8_e4m3fn, 0.125), (ml_dtypes.float8_e5m2, 0.125),
    ):  # fmt: skip
        one: Any = np.ones(3).astype(dtype)
        assert difference(one, one)[1] == limit
        assert difference(one, one, 0.5)[1] == 0.5
    assert sorted(TOLERANCES) == ["bf16", "f16", "f32", "f64"]


def test_a_view_is_compared_by_its_elements() -> None:
    whole = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert difference(whole.T, whole.T.copy())[0] == 0.0
    assert difference(whole[:, ::2], whole[:, 1::2])[0] > 0


def test_what_tensors_held_is_given_back_to_all_of_a_name() -> None:
    """As the first of them held it: launches that are timed one after another begin with the same."""
    kept = contents.Contents()
    one, two, other = (fh.full(2, value, fh.i32, device=fh.HOST).sync() for value in (1, 2, 3))
    for name, tensor in (("x", one), ("x", two), ("y", other)):
        kept.keep(name, tensor)
    for tensor in (one, two, other):
        tensor.fill(9).sync()
    kept.give_back()
    assert [tensor.numpy().tolist() for tensor in (one, two, other)] == [[1, 1], [1, 1], [3, 3]]
