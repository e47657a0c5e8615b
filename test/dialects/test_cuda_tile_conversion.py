"""Which roundings `ftof` takes: a table apart from the rules, in the words of the specification."""

from __future__ import annotations

import pytest

from freehold.dialects.cuda_tile.ops.conversion import ftof_roundings
from freehold.dialects.cuda_tile.types import FLOATS

E, Z, D, U, A = "nearest_even", "zero", "negative_inf", "positive_inf", "nearest_away"
WIDEN, NARROW, ONE = {E, Z, D, U, A}, {E, Z}, {E}
TABLE: dict[str, dict[str, set[str]]] = {
    "f16": {"bf16": NARROW, "f32": WIDEN, "tf32": WIDEN, "f64": WIDEN},
    "bf16": {"f16": NARROW, "f32": WIDEN, "tf32": WIDEN, "f64": WIDEN},
    "f32": {"f16": NARROW, "bf16": NARROW, "tf32": {E, Z, A}, "f64": WIDEN},
    "tf32": {"f16": NARROW, "bf16": NARROW, "f32": WIDEN, "f64": WIDEN},
    "f64": {"f16": NARROW, "bf16": NARROW, "f32": {E, Z, D, U}, "tf32": NARROW},
    "f8E4M3FN": {"f16": WIDEN, "bf16": WIDEN, "f32": WIDEN, "tf32": WIDEN, "f64": WIDEN},
    "f8E5M2": {"f16": WIDEN, "bf16": WIDEN, "f32": WIDEN, "tf32": WIDEN, "f64": WIDEN},
    "f8E8M0FNU": {"f16": NARROW, "bf16": NARROW, "f32": NARROW, "tf32": NARROW, "f64": WIDEN},
    "f4E2M1FN": {"f16": WIDEN, "bf16": WIDEN, "f32": WIDEN, "tf32": WIDEN, "f64": WIDEN},
    "fnv8E5M3FNU": {"f16": NARROW, "bf16": WIDEN, "f32": WIDEN, "tf32": WIDEN, "f64": WIDEN},
}


@pytest.mark.parametrize("source", sorted(FLOATS))
def test_roundings(source: str) -> None:
    small = {"f8E4M3FN": ONE, "f8E5M2": ONE, "f8E8M0FNU": {Z, U}, "f4E2M1FN": ONE, "fnv8E5M3FNU": ONE}
    expected = {**small, **TABLE[source]}
    expected[source] = set()
    assert {target: set(ftof_roundings(source, target)) for target in FLOATS} == expected
