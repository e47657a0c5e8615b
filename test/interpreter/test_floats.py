"""Floating-point mathematics and comparisons, against Python's own in double precision."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from evaluate import array, evaluate, values
from hypothesis import given, settings
from hypothesis import strategies as st

TYPES = ("f16", "bf16", "f32", "f64")
ULP = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-23, "f64": 2.0**-52}

UNARY: dict[str, tuple[Callable[[float], float], tuple[float, ...]]] = {
    "sin": (math.sin, (0.0, 0.5, -3.0, 20.0)),
    "cos": (math.cos, (0.0, 0.5, -3.0, 20.0)),
    "tan": (math.tan, (0.0, 0.5, -3.0, 1.25)),
    "sinh": (math.sinh, (0.0, 0.5, -3.0, 8.0)),
    "cosh": (math.cosh, (0.0, 0.5, -3.0, 8.0)),
    "tanh": (math.tanh, (0.0, 0.5, -3.0, 8.0)),
    "exp": (math.exp, (0.0, 0.5, -3.0, 8.0)),
    "exp2": (lambda x: 2.0**x, (0.0, 0.5, -3.0, 8.25)),
    "log": (math.log, (1.0, 0.5, 3.0, 1000.0)),
    "log2": (math.log2, (1.0, 0.5, 3.0, 1000.0)),
    "rsqrt": (lambda x: 1 / math.sqrt(x), (1.0, 0.5, 3.0, 1000.0)),
    "ceil": (math.ceil, (0.25, -0.25, 3.0, -7.5)),
    "floor": (math.floor, (0.25, -0.25, 3.0, -7.5)),
    "negf": (lambda x: -x, (0.25, -0.25, 0.0, -7.5)),
    "absf": (abs, (0.25, -0.25, -0.0, -7.5)),
}
ROUNDED = {"exp", "tanh"}


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_tile(name: str, element: str) -> None:
    function, points = UNARY[name]
    x = array(element, points)
    properties: dict[str, Any] = {"rounding_mode": "full"} if name in ROUNDED else {}
    found = values(element, evaluate(name, [(element, x)], **properties))
    wanted = [function(v) for v in values(element, x).tolist()]
    # Half a unit in the last place; for f64, what NumPy is content with.
    slack = 4 * ULP["f64"] if element == "f64" else ULP[element] / 2 * 1.01
    np.testing.assert_allclose(found, wanted, rtol=slack, atol=1e-300)
    one = evaluate(name, [(element, x[1])], **properties)
    assert values(element, one) == found[1]


@pytest.mark.parametrize("element", TYPES)
def test_functions_of_two_tiles(element: str) -> None:
    x, y = array(element, [2.0, 0.5, 3.0, -8.0]), array(element, [3.0, -1.5, 0.0, 3.0])
    a, b = values(element, x).tolist(), values(element, y).tolist()
    slack = 4 * ULP["f64"] if element == "f64" else ULP[element] / 2 * 1.01
    pairs = [(element, x), (element, y)]
    found = values(element, evaluate("fpowf", pairs))
    np.testing.assert_allclose(found, [p**q for p, q in zip(a, b, strict=True)], rtol=slack)
    found = values(element, evaluate("atan2", pairs))
    np.testing.assert_allclose(found, [math.atan2(p, q) for p, q in zip(a, b, strict=True)], rtol=slack)
    y = array(element, [3.0, -0.375, 7.0, 3.0])
    b = values(element, y).tolist()
    found = values(element, evaluate("remf", [(element, x), (element, y)]))
    assert found.tolist() == [math.fmod(p, q) for p, q in zip(a, b, strict=True)]


@pytest.mark.parametrize("element", TYPES)
def test_powers_have_signed_integer_exponents(element: str) -> None:
    x = array(element, [2.0, 0.5, 3.0, -8.0])
    found = evaluate("fpowi", [(element, x), ("i8", np.array([3, -2, 0, 1], np.int8))])
    assert values(element, found).tolist() == [8.0, 4.0, 1.0, -8.0]
    found = evaluate("fpowi", [(element, x), ("i1", np.array([True, False, False, True]))])
    assert values(element, found).tolist() == [0.5, 1.0, 1.0, -0.125]


NAN = math.nan


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize(
    ("name", "propagate", "wanted"),
    [
        ("maxf", False, [2.0, 1.0, 1.0, NAN, 0.0, 0.0, -0.0, math.inf]),
        ("maxf", True, [2.0, NAN, NAN, NAN, 0.0, 0.0, -0.0, math.inf]),
        ("minf", False, [-3.0, 1.0, 1.0, NAN, -0.0, -0.0, -0.0, 5.0]),
        ("minf", True, [-3.0, NAN, NAN, NAN, -0.0, -0.0, -0.0, 5.0]),
    ],
)
def test_extrema_of_nans_and_zeros(element: str, name: str, propagate: bool, wanted: list[float]) -> None:
    a = array(element, [2.0, NAN, 1.0, NAN, 0.0, -0.0, -0.0, math.inf])
    b = array(element, [-3.0, 1.0, NAN, NAN, -0.0, 0.0, -0.0, 5.0])
    found = evaluate(name, [(element, a), (element, b)], propagate_nan=propagate)
    np.testing.assert_array_equal(values(element, found), wanted)
    numbers = ~np.isnan(wanted)
    assert list(np.signbit(values(element, found))[numbers]) == list(np.signbit(wanted)[numbers])
    nans = found[~numbers]
    pattern = nans.view(f"u{nans.dtype.itemsize}")
    assert np.all(pattern == pattern[0])
    assert not np.signbit(values(element, nans)).any()


RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b and not math.isnan(a) and not math.isnan(b),
    "less_than": lambda a, b: a < b,
    "less_than_or_equal": lambda a, b: a <= b,
    "greater_than": lambda a, b: a > b,
    "greater_than_or_equal": lambda a, b: a >= b,
}


@settings(deadline=None)
@given(
    st.sampled_from(TYPES),
    st.lists(st.sampled_from([0.0, -0.0, 1.0, -1.0, math.inf, NAN]), min_size=8, max_size=8),
    st.sampled_from(sorted(RELATIONS)),
)
def test_comparisons_are_ordered_or_not(element: str, numbers: list[float], relation: str) -> None:
    a, b = numbers[:4], numbers[4:]
    tiles = [(element, array(element, a)), (element, array(element, b))]
    for ordering, on_nan in (("ordered", False), ("unordered", True)):
        found: Any = evaluate("cmpf", tiles, "i1", comparison_predicate=relation, comparison_ordering=ordering)
        wanted = [
            on_nan if math.isnan(p) or math.isnan(q) else RELATIONS[relation](p, q) for p, q in zip(a, b, strict=True)
        ]
        assert list(found) == wanted
