"""Integer operations against Python's integers, which do not wrap: the reference wraps them explicitly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from evaluate import array, evaluate
from hypothesis import given, settings
from hypothesis import strategies as st

from freehold.support.diagnostic import Rejected

WIDTHS = (1, 8, 16, 32, 64)
COUNT = 8


def signed(value: int, width: int) -> int:
    """The number that the low bits of `value` are in two's complement."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def unsigned(value: int, width: int) -> int:
    """The number that the low bits of `value` are without a sign."""
    return value & ((1 << width) - 1)


def truncated(a: int, b: int) -> int:
    """The quotient rounded towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


@st.composite
def pairs(draw: st.DrawFn) -> tuple[int, list[int], list[int]]:
    """A width and two tiles of bit patterns, with the ends of the range common."""
    width = draw(st.sampled_from(WIDTHS))
    top = (1 << width) - 1
    pattern = st.integers(0, top) | st.sampled_from(sorted({0, 1, top, top >> 1, (top >> 1) + 1, min(top, 3)}))
    row = st.lists(pattern, min_size=COUNT, max_size=COUNT)
    return width, draw(row), draw(row)


def as_patterns(tile: Any, width: int) -> list[int]:
    return [unsigned(int(v), width) for v in tile]


def check(
    name: str, case: tuple[int, list[int], list[int]], expected: Callable[[int, int], int], **properties: Any
) -> None:
    width, lhs, rhs = case
    e = f"i{width}"
    result = evaluate(name, [(e, array(e, lhs)), (e, array(e, rhs))], **properties)
    assert as_patterns(result, width) == [unsigned(expected(a, b), width) for a, b in zip(lhs, rhs, strict=True)]
    # A scalar is computed like an element.
    one = evaluate(name, [(e, array(e, lhs)[0]), (e, array(e, rhs)[0])], **properties)
    assert unsigned(int(one), width) == unsigned(expected(lhs[0], rhs[0]), width)


@settings(deadline=None)
@given(pairs())
def test_sums_products_and_bits(case: tuple[int, list[int], list[int]]) -> None:
    check("addi", case, lambda a, b: a + b)
    check("subi", case, lambda a, b: a - b)
    check("muli", case, lambda a, b: a * b)
    check("andi", case, lambda a, b: a & b)
    check("ori", case, lambda a, b: a | b)
    check("xori", case, lambda a, b: a ^ b)
    check("mulhii", case, lambda a, b: a * b >> case[0])


@settings(deadline=None)
@given(pairs())
def test_shifts(case: tuple[int, list[int], list[int]]) -> None:
    width = case[0]
    check("shli", case, lambda a, b: a << b if b < width else 0)
    check("shri", case, lambda a, b: a >> b, signedness="unsigned")
    check("shri", case, lambda a, b: signed(a, width) >> min(b, width), signedness="signed")


@settings(deadline=None)
@given(pairs())
def test_extrema(case: tuple[int, list[int], list[int]]) -> None:
    width = case[0]
    check("maxi", case, max, signedness="unsigned")
    check("mini", case, min, signedness="unsigned")
    check("maxi", case, lambda a, b: max(signed(a, width), signed(b, width)), signedness="signed")
    check("mini", case, lambda a, b: min(signed(a, width), signed(b, width)), signedness="signed")


@settings(deadline=None)
@given(pairs())
def test_division(case: tuple[int, list[int], list[int]]) -> None:
    width, lhs, rhs = case
    case = width, lhs, [b or 1 for b in rhs]

    def on_signed(function: Callable[[int, int], int]) -> Callable[[int, int], int]:
        return lambda a, b: function(signed(a, width), signed(b, width))

    check("divi", case, on_signed(truncated), signedness="signed", rounding="zero")
    check("divi", case, on_signed(lambda a, b: a // b), signedness="signed", rounding="negative_inf")
    check("divi", case, on_signed(lambda a, b: -(-a // b)), signedness="signed", rounding="positive_inf")
    check("divi", case, lambda a, b: a // b, signedness="unsigned", rounding="zero")
    check("divi", case, lambda a, b: -(-a // b), signedness="unsigned", rounding="positive_inf")
    check("remi", case, on_signed(lambda a, b: a - truncated(a, b) * b), signedness="signed")
    check("remi", case, lambda a, b: a % b, signedness="unsigned")


@settings(deadline=None)
@given(pairs())
def test_one_operand(case: tuple[int, list[int], list[int]]) -> None:
    width, operand, _ = case
    e = f"i{width}"
    negated = evaluate("negi", [(e, array(e, operand))], overflow="none")
    assert as_patterns(negated, width) == [unsigned(-a, width) for a in operand]
    absolute = evaluate("absi", [(e, array(e, operand))])
    assert as_patterns(absolute, width) == [unsigned(abs(signed(a, width)), width) for a in operand]


RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
    "less_than": lambda a, b: a < b,
    "less_than_or_equal": lambda a, b: a <= b,
    "greater_than": lambda a, b: a > b,
    "greater_than_or_equal": lambda a, b: a >= b,
}


@settings(deadline=None)
@given(pairs(), st.sampled_from(sorted(RELATIONS)), st.booleans())
def test_comparisons(case: tuple[int, list[int], list[int]], relation: str, is_signed: bool) -> None:
    width, lhs, rhs = case
    e = f"i{width}"
    found = evaluate(
        "cmpi",
        [(e, array(e, lhs)), (e, array(e, rhs))],
        "i1",
        comparison_predicate=relation,
        signedness="signed" if is_signed else "unsigned",
    )
    read = signed if is_signed else unsigned
    holds = RELATIONS[relation]
    assert list(found) == [holds(read(a, width), read(b, width)) for a, b in zip(lhs, rhs, strict=True)]


FITS: dict[str, Callable[[int, int], bool]] = {
    "no_signed_wrap": lambda value, width: signed(value, width) == value,
    "no_unsigned_wrap": lambda value, width: unsigned(value, width) == value,
}


EXACT: dict[str, Callable[[int, int], int]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
}


@settings(max_examples=60, deadline=None)
@given(pairs(), st.sampled_from(["addi", "subi", "muli"]), st.sampled_from(["no_signed_wrap", "no_unsigned_wrap"]))
def test_broken_overflow_promises_are_found(case: tuple[int, list[int], list[int]], name: str, promise: str) -> None:
    width, lhs, rhs = case
    e = f"i{width}"
    read = signed if promise == "no_signed_wrap" else unsigned
    exact = EXACT[name]
    kept = all(FITS[promise](exact(read(a, width), read(b, width)), width) for a, b in zip(lhs, rhs, strict=True))
    operands = [(e, array(e, lhs)), (e, array(e, rhs))]
    if kept:
        plain = evaluate(name, operands, overflow="none")
        assert np.array_equal(evaluate(name, operands, checked=True, overflow=promise), plain)
    else:
        number = "a signed number" if promise == "no_signed_wrap" else "an unsigned number"
        with pytest.raises(Rejected, match=f"the result wraps as {number}, and `overflow<{promise}>` says") as refused:
            evaluate(name, operands, checked=True, overflow=promise)
        assert refused.value.codes == ("O528",)


@pytest.mark.parametrize(
    ("name", "a", "b", "properties"),
    [
        ("divi", 5, 0, {"signedness": "signed", "rounding": "zero"}),
        ("divi", -128, -1, {"signedness": "signed", "rounding": "zero"}),
        ("remi", 5, 0, {"signedness": "unsigned"}),
        ("shli", 1, 8, {"overflow": "none"}),
        ("shri", 1, -1, {"signedness": "signed"}),
        ("shli", 127, 1, {"overflow": "no_signed_wrap"}),
    ],
)
def test_undefined_results_are_found_in_checked_mode_only(
    name: str, a: int, b: int, properties: dict[str, Any]
) -> None:
    operands = [("i8", array("i8", [a])), ("i8", array("i8", [b]))]
    evaluate(name, operands, **properties)
    with pytest.raises(Rejected) as refused:
        evaluate(name, operands, checked=True, **properties)
    assert refused.value.codes == ("O528",)


@pytest.mark.parametrize("e", ["i8", "i32", "i64"])
@pytest.mark.parametrize(
    ("sign", "rounding"),
    [("signed", "zero"), ("signed", "negative_inf"), ("signed", "positive_inf"), ("unsigned", "zero")],
)
def test_quotients_that_are_not_defined_are_the_same_of_tiles_and_scalars(e: str, sign: str, rounding: str) -> None:
    least = 1 << (int(e[1:]) - 1)
    for a, b in ((5, 0), (0, 0), (-5 & (2 * least - 1), 0), (least, 2 * least - 1)):
        properties: Any = {"signedness": sign, "rounding": rounding}
        tile = evaluate("divi", [(e, array(e, [a] * COUNT)), (e, array(e, [b] * COUNT))], **properties)
        one = evaluate("divi", [(e, array(e, [a])[0]), (e, array(e, [b])[0])], **properties)
        assert int(one) == int(np.asarray(tile)[0])
        if b == 0:
            assert int(one) == 0
