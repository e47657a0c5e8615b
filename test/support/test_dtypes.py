"""Dtypes: widths, what other libraries call them, and which numbers have one without a sign."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from freehold.dialects.cuda_tile.dense import element_bytes, element_value
from freehold.frontend.types import ELEMENTS
from freehold.support import dtypes
from freehold.support.dtypes import DType

WIDTHS = {  # bits in a tile, bytes in memory, of an element; 1 where it has no memory of its own
    "bool_": (1, 1), "i4": (4, 1), "i8": (8, 1), "i16": (16, 2), "i32": (32, 4), "i64": (64, 8), "u4": (4, 1),
    "u8": (8, 1), "u16": (16, 2), "u32": (32, 4), "u64": (64, 8), "f16": (16, 2), "bf16": (16, 2), "f32": (32, 4),
    "f64": (64, 8), "tf32": (19, 1), "f8e4m3fn": (8, 1), "f8e5m2": (8, 1), "f8e8m0fnu": (8, 1), "f8e5m3fnu": (8, 1),
    "f4e2m1fn": (4, 1),
}  # fmt: skip


def test_widths_and_signs() -> None:
    assert {d.name: (d.bits, d.itemsize) for d in dtypes.ALL} == WIDTHS
    assert {d.name: d for d in dtypes.ALL} == dtypes.BY_NAME
    unsigned = {"bool_", "u4", "u8", "u16", "u32", "u64", "f8e8m0fnu", "f8e5m3fnu"}
    assert {d.name for d in dtypes.ALL if not d.signed} == unsigned
    without_memory = {"i4", "u4", "tf32", "f8e5m3fnu", "f4e2m1fn"}
    assert {d.name for d in dtypes.ALL if d.storage_bits == 0} == without_memory
    for d in dtypes.ALL:
        assert d.storage_bits in (0, 8 * d.itemsize)
        kinds = {"b": "bool", "i": "int", "u": "int"}
        assert d.kind == ("float" if d.name.startswith("bf") else kinds.get(d.name[0], "float"))
        assert d.is_float == (d.kind == "float")
        assert (str(d), repr(d)) == (d.name, f"freehold.{d.name}")


def test_what_integers_hold_at_most() -> None:
    whole = [d for d in dtypes.ALL if d.kind == "int" and d.bits >= 8]
    assert len(whole) == 8
    for d in whole:
        known = np.iinfo(d.name.replace("i", "int").replace("u", "uint"))
        assert dtypes.bounds(d) == (known.min, known.max)
    assert [dtypes.bounds(d) for d in (dtypes.i4, dtypes.u4, dtypes.bool_)] == [(-8, 7), (0, 15), (0, 1)]


SPELLED = {
    "bool": "bool_", "int4": "i4", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint4": "u4",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "float16": "f16", "half": "f16",
    "bfloat16": "bf16", "torch.bfloat16": "bf16", "float32": "f32", "float": "f32", "float64": "f64", "double": "f64",
    "float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2", "float8_e8m0fnu": "f8e8m0fnu", "tfloat32": "tf32",
    "float8_e5m3fnu": "f8e5m3fnu", "float4_e2m1fn": "f4e2m1fn", "freehold.i32": "i32",
}  # fmt: skip


def test_what_they_are_called_elsewhere() -> None:
    assert {name: str(dtypes.from_name(name)) for name in SPELLED} == SPELLED
    assert all(dtypes.from_name(d.name) is d for d in dtypes.ALL)
    assert dtypes.from_name("complex64") is None
    assert dtypes.from_name("i32.more") is None


class Int32:
    """Of no library that has dtypes."""

    __name__ = "int32"

    def __str__(self) -> str:
        return "int32"


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        (dtypes.bf16, dtypes.bf16), (int, dtypes.i32), (float, dtypes.f32), (bool, dtypes.bool_),
        (np.float32, dtypes.f32), (np.dtype(np.int64), dtypes.i64), (np.dtype("bool"), dtypes.bool_),
        (np.float32(1), None), (ml_dtypes.bfloat16, dtypes.bf16), (np.dtype(ml_dtypes.bfloat16), dtypes.bf16),
        (ml_dtypes.float8_e5m2, dtypes.f8e5m2), (Int32, None), (Int32(), None), (str, None), ("float32", None),
        (None, None), (3, None), (np.complex64, None), (np.ndarray, None),
    ],
)  # fmt: skip
def test_objects_that_name_one(given: object, dtype: DType | None) -> None:
    assert dtypes.understood(given) is dtype


def test_numbers_of_python() -> None:
    assert [dtypes.default_dtype(v) for v in (True, 1, 1.0)] == [dtypes.bool_, dtypes.i32, dtypes.f32]


@pytest.mark.parametrize("value", [1.0, 0.5, 2.0, 2.0**-127, 2.0**127, math.nan])
def test_powers_of_two(value: float) -> None:
    assert dtypes.held(dtypes.f8e8m0fnu, value) is None
    assert (dtypes.held(dtypes.f8e5m3fnu, value) is None) == (value != 2.0**127)


@pytest.mark.parametrize("value", [0.0, -1.0, 3.0, 0.75, 2.0**-128, 2.0**128, math.inf, -math.inf])
def test_what_is_no_power_of_two(value: float) -> None:
    assert dtypes.held(dtypes.f8e8m0fnu, value) == "powers of two from 2**-127 to 2**127"


@pytest.mark.parametrize(
    ("value", "held"), [(-1.0, False), (-0.0, False), (0.0, True), (3.5, True), (-math.inf, False)]
)
def test_numbers_without_a_sign(value: float, held: bool) -> None:
    assert dtypes.held(dtypes.f8e5m3fnu, value) == (None if held else "no negative numbers")


@pytest.mark.parametrize("dtype", sorted(dtypes.WITH_INFINITY, key=str), ids=str)
def test_numbers_that_round_to_infinity_do_not_fit(dtype: DType) -> None:
    element = ELEMENTS[dtype]
    ends = [dtypes.LARGEST[dtype] * factor for factor in (1, 1 + 2**-26, 1 + 2**-25, 1.0001, 1.002, 1.07, 1.08, 1.5, 2)]
    for value in (*ends, *(-end for end in ends), 1.0, 65504, 65519.999, 65520, 10**39, 1 << 200):
        if math.isfinite(value):
            kept = element_value(element_bytes(float(value), element), element)
            assert (dtypes.held(dtype, value) is None) == math.isfinite(kept), value
    assert dtypes.held(dtype, 10**400) is not None
    assert all(dtypes.held(dtype, v) is None for v in (math.inf, -math.inf, math.nan, -0.0))
    assert element_value(element_bytes(dtypes.LARGEST[dtype], element), element) == dtypes.LARGEST[dtype]


@pytest.mark.parametrize(
    ("dtype", "held", "not_held"),
    [
        (dtypes.f8e4m3fn, (448.0, -448.0, math.nan), (449.0, -500.0, math.inf, -math.inf, 10**400)),
        (dtypes.f8e5m3fnu, (114688.0, 0.0, math.nan), (114689.0, math.inf)),
        (dtypes.f4e2m1fn, (6.0, -6.5, 0.1), (7.0, -7.0, math.inf, math.nan)),
    ],
    ids=str,
)
def test_numbers_of_dtypes_without_infinities(
    dtype: DType, held: tuple[float, ...], not_held: tuple[float, ...]
) -> None:
    assert all(dtypes.held(dtype, value) is None for value in held)
    assert all(dtypes.held(dtype, value) is not None for value in not_held)


def test_what_is_held_is_said() -> None:
    assert dtypes.held(dtypes.f16, 65520) == "-65504 to 65504"
    assert dtypes.held(dtypes.f32, 1e39) == "-3.4028235e+38 to 3.4028235e+38"
    assert dtypes.held(dtypes.f64, 10**400) == "numbers below 2**1024"
    assert dtypes.held(dtypes.f8e8m0fnu, 10**400) == "powers of two from 2**-127 to 2**127"
    assert dtypes.held(dtypes.f8e5m3fnu, math.inf) == "0 to 114688"
    assert dtypes.held(dtypes.f4e2m1fn, math.nan) == "no NaN"


FORMATS: Any = ml_dtypes
LARGEST: dict[str, Any] = {
    "f16": np.finfo(np.float16).max, "bf16": FORMATS.finfo(FORMATS.bfloat16).max, "f32": np.finfo(np.float32).max,
    "f64": np.finfo(np.float64).max, "tf32": (2 - 2.0**-10) * 2.0**127,
    "f8e4m3fn": FORMATS.finfo(FORMATS.float8_e4m3fn).max, "f8e5m2": FORMATS.finfo(FORMATS.float8_e5m2).max,
    "f8e8m0fnu": 2.0**127, "f8e5m3fnu": 114688.0, "f4e2m1fn": 6.0,
}  # fmt: skip


def test_the_largest_numbers_are_the_formats() -> None:
    assert {d.name: value for d, value in dtypes.LARGEST.items()} == {n: float(v) for n, v in LARGEST.items()}
    infinite = {"f16", "bf16", "f32", "f64", "tf32", "f8e5m2"}
    assert {d.name for d in dtypes.WITH_INFINITY} == infinite
