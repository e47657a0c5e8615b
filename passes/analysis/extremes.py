"""Bounds at launch: the greatest and least value of an index over all blocks and turns, in terms the launcher knows.

Per-block numbers are eliminated by monotonicity: a coordinate or counter is replaced by a bound of it that holds at the
access. The result may be too strict where bounds are not reached together, and never too lax. An access that happens
under conditions owes nothing where they cannot hold: the predicate is guarded by those that the launcher can decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Final

from xdsl.ir import Operation

from freehold.passes.analysis.facts import KernelFacts
from freehold.passes.analysis.reached import leaving_in_front
from freehold.passes.prover import rules
from freehold.passes.prover.hypotheses import Hypotheses, at_most_zero
from freehold.passes.prover.polynomials import bound_term, poly, to_term
from freehold.support import terms
from freehold.support.terms import Term

_DEPTH: Final = 8
_MOST_BOUNDS: Final = 3
_UNSIGNED: Final = frozenset({terms.const(1 << 8), terms.const(1 << 16)})
"""What a number of 8 or 16 bits is taken modulo where it is read as unsigned. What its type allows says nothing about
the data: a check at the launch would refuse tables of fewer tiles than that."""


def at_launch(index: Term, count: Term, op: Operation, facts: KernelFacts, *, low: bool, high: bool) -> Term | None:
    """A predicate over the launcher's symbols under which every index that occurs is from 0 to `count - 1`.

    Only the bounds asked for are in it. None where there is no such predicate, or none that a launch keeps which comes
    to `op`, which has the index; and where data decide whether it is reached: a check at the launch would refuse what
    never happens.
    """
    place, counted = facts.places[op], _counted(facts)
    if any(not condition.symbols() <= counted for condition in leaving_in_front(op, facts)):
        return None
    search = _Extremes(place.given, facts.launch)
    wanted: list[Term] = []
    if low:
        least = search.extreme(index, up=False)
        if least is None:
            return None
        wanted.append(terms.const(0).le(least))
    if high:
        greatest = search.extreme(index, up=True)
        if greatest is None:
            return None
        wanted.append(greatest.lt(count))
    goal = terms.all_of(*wanted)
    unless: list[Term] = []
    for condition in place.conditions:
        for part in terms.conjuncts(condition):
            possible = search.possible(part)
            if possible is None:
                if not part.symbols() <= counted:
                    return None
            elif not rules.holds(possible, facts.base):
                unless.append(terms.negate(possible))
    if unless and rules.holds(terms.negate(goal), facts.base.extended(map(terms.negate, unless))):
        return None  # the bounds are too far apart: it would hold in launches alone that never come to the access
    predicate = reduce(terms.either, [*_distinct(unless), goal])
    return predicate if predicate.symbols() <= facts.launch else None


def greatest(t: Term, given: Hypotheses, launch: frozenset[str]) -> Term | None:
    """An upper bound of a term over all blocks and turns, in the launcher's symbols; None where there is none."""
    return _Extremes(given, launch).extreme(t, up=True)


def _counted(facts: KernelFacts) -> set[str]:
    """Symbols that are no data: extents, coordinates of points, and counters."""
    points = (name for names in facts.points.values() for name in names)
    return {*facts.launch, *facts.counters.values(), *points}


def _distinct(predicates: Iterable[Term]) -> list[Term]:
    """Predicates without those that say the same as an earlier one."""
    found: dict[object, Term] = {}
    for p in predicates:
        inequalities = at_most_zero(p)
        key = p if inequalities is None else frozenset(frozenset(i.items()) for i in inequalities)
        found.setdefault(key, p)
    return list(found.values())


