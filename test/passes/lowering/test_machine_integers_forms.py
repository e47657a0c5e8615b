"""The normal form of integers of a width, as text: what is one term, what has none, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from itertools import zip_longest
from typing import Any

import pytest

from freehold.passes.analysis.machine_integers import Integers
from freehold.support import terms
from freehold.support.terms import Term, const, parse, sym

BOUNDS = {
    "a": (0, 9), "b": (1, 9), "n": (-9, -1), "z": (-3, 3), "p": (0, 1), "q": (0, 1), "s": (-(2**31), 2**31 - 1),
    "t": (-(2**31), 2**31 - 1), "big": (0, 2**31 - 1), "u": (None, None), "half": (0, None),
}  # fmt: skip


def integers() -> Integers:
    found = Integers()
    for name, (low, high) in BOUNDS.items():
        found.symbol(name, low, high)
    return found


FORMS: list[tuple[str, str]] = [
    ("plus(a, b)", "a + b"),
    ("plus(a, 3)", "a + 3"),
    ("plus(3, 4)", "7"),
    ("minus(a, b)", "a - b"),
    ("minus(a, a)", "0"),
    ("minus(3, 4)", "-1"),
    ("times(a, b)", "a * b"),
    ("times(a + 1, 2)", "a * 2 + 2"),
    ("combined(a, 2, b, -3)", "a * 2 - b * 3"),
    ("combined(a, 2, a, -3)", "0 - a"),
    ("combined(5, 2, 4, -3)", "-2"),
    # Quotients and remainders, rounded down
    ("floor_divided(a * 8, 4)", "a * 2"),
    ("floor_divided(a * 16 + z + 4, 16)", "a"),
    ("floor_divided(s * 16 + a, 16)", "s"),
    ("floor_divided(s * 16 + a + 6, 16)", "s"),
    ("floor_divided(s * 16 + a + 7, 16)", "(a + 7) // 16 + s"),
    ("floor_divided(s * 16 + z + 2, 16)", "(z + 2) // 16 + s"),
    ("floor_divided(s * 16 + z + 3, 16)", "s"),
    ("floor_divided(s * 3 + 17, 4)", "(s * 3 + 1) // 4 + 4"),
    ("floor_divided(a, b)", "a // b"),
    ("remainder(a * 8, 4)", "0"),
    ("remainder(s * 16 + a, 16)", "a"),
    ("remainder(s * 17 + a, 16)", "(a + s) % 16"),
    ("remainder(s + 35, 16)", "(s + 3) % 16"),
    ("remainder(a + 6, 16)", "a + 6"),
    ("remainder(a + 7, 16)", "(a + 7) % 16"),
    ("remainder(a, b)", "a % b"),
    ("ceil_divided(a * 8, 4)", "a * 2"),
    ("ceil_divided(s * 16 + b, 16)", "ceildiv(b, 16) + s"),
    ("ceil_divided(s * 16 + a, 16)", "ceildiv(a, 16) + s"),
    # Extremes
    ("extreme('min', a, a)", "a"),
    ("extreme('min', a, n)", "n"),
    ("extreme('max', a, n)", "a"),
    ("extreme('min', n, a)", "n"),
    ("extreme('max', n, a)", "a"),
    ("extreme('min', a, 0)", "0"),
    ("extreme('max', a, 0)", "a"),
    ("extreme('min', a, 9)", "a"),
    ("extreme('max', a, 9)", "9"),
    ("extreme('max', a, 8)", "max(8, a)"),
    ("extreme('min', s, a)", "min(a, s)"),
    ("extreme('min', a, s)", "min(a, s)"),
    # What a register holds
    ("wrapped(a, 32)", "a"),
    ("wrapped(a + 2147483638, 32)", "a + 2147483638"),
    ("wrapped(s + 1, 32)", "(s + 2147483649) % 4294967296 - 2147483648"),
    ("wrapped(s + 4294967296, 32)", "s"),
    ("wrapped(s + 2147483647, 32)", "(s + 4294967295) % 4294967296 - 2147483648"),
    ("wrapped(s + 2147483648, 32)", "s % 4294967296 - 2147483648"),
    ("wrapped(s + 2147483649, 32)", "(s + 1) % 4294967296 - 2147483648"),
    ("wrapped(s * 2 + 3, 1)", "1"),
    ("wrapped(a * 3, 1)", "a % 2"),
    ("wrapped(s - 4294967296 * t, 32)", "s"),
    ("wrapped(a + 4294967295, 32)", "a - 1"),
    ("wrapped(300, 8)", "44"),
    ("wrapped(128, 8)", "-128"),
    ("wrapped(127, 8)", "127"),
    ("wrapped(-129, 8)", "127"),
    ("wrapped(p, 1)", "p"),
    ("wrapped(a, 1)", "a % 2"),
    ("wrapped(p + 2 * a, 1)", "p"),
    ("wrapped(3, 1)", "1"),
    ("wrapped(wrapped(s + t, 32) - t, 32)", "s"),
    ("wrapped(a * wrapped(s + t, 32) - a * t - a * s + b, 32)", "b"),
    ("unsigned(a, 32)", "a"),
    ("unsigned(s, 32)", "s % 4294967296"),
    ("unsigned(p, 1)", "p"),
    ("unsigned(n, 32)", "n % 4294967296"),
    ("read(s, 32, True)", "s"),
    ("read(s, 32, False)", "s % 4294967296"),
    ("read(p, 1, True)", "0 - p"),
    ("read(p, 1, False)", "p"),
    # Divisions of registers
    ("divided(a, b, 32, True, 'zero')", "a // b"),
    ("divided(a, 4, 32, True, 'zero')", "a // 4"),
    ("divided(z, 4, 32, True, 'zero')", "value#0"),
    ("divided(z, 4, 32, True, 'negative_inf')", "z // 4"),
    ("divided(z, 4, 32, True, 'positive_inf')", "ceildiv(z, 4)"),
    ("divided(s, 1, 32, True, 'zero')", "s"),
    ("divided(a, z, 32, True, 'negative_inf')", "value#0"),
    ("divided(a, z, 32, True, 'positive_inf')", "value#0"),
    ("divided(s, 4, 32, False, 'zero')", "(s % 4294967296) // 4"),
    ("divided(-7, 2, 32, True, 'zero')", "-3"),
    ("divided(-7, -2, 32, True, 'zero')", "3"),
    ("divided(7, -2, 32, True, 'zero')", "-3"),
    ("divided(7, -2, 32, True, 'negative_inf')", "-4"),
    ("divided(7, -2, 32, True, 'positive_inf')", "-3"),
    ("divided(-7, 2, 32, True, 'negative_inf')", "-4"),
    ("divided(-8, 2, 32, True, 'zero')", "-4"),
    ("divided(7, 0, 32, True, 'zero')", "value#0"),
    ("remaining(a, b, 32, True)", "a % b"),
    ("remaining(z, b, 32, True)", "value#0"),
    ("remaining(a, z, 32, True)", "value#0"),
    ("remaining(s, 1, 32, True)", "0"),
    ("remaining(-7, 2, 32, True)", "-1"),
    ("remaining(7, -2, 32, True)", "1"),
    ("remaining(7, 0, 32, True)", "value#0"),
    ("remaining(s, 4, 32, False)", "(s % 4294967296) % 4"),
    # Bits
    ("bits('and', 12, 10, 32)", "8"),
    ("bits('or', 12, 10, 32)", "14"),
    ("bits('xor', 12, 10, 32)", "6"),
    ("bits('xor', -1, 10, 8)", "-11"),
    ("bits('and', s, s, 32)", "s"),
    ("bits('or', s, s, 32)", "s"),
    ("bits('xor', s, s, 32)", "0"),
    ("bits('and', s, 0, 32)", "0"),
    ("bits('and', 0, s, 32)", "0"),
    ("bits('or', s, 0, 32)", "s"),
    ("bits('xor', 0, s, 32)", "s"),
    ("bits('and', s, -1, 32)", "s"),
    ("bits('or', s, -1, 32)", "-1"),
    ("bits('or', -1, s, 32)", "-1"),
    ("bits('xor', s, -1, 32)", "value#0"),
    ("bits('and', s, 7, 32)", "value#0"),
    ("bits('and', p, q, 1)", "p and q"),
    ("bits('or', q, p, 1)", "p or q"),
    ("bits('xor', p, 1, 1)", "not p"),
    ("bits('xor', 1, p, 1)", "not p"),
    ("bits('xor', p, q, 1)", "value#0"),
    ("shifted_left(a, 3, 32)", "a * 8"),
    ("shifted_left(a, 0, 32)", "a"),
    ("shifted_left(1, 31, 32)", "-2147483648"),
    ("shifted_left(a, 32, 32)", "value#0"),
    ("shifted_left(a, -1, 32)", "value#0"),
    ("shifted_left(a, b, 32)", "value#0"),
    ("shifted_right(s, 3, 32, True)", "s // 8"),
    ("shifted_right(s, 0, 32, True)", "s"),
    ("shifted_right(s, 3, 32, False)", "(s % 4294967296) // 8"),
    ("shifted_right(s, 32, 32, True)", "value#0"),
    ("shifted_right(s, -1, 32, True)", "value#0"),
    # Truth values
    ("less(a, b)", "a - b < 0"),
    ("less(b, a)", "b - a < 0"),
    ("less(n, a)", "1"),
    ("less(a, n)", "0"),
    ("less(a, 0)", "0"),
    ("less(a, 1)", "a - 1 < 0"),
    ("less(a, 9)", "a - 9 < 0"),
    ("less(a, 10)", "1"),
    ("less(s, s)", "0"),
    ("equal(a, b)", "a - b == 0"),
    ("equal(b, a)", "a - b == 0"),
    ("equal(a, a)", "1"),
    ("equal(a + 1, a)", "0"),
    ("equal(a, n)", "0"),
    ("equal(n, a)", "0"),
    ("equal(a, 0)", "0 - a == 0"),
    ("equal(a, 9)", "9 - a == 0"),
    ("equal(a, 10)", "0"),
    ("equal(a, -1)", "0"),
    ("compared('equal', a, b)", "a - b == 0"),
    ("compared('not_equal', a, b)", "not a - b == 0"),
    ("compared('less_than', a, b)", "a - b < 0"),
    ("compared('less_than_or_equal', a, b)", "a - (b + 1) < 0"),
    ("compared('greater_than', a, b)", "b - a < 0"),
    ("compared('greater_than_or_equal', a, b)", "b - (a + 1) < 0"),
    ("negated(less(a, b))", "b - (a + 1) < 0"),
    ("negated(equal(a, b))", "not a - b == 0"),
    ("negated(p)", "not p"),
    ("both(p, q)", "p and q"),
    ("both(q, p, q)", "p and q"),
    ("both(q, both(p, less(a, b)))", "a - b < 0 and p and q"),
    ("both()", "1"),
    ("either(q, either(less(a, b), p))", "a - b < 0 or p or q"),
    ("either()", "0"),
    ("either(both(p, q), q)", "p and q or q"),
    ("chosen(1, a, b, 32)", "a"),
    ("chosen(0, a, b, 32)", "b"),
    ("chosen(p, a, a, 32)", "a"),
    ("chosen(p, a, b, 32)", "value#0"),
]


def taking_numbers(method: Callable[..., Term]) -> Callable[..., Term]:
    """A method to which numbers are terms wherever it takes terms."""
    takes = ["Term" in str(p.annotation) for p in signature(method).parameters.values()]
    every = method.__name__ in ("both", "either")

    def call(*given: Any) -> Term:
        pairs = zip_longest(given, takes[: len(given)], fillvalue=every)
        return method(*(terms.term(value) if every or is_term else value for value, is_term in pairs))

    return call


def evaluated(text: str) -> Term:
    found = integers()
    methods = {name: taking_numbers(getattr(found, name)) for name in vars(Integers) if not name.startswith("_")}
    return eval(text, {"__builtins__": {}, **{name: sym(name) for name in BOUNDS}, **methods})


@pytest.mark.parametrize(("text", "form"), FORMS)
def test_forms(text: str, form: str) -> None:
    assert str(evaluated(text)) == form


def test_equal_questions_have_one_answer_and_others_another() -> None:
    found = integers()
    a, b, s, t = map(sym, "abst")
    quotient = found.divided(s, t, 32, True, "zero")
    others = [
        found.divided(t, s, 32, True, "zero"),
        found.divided(s, t, 64, True, "zero"),
        found.divided(s, t, 32, False, "zero"),
        found.divided(s, t, 32, True, "negative_inf"),
        found.remaining(s, t, 32, True),
        found.remaining(s, t, 32, False),
        found.remaining(t, s, 32, True),
        found.bits("and", s, t, 32),
        found.bits("or", s, t, 32),
        found.bits("and", s, t, 64),
        found.shifted_left(s, t, 32),
        found.shifted_left(t, s, 32),
        found.shifted_right(s, t, 32, True),
        found.shifted_right(s, t, 32, False),
        found.chosen(sym("p"), s, t, 32),
        found.chosen(sym("p"), t, s, 32),
        found.chosen(sym("q"), s, t, 32),
    ]
    assert len({quotient, *others}) == len(others) + 1
    assert found.divided(s, t, 32, True, "zero") is quotient
    assert found.bits("and", t, s, 32) is found.bits("and", s, t, 32)
    assert found.chosen(sym("p"), s, t, 32) is found.chosen(sym("p"), s, t, 32)
    assert found.choices[found.chosen(sym("p"), a, b, 32)] == (a, b)


def test_what_is_known_of_numbers() -> None:
    found = integers()
    assert found.between(found.unknown("k", 8)) == (-128, 127)
    assert found.between(found.unknown("flag", 1)) == (0, 1)
    assert found.between(found.unknown("any")) == (None, None)
    assert str(found.unknown("named", None, "turns")) == "turns#3"
    assert found.unknown("named") is found.unknown("named")
    assert found.between(found.chosen(sym("p"), sym("a"), sym("n"), 32)) == (-9, 9)
    assert found.between(found.chosen(sym("p"), sym("n"), sym("b"), 32)) == (-9, 9)
    assert found.between(found.chosen(sym("p"), sym("a"), sym("u"), 32)) == (-(2**31), 2**31 - 1)
    assert found.between(found.chosen(sym("p"), sym("half"), sym("a"), 32)) == (-(2**31), 2**31 - 1)
    assert found.between(found.chosen(sym("p"), sym("a"), sym("half"), 32)) == (-(2**31), 2**31 - 1)
    assert found.between(found.chosen(sym("p"), sym("b"), sym("n"), None)) == (None, None)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("x + y", "big + 1"),
        ("x * 4", "big * 4"),
        ("x - y", "a - 1"),
        ("x // 4", "a // 4"),
        ("x % 4", "a % 4"),
        ("ceildiv(x, 4)", "ceildiv(a, 4)"),
        ("min(x, 12)", "a"),
        ("max(x, 12)", "12"),
        ("x + y * 2 - x", "2"),
    ],
)
def test_terms_that_are_carried_out(text: str, form: str) -> None:
    found = integers()
    values = {sym("x"): sym("big" if "big" in form else "a"), sym("y"): const(1)}
    computed = found.carried_out(parse(text), values, 32)
    assert computed == found.wrapped(parse(form), 32)
    if "big" in form:
        assert computed != parse(form)  # it may wrap
        assert found.carried_out(parse(text), values, 64) == parse(form)


@pytest.mark.parametrize(("text", "why"), [("x + w", "nothing is known of w"), ("x < y", "is no arithmetic")])
def test_what_is_no_arithmetic_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        integers().carried_out(parse(text), {sym("x"): sym("a"), sym("y"): terms.TRUE}, 32)
