"""Sums, products, quotients, roots and fused products in every mode and type, against exact fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import isqrt
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from evaluate import array, evaluate, values
from exact import rounded, special
from hypothesis import given, settings
from hypothesis import strategies as st

from freehold.runtime.interpreter import rounding
from freehold.runtime.interpreter.elements import E5M3FNU, E8M0FNU, ELEMENTS, TF32, by_name

MODES = ("nearest_even", "zero", "negative_inf", "positive_inf")
TYPES = ("f16", "bf16", "f32", "f64")
NAMES = {"add": "addf", "sub": "subf", "mul": "mulf", "div": "divf", "sqrt": "sqrt", "fma": "fma"}
BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}


def from_bits(element: str, patterns: list[int]) -> Any:
    """Floats by their bits."""
    return np.array(patterns, f"u{BITS[element] // 8}").view(array(element, 0).dtype)


@st.composite
def operands(draw: st.DrawFn, element: str) -> list[Any]:
    """Three tiles of floats: any bits, or neighbours of each other so that sums cancel."""
    bits = BITS[element]
    pattern = st.integers(0, (1 << bits) - 1)
    one = array(element, 1.0).view(f"u{bits // 8}").item()
    near = (
        st.integers(one - 40, one + 40)
        | st.integers(0, 3)
        | st.integers(one + (1 << (bits - 1)), one + (1 << (bits - 1)) + 9)
    )
    tiles = [draw(st.lists(pattern | near, min_size=4, max_size=4)) for _ in range(3)]
    return [from_bits(element, t) for t in tiles]


def reference(name: str, element: str, mode: str, *args: float) -> float:
    """The result of one element by its definition."""
    known = special(name, *args)
    if known is not None:
        return known
    f = [Fraction(a) for a in args]
    if name == "sqrt":
        return root(f[0], element, mode) if f[0] else args[0]
    exact = {
        "add": lambda: f[0] + f[1],
        "sub": lambda: f[0] - f[1],
        "mul": lambda: f[0] * f[1],
        "div": lambda: f[0] / f[1],
        "fma": lambda: f[0] * f[1] + f[2],
    }[name]()
    return rounded(exact, element, mode)


def root(value: Fraction, element: str, mode: str) -> float:
    """The square root, between two fractions so close that nothing representable, and no middle, is strictly inside."""
    scale = 1 << 2400
    floor = isqrt(value.numerator * scale // value.denominator)
    if Fraction(floor * floor, scale) == value:
        return rounded(Fraction(floor, 1 << 1200), element, mode)
    return rounded(Fraction(2 * floor + 1, 1 << 1201), element, mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", sorted(NAMES))
@pytest.mark.parametrize("element", TYPES)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_one_rounding(element: str, name: str, mode: str, data: st.DataObject) -> None:
    compare(element, data.draw(operands(element)), name, mode)


@pytest.mark.parametrize(
    ("element", "bits"), [("f32", (0x3F800001, 0x3F800001, 1)), ("f64", (1, 0x3FE0000000000000, 0))]
)
def test_a_product_and_a_sum_are_rounded_once(element: str, bits: tuple[int, ...]) -> None:
    compare(element, [from_bits(element, [each] * 4) for each in bits], "fma", "nearest_even")


def compare(element: str, tiles: list[Any], name: str, mode: str) -> None:
    """What the interpreter computes of tiles, beside the definition."""
    count = {"sqrt": 1, "fma": 3}.get(name, 2)
    found = values(element, evaluate(NAMES[name], [(element, t) for t in tiles[:count]], rounding_mode=mode))
    rows = zip(*(values(element, t).tolist() for t in tiles[:count]), strict=True)
    wanted = np.array([reference(name, element, mode, *row) for row in rows])
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize(("mode", "sign"), [("nearest_even", False), ("zero", False), ("negative_inf", True)])
def test_a_sum_that_cancels_is_negative_zero_only_when_rounding_down(element: str, mode: str, sign: bool) -> None:
    x, zero = array(element, [1.5, -0.0, 0.0, -0.0]), array(element, [-1.5, 0.0, 0.0, -0.0])
    found = evaluate("addf", [(element, x), (element, zero)], rounding_mode=mode)
    assert list(np.signbit(values(element, found))) == [sign, sign, False, True]
    one = array(element, [1.0] * 4)
    fused = evaluate("fma", [(element, x), (element, one), (element, zero)], rounding_mode=mode)
    assert list(np.signbit(values(element, fused))) == [sign, sign, False, True]


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("mode", MODES)
def test_infinities(element: str, mode: str) -> None:
    """Opposite ones make no number, and a finite product is none of them, however large it is."""
    inf, one = array(element, [np.inf, -np.inf]), array(element, [1.0, 1.0])
    largest = from_bits(element, [array(element, np.inf).view(f"u{BITS[element] // 8}").item() - 1] * 2)
    for name, args in (("addf", (inf, -inf)), ("subf", (inf, inf)), ("fma", (inf, one, -inf))):
        found = evaluate(name, [(element, x) for x in args], rounding_mode=mode)
        assert np.isnan(values(element, found)).all(), name
    fused = evaluate("fma", [(element, x) for x in (largest, largest, -inf)], rounding_mode=mode)
    assert values(element, fused).tolist() == [-np.inf, np.inf]


def test_what_numpy_rounds_is_left_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """To nearest, and in formats that it has: of doubles it rounds to bfloat16 twice, by way of single precision."""

    def slowly(*_: Any) -> Any:
        raise NotImplementedError

    monkeypatch.setattr(rounding, "round_to", slowly)
    elements = {name: by_name(name) for name in ("f16", "bf16", "f32", "f64", "f8E4M3FN")}
    ones = {name: array(name, [1.0, 2.5]) for name in elements}
    for source, target in product(elements, elements):
        quick = target in ("f64", "f32", "f16") or (target == "bf16" and source != "f64")
        for mode in ("nearest_even", "zero"):
            given = ones[source], elements[source], elements[target], mode
            if target == "f64" or (quick and mode == "nearest_even"):
                assert values(target, rounding.convert(*given)).tolist() == [1.0, 2.5]
                continue
            with pytest.raises(NotImplementedError):
                rounding.convert(*given)


@pytest.mark.parametrize("element", ["f16", "bf16", "f32"])
def test_sums_and_products_are_rounded_by_numpy_where_it_has_the_format(
    element: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(*_: Any) -> Any:
        raise NotImplementedError

    monkeypatch.setattr(rounding, "round_to", slowly)
    narrow: Any = vars(rounding)["_narrow"]
    for mode in ("nearest_even", "zero"):
        if mode == "nearest_even" and element != "bf16":
            assert narrow(np.array([1.5]), by_name(element), mode).dtype == by_name(element).dtype
            continue
        with pytest.raises(NotImplementedError):
            narrow(np.array([1.5]), by_name(element), mode)


def test_fractions_are_rounded_as_they_are_divided() -> None:
    """To nearest as Python divides integers; in other modes to that or its neighbour, on the right side."""
    for d in (1, 3, 5, 7, 9, 11, 49, 1023, (1 << 60) + 1):
        for n in (1, 2, 3, 10, 22, (1 << 53) + 1, (1 << 54) + 3, (1 << 60) - 1):
            for value in (Fraction(n, d), Fraction(-n, d)):
                nearest = value.numerator / value.denominator
                assert rounding.round_fraction(value, "nearest_even") == nearest
                low, high = (rounding.round_fraction(value, f"{side}_inf") for side in ("negative", "positive"))
                assert Fraction(low) <= value <= Fraction(high)
                assert high == (low if Fraction(low) == value else np.nextafter(low, np.inf))
                assert nearest in (low, high)
                assert rounding.round_fraction(value, "zero") == (low if value > 0 else high)


@pytest.mark.parametrize("mode", ["approx", "full"])
def test_approximations_are_the_nearest_results(mode: str) -> None:
    a, b = array("f32", [1.0, 2.0, -7.0]), array("f32", [3.0, 7.0, 0.3])
    a, b = np.resize(a, 4), np.resize(b, 4)
    assert np.array_equal(evaluate("divf", [("f32", a), ("f32", b)], rounding_mode=mode), a / b)


def test_flushing_replaces_subnormal_operands_and_results() -> None:
    tiny, small = np.float32(1e-40), np.float32(2e-38)
    a = np.array([tiny, -tiny, small, 1.0], np.float32)
    b = np.array([0.0, -0.0, -np.float32(1.9e-38), tiny], np.float32)
    kept = evaluate("addf", [("f32", a), ("f32", b)], rounding_mode="nearest_even")
    flushed = evaluate("addf", [("f32", a), ("f32", b)], rounding_mode="nearest_even", flush_to_zero=True)
    assert np.array_equal(kept, a + b)
    assert list(flushed) == [0.0, 0.0, 0.0, 1.0]
    assert list(np.signbit(flushed)) == [False, True, False, False]


def test_the_smallest_normal_number_is_not_flushed() -> None:
    normal = np.finfo(np.float32).smallest_normal
    below = np.nextafter(normal, np.float32(0))
    a, zero = np.array([normal, -normal, below, -below], np.float32), np.zeros(4, np.float32)
    found = evaluate("addf", [("f32", a), ("f32", zero)], rounding_mode="nearest_even", flush_to_zero=True)
    assert found.tolist() == [normal, -normal, 0, 0]


def test_element_types_are_what_the_specification_says() -> None:
    names = "i1 i4 i8 i16 i32 i64 ptr f16 bf16 f32 tf32 f64 f8E4M3FN f8E5M2 f8E8M0FNU f4E2M1FN fnv8E5M3FNU"
    bits = (1, 4, 8, 16, 32, 64, 64, 16, 16, 32, 19, 64, 8, 8, 8, 4, 8)
    assert {e.name: e.bits for e in ELEMENTS} == dict(zip(names.split(), bits, strict=True))
    for e in ELEMENTS:
        if e.format is None or e.name in ("tf32", "fnv8E5M3FNU", "f8E8M0FNU"):
            continue
        known: Any = getattr(ml_dtypes, "finfo")(e.dtype)  # noqa: B009 -- of no types
        assert (e.format.precision, e.format.min_exponent) == (known.nmant + 1, known.minexp)
        assert e.format.largest == float(known.max)
        assert e.format.has_inf == (e.name in TYPES)
        assert e.format.signed
    assert (TF32.precision, TF32.min_exponent, TF32.has_inf, TF32.signed) == (11, -126, True, True)
    assert TF32.largest == float(np.array(0x7F7FE000, np.uint32).view(np.float32))
    assert (E8M0FNU.precision, E8M0FNU.min_exponent, E8M0FNU.largest) == (1, -127, 2.0**127)
    assert (E5M3FNU.precision, E5M3FNU.min_exponent, E5M3FNU.largest) == (4, -14, 114688.0)
    assert not any((E8M0FNU.signed, E8M0FNU.has_inf, E5M3FNU.signed, E5M3FNU.has_inf))