class _Extremes:
    def __init__(self, given: Hypotheses, launch: frozenset[str]):
        self.given = given
        self.launch = launch

    def possible(self, condition: Term) -> Term | None:
        """What the launcher can say about whether a condition holds for any block or turn: false only if for none."""
        if condition.symbols() <= self.launch:
            return condition
        if condition.op not in ("<", "<="):
            return None
        least = self.extreme(condition.args[0], up=False)
        greatest = self.extreme(condition.args[1], up=True)
        return None if least is None or greatest is None else terms.compare(condition.op, least, greatest)

    def extreme(self, t: Term, *, up: bool) -> Term | None:
        """An upper (or lower) bound of a term, over the launcher's symbols."""
        found = self._extreme(to_term(poly(t)), up, _DEPTH, frozenset())
        return None if found is None else to_term(poly(found))

    def _extreme(self, t: Term, up: bool, depth: int, open_: frozenset[str]) -> Term | None:
        if t.symbols() <= self.launch:
            return t
        if depth == 0 or t.op in ("<", "<=", "==", "and", "or", "not"):
            return None
        if t.op == "sym":
            return self._symbol(t, up, depth - 1, open_)
        a, b = t.args
        match t.op:
            case "+" | "-":
                x = self._extreme(a, up, depth - 1, open_)
                y = self._extreme(b, up == (t.op == "+"), depth - 1, open_)
                return None if x is None or y is None else (x + y if t.op == "+" else x - y)
            case "*":
                return self._product(a, b, up, depth - 1, open_)
            case "//" | "ceildiv" if b.symbols() <= self.launch and self._at_least(b, 1):
                x = self._extreme(a, up, depth - 1, open_)
                return None if x is None else (terms.floordiv(x, b) if t.op == "//" else terms.ceildiv(x, b))
            case "%" if b.symbols() <= self.launch and self._at_least(b, 1):
                if up and b in _UNSIGNED and a.op == "sym" and self._is_data(a):
                    return None
                return b - 1 if up else terms.const(0)
            case "min" | "max":
                x, y = (self._extreme(s, up, depth - 1, open_) for s in (a, b))
                if x is None or y is None:
                    # One operand bounds the smaller of both from above, and the larger from below.
                    return (x or y) if up == (t.op == "min") else None
                return terms.minimum(x, y) if t.op == "min" else terms.maximum(x, y)
            case _:
                return None

    def _product(self, a: Term, b: Term, up: bool, depth: int, open_: frozenset[str]) -> Term | None:
        if b.is_const:
            x = self._extreme(a, up == (b.value >= 0), depth, open_)
            return None if x is None else x * b
        if not (self._at_least(a, 0) and self._at_least(b, 0)):
            return None
        x, y = (self._extreme(s, up, depth, open_) for s in (a, b))
        if x is None or y is None:
            return None
        # The extreme of a number that is never negative may come out negative, where nothing happens at all.
        return terms.maximum(x, terms.const(0)) * terms.maximum(y, terms.const(0)) if not up else x * y

    def _symbol(self, t: Term, up: bool, depth: int, open_: frozenset[str]) -> Term | None:
        if t.name in open_:
            return None
        found: dict[Term, None] = {}
        for limit in self._limits(t, up):
            x = self._extreme(limit, up, depth, open_ | {t.name})
            if x is not None and not (x.is_const and abs(x.value) >= 2**31 - 1):
                found[to_term(poly(x))] = None
            if len(found) == _MOST_BOUNDS:
                break
        return reduce(terms.minimum if up else terms.maximum, found) if found else None

    def _limits(self, t: Term, up: bool) -> Iterator[Term]:
        """Terms that bound a symbol, by what is known; the latest knowledge first, for it is the most specific."""
        for fact in reversed(self.given.facts):
            if fact.op == "==" and t in fact.args:
                yield fact.args[1] if fact.args[0] == t else fact.args[0]
            if fact.op not in ("<", "<="):
                continue
            a, b = fact.args
            strict = int(fact.op == "<")
            if up and a == t:
                yield b - strict
            elif not up and b == t:
                yield a + strict

    def _is_data(self, t: Term) -> bool:
        """Whether nothing is known of a symbol but its type, as of what is read from memory."""
        return not any(limit.symbols() for up in (True, False) for limit in self._limits(t, up))

    def _at_least(self, t: Term, least: int) -> bool:
        low, _ = bound_term(t, self.given.bounds)
        return low is not None and low >= least
