"""Conversions: every pair of float types in every rounding that it takes, integers both ways, bits and bytes."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from evaluate import array, evaluate, values
from exact import SMALL, rounded
from hypothesis import given, settings
from hypothesis import strategies as st

from freehold.dialects.cuda_tile.ops.conversion import ftof_roundings
from freehold.runtime.interpreter.elements import by_name
from freehold.support.diagnostic import Rejected

FLOATS = ("f16", "bf16", "f32", "tf32", "f64", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN", "fnv8E5M3FNU")
INTS = ("i1", "i8", "i16", "i32", "i64")
PAIRS = [(s, t, m) for s in FLOATS for t in FLOATS for m in sorted(ftof_roundings(s, t))]


def samples(element: str) -> np.ndarray:
    """Many values of a type, all of them where there are few, without NaN."""
    e = by_name(element)
    if element in SMALL:
        stride = 1 if e.bits <= 8 else 97
        codes = np.arange(0, 1 << e.bits, stride, dtype=np.uint16 if e.bits == 16 else np.uint8)
        codes = np.resize(codes, 1 << (len(codes) - 1).bit_length())
        tile = codes if element == "fnv8E5M3FNU" else codes.view(e.dtype)
        zero = codes[:1] if element != "f8E8M0FNU" else np.array([127], np.uint8)
        keep = ~np.isnan(values(element, tile))
        return np.where(keep, codes, zero).view(tile.dtype)
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 1 << 62, 512, np.uint64)
    if element == "f64":
        wild = bits.view(np.float64)
        near = rng.standard_normal(512) * 2.0 ** rng.integers(-160, 140, 512)
        ties = (rng.integers(0, 4096, 512) + 0.5) * 2.0 ** rng.integers(-20, 10, 512)
        return np.concatenate([wild, near, ties, -ties])
    wild = (bits >> np.uint64(31)).astype(np.uint32)
    tame = (rng.standard_normal(512) * 2.0 ** rng.integers(-20, 20, 512)).astype(np.float32).view(np.uint32)
    patterns = np.concatenate([wild, tame])
    patterns = np.where((patterns & 0x7F800000) == 0x7F800000, 0x3F800000, patterns).astype(np.uint32)
    if element == "tf32":
        patterns &= np.uint32(0xFFFFE000)
    return patterns.view(np.float32)


def reference(value: float, target: str, mode: str) -> float:
    if target == "f8E8M0FNU" and value < 0:
        return math.nan
    if target == "fnv8E5M3FNU" and value < 0:
        return math.nan
    if math.isinf(value):
        largest = by_name(target).format
        assert largest is not None
        return value if largest.has_inf else math.copysign(largest.largest, value)
    return rounded(Fraction(value), target, mode)


@pytest.mark.parametrize(("source", "target", "mode"), PAIRS)
def test_floats_to_floats(source: str, target: str, mode: str) -> None:
    tile = samples(source)
    found = values(target, evaluate("ftof", [(source, tile)], target, rounding_mode=mode))
    wanted = np.array([reference(float(v), target, mode) for v in values(source, tile)])
    np.testing.assert_array_equal(found, wanted)
    if target not in ("f8E8M0FNU", "fnv8E5M3FNU"):
        assert np.array_equal(np.signbit(found), np.signbit(values(source, tile)))


@pytest.mark.parametrize("target", ["f16", "f32", "f64", "bf16", "tf32", "f8E4M3FN", "f8E5M2"])
def test_nan_stays_nan(target: str) -> None:
    source = "f64" if target != "f64" else "f32"
    found = evaluate("ftof", [(source, array(source, [math.nan, 1.0]))], target, rounding_mode="nearest_even")
    assert list(np.isnan(values(target, found))) == [True, False]


def test_a_format_without_nan_takes_the_largest_value() -> None:
    found = evaluate("ftof", [("f32", array("f32", [math.nan, 1.0]))], "f4E2M1FN", rounding_mode="nearest_even")
    assert values("f4E2M1FN", found).tolist() == [6.0, 1.0]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(INTS), st.sampled_from(FLOATS), st.booleans(), st.data())
def test_integers_to_floats(source: str, target: str, is_signed: bool, data: st.DataObject) -> None:
    if target == "f8E8M0FNU":
        return
    width = by_name(source).bits
    top = 1 << width
    edge = st.integers(0, min(width, 6)).map(lambda n: (1 << (width - n)) - 1)
    patterns = data.draw(st.lists(st.integers(0, top - 1) | edge, min_size=4, max_size=4))
    numbers = [p - top if is_signed and p >= top // 2 else p for p in patterns]
    signedness = "signed" if is_signed else "unsigned"
    tile = [(source, array(source, patterns))]
    found = evaluate("itof", tile, target, signedness=signedness, rounding_mode="nearest_even")
    wanted = [reference(n, target, "nearest_even") if abs(n) < 2**53 else _big(n, target) for n in numbers]
    np.testing.assert_array_equal(values(target, found), wanted)


def _big(number: int, target: str) -> float:
    return math.nan if number < 0 and target == "fnv8E5M3FNU" else rounded(Fraction(number), target, "nearest_even")


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(FLOATS), st.sampled_from(INTS), st.booleans(), st.data())
def test_floats_to_integers_saturate(source: str, target: str, is_signed: bool, data: st.DataObject) -> None:
    width = by_name(target).bits
    numbers = data.draw(
        st.lists(
            st.floats(-3, 3) | st.floats(allow_nan=True, allow_infinity=True) | st.integers(-(2**65), 2**65).map(float),
            min_size=4,
            max_size=4,
        )
    )
    if source in ("f8E8M0FNU", "fnv8E5M3FNU"):
        numbers = [abs(n) for n in numbers]
    tile = (
        evaluate("ftof", [("f64", np.array(numbers))], source, verify=False, rounding_mode="nearest_even")
        if source != "f64"
        else np.array(numbers)
    )
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)
    wanted = [
        0 if math.isnan(v) else high if v == math.inf else low if v == -math.inf else min(max(math.trunc(v), low), high)
        for v in values(source, tile).tolist()
    ]
    signedness = "signed" if is_signed else "unsigned"
    found = evaluate(
        "ftoi", [(source, tile)], target, signedness=signedness, rounding_mode="nearest_int_to_zero", saturating=True
    )
    assert [int(v) & ((1 << width) - 1) for v in found] == [w & ((1 << width) - 1) for w in wanted]


@pytest.mark.parametrize("value", [128.0, -129.0, math.nan, math.inf])
def test_values_out_of_range_are_undefined(value: float) -> None:
    tile = [("f32", np.array([0.0, value], np.float32))]
    with pytest.raises(Rejected) as refused:
        evaluate("ftoi", tile, "i8", checked=True, signedness="signed", rounding_mode="nearest_int_to_zero")
    assert refused.value.codes == ("O528",)
    evaluate(
        "ftoi", tile, "i8", checked=True, signedness="signed", rounding_mode="nearest_int_to_zero", saturating=True
    )


WIDE = ("i1", "i4", "i8", "i16", "i32", "i64")


@settings(deadline=None)
@given(
    st.sampled_from(WIDE),
    st.sampled_from(WIDE),
    st.booleans(),
    st.lists(st.integers(0, 2**64 - 1), min_size=4, max_size=4),
)
def test_widening_and_narrowing(source: str, target: str, is_signed: bool, patterns: list[int]) -> None:
    old, new = by_name(source).bits, by_name(target).bits
    if old == new:
        return
    patterns = [p & ((1 << old) - 1) for p in patterns]
    tile = four_bits(patterns) if source == "i4" else array(source, patterns)
    if new < old:
        found = evaluate("trunci", [(source, tile)], target, overflow="none")
        wanted = patterns
    else:
        found = evaluate("exti", [(source, tile)], target, signedness="signed" if is_signed else "unsigned")
        wanted = [p - (1 << old) if is_signed and p >> (old - 1) else p for p in patterns]
    assert [int(v) & ((1 << new) - 1) for v in found] == [w & ((1 << new) - 1) for w in wanted]


def four_bits(patterns: list[int]) -> np.ndarray:
    return np.array([p - 16 if p > 7 else p for p in patterns], np.int8)


def test_a_narrowing_that_promises_to_lose_nothing_is_held_to_it() -> None:
    tile = [("i32", np.array([127, 200], np.int32))]
    evaluate("trunci", tile, "i8", checked=True, overflow="no_unsigned_wrap")
    with pytest.raises(Rejected) as refused:
        evaluate("trunci", tile, "i8", checked=True, overflow="no_signed_wrap")
    assert refused.value.codes == ("O528",)


@pytest.mark.parametrize(
    ("source", "target", "value", "wanted"),
    [
        ("f32", "i32", [1.0, -0.0], [0x3F800000, -(2**31)]),
        ("i16", "bf16", [0x3F80, -0x4080], [1.0, -1.0]),
        ("f16", "i16", [1.0, 2.0], [0x3C00, 0x4000]),
        ("i8", "f8E4M3FN", [0x38, -0x48], [1.0, -1.0]),
        ("f64", "i64", [1.0, 2.0], [0x3FF << 52, 1 << 62]),
    ],
)
def test_bits_read_as_another_type(source: str, target: str, value: list[float], wanted: list[float]) -> None:
    found = evaluate("bitcast", [(source, array(source, value))], target)
    assert [float(v) for v in found] == wanted


@pytest.mark.parametrize(
    ("element", "tile", "packed"),
    [
        ("i16", np.array([0x0102, -2], np.int16), [0x02, 0x01, 0xFE, 0xFF]),
        ("i1", np.array([1, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0], np.bool_), [0xC1, 0x02]),
        ("i4", np.array([1, -1, 7, -8], np.int8), [0xF1, 0x87]),
        ("f4E2M1FN", np.array([0x1, 0x2, 0xF, 0x0], np.uint8).view(by_name("f4E2M1FN").dtype), [0x21, 0x0F]),
        ("f32", np.array([1.0, -2.0], np.float32), [0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0]),
    ],
)
def test_packing_and_unpacking(element: str, tile: np.ndarray, packed: list[int]) -> None:
    found = evaluate("pack", [(element, tile)], "i8", (len(packed),))
    assert [int(v) & 255 for v in found] == packed
    back = evaluate("unpack", [("i8", found)], element, tile.shape)
    assert np.array_equal(back.view(np.uint8), tile.view(np.uint8))


def test_addresses_are_integers() -> None:
    assert evaluate("bitcast", [("i32", np.array([5, 6], np.int32))], "i32").tolist() == [5, 6]


TIES = [  # 64-bit integers beside the middle of two floats, which doubles do not tell from it
    ("bf16", (1 << 60) + (1 << 52) + 1, (1 << 60) + (1 << 53)),
    ("bf16", (1 << 60) + (1 << 52), 1 << 60),
    ("bf16", (1 << 60) + (1 << 52) - 1, 1 << 60),
    ("bf16", (1 << 60) + (3 << 52) - 1, (1 << 60) + (1 << 53)),
    ("bf16", (1 << 60) + (3 << 52), (1 << 60) + (1 << 54)),
    ("bf16", (1 << 54) + (1 << 46) + 1, (1 << 54) + (1 << 47)),
    ("bf16", (1 << 53) + (1 << 45) + 1, (1 << 53) + (1 << 46)),
    ("tf32", (1 << 60) + (1 << 49) + 1, (1 << 60) + (1 << 50)),
    ("tf32", (1 << 60) + (1 << 49), 1 << 60),
]


@pytest.mark.parametrize(("target", "number", "wanted"), TIES)
@pytest.mark.parametrize("sign", [1, -1])
def test_wide_integers_are_rounded_once(target: str, number: int, wanted: int, sign: int) -> None:
    tile = np.array([sign * number, sign * number], np.int64)
    found = values(target, evaluate("itof", [("i64", tile)], target, signedness="signed", rounding_mode="nearest_even"))
    assert found.tolist() == [sign * wanted] * 2


def test_unsigned_integers_are_rounded_once() -> None:
    tile = np.array([(1 << 63) + (1 << 55) + 1, (1 << 63) + (1 << 55)], np.uint64).view(np.int64)
    found = values(
        "bf16", evaluate("itof", [("i64", tile)], "bf16", signedness="unsigned", rounding_mode="nearest_even")
    )
    assert found.tolist() == [(1 << 63) + (1 << 56), 1 << 63]
