"""Parameters of an entry point: where each lies in memory, its bytes, and what cannot be passed."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from freehold.runtime.variants.entry import Mismatch, ParameterLayout, in_native_code
from freehold.support.contract import EntryParameter, LaunchContract, ScalarParameter, TensorParameter

X = TensorParameter("x", "ref", "f32", ("N",), 4, (0,), (1,), (1,))
EXTENT, STRIDE, FAILURES = (
    EntryParameter("extent", 0, term="N"),
    EntryParameter("stride", 0, 0),
    EntryParameter("failures"),
)


def contract(*scalars: str, entry: tuple[EntryParameter, ...] | None = None) -> LaunchContract:
    """Of a tensor and scalars of these dtypes, which are passed in this order."""
    parameters = (X, *(ScalarParameter(f"s{n}", dtype) for n, dtype in enumerate(scalars)))
    given = (EntryParameter("pointer", 0), *(EntryParameter("scalar", n + 1) for n in range(len(scalars))))
    return LaunchContract("k", parameters, given if entry is None else entry, ("N",), False, ())


def packed(of: LaunchContract, values: list[Any], integers: tuple[int, ...] = (), failures: Any = None) -> bytes:
    layout = ParameterLayout(of)
    data = layout.filled(integers)
    layout.pack(data, values, failures)
    return bytes(data)


@pytest.mark.parametrize(
    ("dtype", "value", "found"),
    [
        ("i8", -3, struct.pack("=b7x", -3)), ("u8", 200, struct.pack("=B7x", 200)),
        ("i16", -300, struct.pack("=h6x", -300)), ("u16", 65535, struct.pack("=H6x", 65535)),
        ("i32", -70000, struct.pack("=i4x", -70000)), ("u32", 2**32 - 1, struct.pack("=I4x", 2**32 - 1)),
        ("i64", -(2**40), struct.pack("=q", -(2**40))), ("u64", 2**64 - 1, struct.pack("=Q", 2**64 - 1)),
        ("f64", 0.1, struct.pack("=d", 0.1)), ("f32", 0.5, struct.pack("=f4x", 0.5)),
        ("f16", 0.25, struct.pack("=e6x", 0.25)), ("bf16", 1.5, bfloat16(1.5).tobytes() + bytes(6)),
        ("f8e4m3fn", 1.5, b"\x3c" + bytes(7)), ("bool_", True, b"\x01" + bytes(7)),
    ],
)  # fmt: skip
def test_each_scalar_has_eight_bytes_and_its_own_in_front(dtype: str, value: Any, found: bytes) -> None:
    between = contract(dtype, "i32")
    assert packed(between, [2**48 + 7, value, -1]) == struct.pack("=Q", 2**48 + 7) + found + struct.pack("=i4x", -1)


@pytest.mark.parametrize(
    ("dtype", "greatest", "too_large"),
    [("f16", 65519.0, 70000.0), ("f32", 3.4e38, 1e39), ("bf16", 3.39e38, 1e300), ("f8e5m2", 6e4, 1e6)],
)
def test_what_would_round_to_an_infinity_is_not_passed(dtype: str, greatest: float, too_large: float) -> None:
    of = contract(dtype)
    for sign in 1, -1:
        packed(of, [0, sign * greatest])
        packed(of, [0, sign * float("inf")])
        with pytest.raises(OverflowError):
            packed(of, [0, sign * too_large])


def test_what_a_launch_brings_lies_in_front_of_what_is_known() -> None:
    entry = (EXTENT, EntryParameter("pointer", 0), STRIDE, EntryParameter("scalar", 2), EntryParameter("scalar", 1))
    layout = ParameterLayout(contract("i32", "i64", entry=entry))
    assert layout.given == [1, 3, 4]
    assert layout.offsets == (24, 0, 32, 8, 16)
    data = layout.filled((1000, -7))
    assert bytes(data) == bytes(24) + struct.pack("=i4xi4x", 1000, -7)
    layout.pack(data, [4096, 11, 22])
    assert bytes(data) == struct.pack("=Qqi4xi4xi4x", 4096, 22, 11, 1000, -7)
    layout.pack(data, [8192, 12, 23])
    assert bytes(data) == struct.pack("=Qqi4xi4xi4x", 8192, 23, 12, 1000, -7)


def test_integers_of_other_dtypes() -> None:
    entry = (replace(EXTENT, dtype="i64"), replace(STRIDE, dtype="u32", scale=4), replace(EXTENT, dtype="u8"))
    assert packed(contract(entry=entry), [], (2**40, 2**32 - 4, 255)) == struct.pack("=qI4xB7x", 2**40, 2**32 - 4, 255)
    with pytest.raises(struct.error):
        packed(contract(entry=entry), [], (0, -1, 0))


def test_an_entry_without_parameters_has_memory() -> None:
    assert packed(contract(entry=()), []) == bytes(8)


def test_where_failures_are_written_down_is_asked_at_each_launch() -> None:
    of = contract(entry=(EntryParameter("pointer", 0), FAILURES))
    places = iter((64, 128))
    layout, data = ParameterLayout(of), bytearray(16)
    assert layout.failures == 1
    assert ParameterLayout(contract(entry=(EXTENT, FAILURES, EntryParameter("pointer", 0)))).failures == 0
    assert ParameterLayout(contract()).failures == -1
    for place in (64, 128):
        layout.pack(data, [1], lambda: next(places))
        assert bytes(data) == struct.pack("=QQ", 1, place)
    with pytest.raises(Mismatch):
        layout.pack(data, [1])
    assert bytes(data) == struct.pack("=QQ", 1, 128)


@pytest.mark.parametrize(("dtype", "value"), [("i32", 2**31), ("u8", -1), ("i32", 1.5), ("f32", "1"), ("i64", None)])
def test_what_cannot_be_passed(dtype: str, value: Any) -> None:
    with pytest.raises((struct.error, TypeError, OverflowError)):
        packed(contract(dtype), [1, value])


def test_numbers_of_numpy_are_passed() -> None:
    assert packed(contract("i32", "f32"), [np.uint64(5), np.int64(-2), np.float64(0.5)]) == struct.pack(
        "=Qi4xf4x", 5, -2, 0.5
    )


@pytest.mark.parametrize(
    ("of", "found"),
    [
        (contract("i32", "f32", "bool_"), True),
        (contract("i32", entry=(EntryParameter("scalar", 1), EXTENT, EntryParameter("pointer", 0), STRIDE)), True),
        (contract("f16"), False),
        (contract("bf16"), False),
        (contract("i32", entry=(EntryParameter("pointer", 0),)), False),
        (contract(entry=(EntryParameter("pointer", 0), EntryParameter("pointer", 0))), False),
        (contract("i32", entry=(EntryParameter("pointer", 0), EntryParameter("scalar", 1), FAILURES)), True),
        (contract("i32", entry=(EntryParameter("pointer", 0), FAILURES)), False),
        (contract(entry=(EXTENT,)), False),
    ],
)
def test_what_the_native_module_packs(of: LaunchContract, found: bool) -> None:
    assert in_native_code(of, ParameterLayout(of)) is found
