"""The normal form of integers that validation rests on, against exact arithmetic in registers of a width."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from freehold.passes.analysis.machine_integers import Integers
from freehold.support import terms
from freehold.support.integers import RELATIONS, contents
from freehold.support.terms import Term

Computed = Callable[[Integers, Term, Term, int, bool], Term]
Exact = Callable[[int, int, int], int]

ROUNDED: dict[str, Callable[[Fraction], int]] = {
    "zero": math.trunc,
    "negative_inf": math.floor,
    "positive_inf": math.ceil,
}


def quotient(rounding: str) -> tuple[Computed, Exact]:
    """A division as it is computed and as it is meant."""
    return (
        lambda i, a, b, w, signed: i.divided(a, b, w, signed, rounding),
        lambda a, b, w: ROUNDED[rounding](Fraction(a, b)),
    )


def remaining(a: int, b: int, width: int) -> int:
    """The remainder of a truncated division."""
    return a - b * math.trunc(Fraction(a, b))


OPERATIONS: dict[str, tuple[Computed, Exact]] = {
    **{f"divided, {rounding}": quotient(rounding) for rounding in ROUNDED},
    "remaining": (lambda i, a, b, w, s: i.remaining(a, b, w, s), remaining),
    "plus": (lambda i, a, b, w, s: i.wrapped(i.plus(a, b), w), lambda a, b, w: a + b),
    "minus": (lambda i, a, b, w, s: i.wrapped(i.minus(a, b), w), lambda a, b, w: a - b),
    "times": (lambda i, a, b, w, s: i.wrapped(i.times(a, b), w), lambda a, b, w: a * b),
    "sum of products": (
        lambda i, a, b, w, s: i.wrapped(i.plus(i.wrapped(i.times(a, b), w), i.wrapped(i.times(a, 3), w)), w),
        lambda a, b, w: a * b + 3 * a,
    ),
    "and": (lambda i, a, b, w, s: i.bits("and", a, b, w), lambda a, b, w: a & b),
    "or": (lambda i, a, b, w, s: i.bits("or", a, b, w), lambda a, b, w: a | b),
    "xor": (lambda i, a, b, w, s: i.bits("xor", a, b, w), lambda a, b, w: a ^ b),
    "shifted left": (lambda i, a, b, w, s: i.shifted_left(a, b, w), lambda a, b, w: a << b),
    "shifted right": (lambda i, a, b, w, s: i.shifted_right(a, b, w, s), lambda a, b, w: a >> b),
}
DIVISIONS = ("divided", "remaining")
SHIFTS = ("shifted",)


WIDTHS = st.sampled_from((1, 8, 16, 32, 64))
NAMES = st.sampled_from(sorted(OPERATIONS))
COMPARED = st.sampled_from(sorted(RELATIONS))


def registers(width: int, value: int) -> int:
    """What a register holds of a number, read with a sign; a truth value is 0 or 1."""
    kept = value % (1 << width)
    return kept - (1 << width) if kept > contents(width)[1] else kept


@cache  # a strategy that is made for each example is validated for each
def of_width(width: int) -> st.SearchStrategy[int]:
    """Numbers of a width, often at its ends."""
    low, high = contents(width)
    ends = [n for n in (low, low + 1, -2, -1, 0, 1, 2, 3, 7, high - 1, high) if low <= n <= high]
    return st.one_of(st.sampled_from(ends), st.integers(low, high))


@cache
@st.composite
def operands(draw: st.DrawFn, width: int) -> tuple[Integers, list[Term], dict[str, int]]:
    """Two numbers, each a literal or a symbol with bounds around it; and what the symbols are."""
    integers = Integers()
    given_: list[Term] = []
    values: dict[str, int] = {}
    for name in ("a", "b"):
        value = draw(of_width(width))
        if draw(st.booleans()):
            given_.append(terms.const(value))
            continue
        low, high = contents(width)
        low, high = draw(st.sampled_from([(low, high), (min(value, 0), high), (min(value, 1), max(value, 9))]))
        given_.append(integers.symbol(name, low, high))
        values[name] = value
    return integers, given_, values


def known(t: Term, values: dict[str, int]) -> int | None:
    """What a term is worth, unless it holds the unknown."""
    return t.evaluate(values) if t.symbols() <= values.keys() else None


@settings(max_examples=1500)
@given(st.data())
def test_arithmetic_is_exact(data: st.DataObject) -> None:
    width = data.draw(WIDTHS)
    name = data.draw(NAMES)
    signed = data.draw(st.booleans())
    integers, (a, b), values = data.draw(operands(width))
    x, y = a.evaluate(values), b.evaluate(values)
    computed, exact = OPERATIONS[name]
    if name.startswith(SHIFTS):
        assume(0 <= y < width)
    if name.startswith(DIVISIONS + SHIFTS) and name != "shifted left":
        x = x if signed else x % (1 << width)
        y = y if signed else y % (1 << width)
        if width == 1 and signed:
            x, y = -x, -y if not name.startswith(SHIFTS) else y
    if name.startswith(DIVISIONS):
        assume(y)
        assume(abs(math.trunc(Fraction(x, y))) <= contents(width)[1] or not signed)
    found = known(computed(integers, a, b, width, signed), values)
    if found is not None:
        assert found == registers(width, exact(x, y, width))
    else:
        assert values  # two literals always have a result


@settings(max_examples=1000)
@given(st.data())
def test_comparisons_are_exact(data: st.DataObject) -> None:
    width = data.draw(WIDTHS)
    relation = data.draw(COMPARED)
    integers, (a, b), values = data.draw(operands(width))
    x, y = a.evaluate(values), b.evaluate(values)
    t = integers.compared(relation, a, b)
    assert t.evaluate(values) == RELATIONS[relation](x, y)
    assert integers.negated(t).evaluate(values) == (not RELATIONS[relation](x, y))


@settings(max_examples=500)
@given(st.data())
def test_extremes_are_exact(data: st.DataObject) -> None:
    integers, (a, b), values = data.draw(operands(32))
    x, y = a.evaluate(values), b.evaluate(values)
    assert integers.extreme("min", a, b).evaluate(values) == min(x, y)
    assert integers.extreme("max", a, b).evaluate(values) == max(x, y)
