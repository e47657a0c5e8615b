"""What is assumed at a place of a kernel: predicates, taken apart into linear inequalities and bounds of atoms."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Self

from freehold.passes.prover.polynomials import UNBOUNDED, Bounds, Interval, Monomial, Poly, combine, meet, poly
from freehold.support import terms
from freehold.support.terms import Term

_ONE: Final[Poly] = {(): 1}


@lru_cache(maxsize=65536)
def at_most_zero(predicate: Term) -> tuple[Poly, ...] | None:
    """Polynomials that are all at most 0 exactly if the predicate holds; None for `or`, `not ==` and others."""
    if predicate.op == "const":
        return () if predicate.value else (_ONE,)
    if predicate.op == "and":
        left, right = (at_most_zero(a) for a in predicate.args)
        return None if left is None or right is None else (*left, *right)
    if predicate.op in ("<", "<=", "=="):
        a, b = (poly(x) for x in predicate.args)
        difference = combine(a, 1, b, -1)
        if predicate.op == "<":
            return (combine(difference, 1, _ONE, 1),)
        if predicate.op == "<=":
            return (difference,)
        return difference, combine(difference, -1, {}, 0)
    return None


class Hypotheses:
    """A set of predicates that hold, and the bounds they give. It is never changed: `extended` makes another one."""

    __slots__ = ("_index", "_known", "answers", "bounds", "facts", "inequalities")

    def __init__(self) -> None:
        self.facts: tuple[Term, ...] = ()
        """The predicates, in the order in which they were assumed; ranges of symbols among them."""
        self.inequalities: tuple[Poly, ...] = ()
        """Polynomials of more than one summand that are at most 0."""
        self.bounds = Bounds()
        """Bounds of atoms and of products of atoms."""
        self.answers: dict[Term, bool] = {}
        """Whether goals follow by the rules, of those that were asked for: several accesses ask for the same."""
        self._index: dict[Monomial, list[Poly]] | None = None
        self._known: dict[Term, None] = {terms.TRUE: None}

    def __contains__(self, fact: Term) -> bool:
        """Whether a predicate is one of them."""
        return fact in self._known

    def extended(self, facts: Iterable[Term]) -> Self:
        """These hypotheses and `facts`."""
        new = type(self)()
        known = self._known
        added = dict.fromkeys([part for fact in facts for part in terms.conjuncts(fact) if part not in known])
        new.facts = (*self.facts, *added)
        new._known = known | added
        new.bounds = Bounds(self.bounds)
        inequalities = list(self.inequalities)
        for fact in added:
            for p in at_most_zero(fact) or ():
                if not _record_bound(new.bounds, p):
                    inequalities.append(p)
        new.inequalities = tuple(inequalities)
        return new

    def mentioning(self, monomial: Monomial) -> list[Poly]:
        """The inequalities with this product of atoms."""
        if self._index is None:
            self._index = {}
            for p in self.inequalities:
                for m in p:
                    if m:
                        self._index.setdefault(m, []).append(p)
        return self._index.get(monomial, [])

    def relevant(self, goal: Term) -> tuple[Term, ...]:
        """The predicates that share symbols with the goal, directly or through others."""
        known = set(goal.symbols())
        todo = [(fact, fact.symbols()) for fact in self.facts]
        taken: set[int] = set()
        grown = True
        while grown:
            grown = False
            for n, (_, symbols) in enumerate(todo):
                # A predicate without symbols is false, or it would not be here: it always matters.
                if n not in taken and (not symbols or symbols & known):
                    taken.add(n)
                    grown = grown or not symbols <= known
                    known |= symbols
        return tuple(fact for n, (fact, _) in enumerate(todo) if n in taken)


def _record_bound(bounds: Bounds, p: Poly) -> bool:
    """Notes `c * m + k <= 0` as a bound of `m`; says whether the inequality is of that form."""
    constant = p.get((), 0)
    rest = [(m, c) for m, c in p.items() if m]
    if len(rest) != 1:
        return False
    m, c = rest[0]
    limit: Interval = (None, -constant // c) if c > 0 else (-(constant // c), None)
    # c > 0: m <= -k / c, rounded down. c < 0: m >= k / -c, rounded up, which is -(k // c) as k // c rounds k / c down.
    bounds[m] = meet(bounds.get(m, UNBOUNDED), limit)
    return True
