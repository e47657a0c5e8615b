"""Products of extents that are compared: what remains to be asked where factors are the same."""

from __future__ import annotations

from itertools import product

import pytest

from freehold.passes.analysis.coverage import as_many
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.support.terms import TRUE, Term, const, sym

A, B, C = map(sym, "abc")
GIVEN = Hypotheses().extended([const(1).le(t) for t in (A, B, C)])


@pytest.mark.parametrize(
    ("taken", "wanted"),
    [
        ((), ()), ((A,), ()), ((), (A,)), ((A, B), (B,)), ((B,), (A, B)), ((A, B), ()), ((), (A, B)), ((A, A), (A,)),
        ((A, B), (B, A)), ((A, B), (C,)), ((A, B), (C, B)), ((const(1), A), (A,)), ((A, const(4)), (const(2), B)),
    ],
)  # fmt: skip
def test_products_are_equal_where_it_is_said(taken: tuple[Term, ...], wanted: tuple[Term, ...]) -> None:
    asked = as_many(taken, wanted, GIVEN)
    for numbers in product((1, 2, 3, 8), repeat=3):
        values = dict(zip("abc", numbers, strict=True))
        one = other = 1
        for t in taken:
            one *= t.evaluate(values)
        for t in wanted:
            other *= t.evaluate(values)
        assert bool(asked.evaluate(values)) == (one == other)


def test_factors_that_are_known_to_be_the_same_are_not_asked_about() -> None:
    assert as_many((A, B), (B, A), GIVEN) == TRUE
    assert as_many((A, B), (C, B), GIVEN.extended([A.eq(C)])) == TRUE
    assert as_many((A, B), (A,), GIVEN.extended([B.eq(1)])) == TRUE
