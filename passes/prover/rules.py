"""The first rung of the prover: interval arithmetic, and a short search for a sum of known inequalities.

Everything here is exact in the arithmetic of integers and independent of time; it decides most obligations of real
kernels in microseconds, so that no solver is loaded for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import gcd
from typing import Final

from freehold.passes.prover.hypotheses import Hypotheses, at_most_zero
from freehold.passes.prover.journal import note
from freehold.passes.prover.polynomials import Monomial, Poly, at_most, atoms, bound_term, combine, poly, size
from freehold.support import terms
from freehold.support.terms import Term

_CASES: Final = 2
"""How deep cases are told apart."""
_DEPTH: Final = 5
_NODES: Final = 120
_ONE: Final[Poly] = {(): 1}


def holds(goal: Term, given: Hypotheses) -> bool:
    """Whether the goal follows by the rules. False says nothing."""
    found = given.answers.get(goal)
    if found is None:
        found = given.answers[goal] = _follows(goal, given, _CASES)
    if not found:
        return False
    note(goal, lambda: given.relevant(goal), "rules")
    return True


def _follows(goal: Term, given: Hypotheses, depth: int) -> bool:
    if goal.is_const:
        return bool(goal.value)
    if goal in given:
        return True
    match goal.op:
        case "and":
            return all(_follows(a, given, depth) for a in goal.args)
        case "or" if depth:
            left, right = goal.args
            return (
                _follows(left, given, depth - 1)
                or _follows(right, given, depth - 1)
                or _follows(right, given.extended([terms.negate(left)]), depth - 1)
            )
        case "not" if goal.args[0].op == "==":
            a, b = goal.args[0].args
            return _follows(a.lt(b), given, depth) or _follows(b.lt(a), given, depth)
        case "not" if goal.args[0].op in ("and", "or") and depth:
            a, b = (terms.negate(x) for x in goal.args[0].args)
            return _follows(terms.either(a, b) if goal.args[0].op == "and" else terms.both(a, b), given, depth - 1)
        case "<" | "<=" | "==":
            return all(_Search(given).at_most_zero(p, _DEPTH) for p in at_most_zero(goal) or (_ONE,)) or (
                depth > 0 and (parts := _parts(goal)) is not None and _follows(parts, given, depth - 1)
            )
        case _:
            return False


def _parts(goal: Term) -> Term | None:
    """An inequality with a minimum or maximum on one side, as inequalities of what that is of: they are equivalent."""
    left, right = goal.args
    if goal.op != "==" and left.op in ("min", "max"):
        a, b = (terms.compare(goal.op, x, right) for x in left.args)
        return terms.both(a, b) if left.op == "max" else terms.either(a, b)
    if goal.op != "==" and right.op in ("min", "max"):
        a, b = (terms.compare(goal.op, left, x) for x in right.args)
        return terms.both(a, b) if right.op == "min" else terms.either(a, b)
    return None


class _Search:
    """Looks for known inequalities whose sum with nonnegative factors is the wanted one."""

    def __init__(self, given: Hypotheses):
        self.given = given
        self.left = _NODES
        self.seen: dict[Term, bool] = {}

    def at_most_zero(self, p: Poly, depth: int) -> bool:
        """Whether `p <= 0` follows."""
        self.left -= 1
        high = at_most(p, self.given.bounds)
        if high is not None and high <= 0:
            return True
        if depth == 0 or self.left <= 0:
            return False
        defined = [found for atom in atoms(p) if atom.args for found in defining(atom)]
        for m in sorted(p, key=size, reverse=True):
            if not m:
                continue
            c = p[m]
            for h in self.known(m, defined):
                factor = h[m]
                if (factor > 0) != (c > 0):
                    continue
                # |factor| * p <= |c| * h + rest, and h <= 0: it is enough that rest < |factor|, as p is an integer.
                scaled = p if factor in (1, -1) else combine(p, abs(factor), _ONE, 1 - abs(factor))
                rest = _reduced(combine(scaled, 1, h, -abs(c)))
                if len(rest) <= len(p) + 3 and self.at_most_zero(rest, depth - 1):
                    return True
        return False

    def known(self, m: Monomial, defined: Sequence[tuple[Poly, tuple[Term, ...]]]) -> Iterator[Poly]:
        """Inequalities with the product `m`: assumed ones, then those that define atoms, under their conditions."""
        yield from self.given.mentioning(m)
        for h, conditions in defined:
            if m in h and all(map(self.plain, conditions)):
                yield h

    def plain(self, condition: Term) -> bool:
        """Whether intervals alone show `condition`, which is an inequality."""
        if (found := self.seen.get(condition)) is None:
            parts = at_most_zero(condition) or ()
            found = all((b := at_most(p, self.given.bounds)) is not None and b <= 0 for p in parts)
            self.seen[condition] = found
        return found


def _reduced(p: Poly) -> Poly:
    divisor = gcd(*[c for m, c in p.items() if m])
    if divisor < 2:
        return p
    # d * q + k <= 0 is q <= -k / d, for integers q <= floor(-k / d).
    return {m: (c // divisor if m else -(-c // divisor)) for m, c in p.items()}


@lru_cache(maxsize=4096)
def defining(atom: Term) -> tuple[tuple[Poly, tuple[Term, ...]], ...]:
    """Inequalities that an atom satisfies by what it means, each with the conditions under which it does."""
    if len(atom.args) != 2 or atom.op not in ("min", "max", "//", "%", "ceildiv"):
        return ()
    a, b = atom.args
    zero, one = terms.const(0), terms.const(1)
    positive = one.le(b)
    match atom.op:
        case "min":
            found = [(atom.le(a), ()), (atom.le(b), ())]
        case "max":
            found = [(a.le(atom), ()), (b.le(atom), ())]
        case "//":
            found = [
                ((atom * b).le(a), (positive,)),
                (a.lt(atom * b + b), (positive,)),
                (a.le(atom * b), (positive, terms.mod(a, b).le(zero))),
                (atom.le(a), (positive, zero.le(a))),
                (zero.le(atom), (positive, zero.le(a))),
            ]
        case "ceildiv":
            found = [
                (a.le(atom * b), (positive,)),
                ((atom * b).lt(a + b), (positive,)),
                ((atom * b).le(a), (positive, terms.mod(a, b).le(zero))),
                (atom.le(a), (positive, zero.le(a))),
                (one.le(atom), (positive, one.le(a))),
            ]
        case _:
            found = [
                (zero.le(atom), (positive,)),
                (atom.lt(b), (positive,)),
                (atom.le(a), (positive, zero.le(a))),
            ]
    return tuple((p, conditions) for fact, conditions in found for p in at_most_zero(fact) or ())


def in_range(t: Term, low: int, high: int, given: Hypotheses) -> bool:
    """Whether `low <= t <= high` follows by the rules."""
    least, greatest = bound_term(t, given.bounds)
    if least is not None and greatest is not None and low <= least and greatest <= high:
        return True
    p = poly(t)
    return _Search(given).at_most_zero(combine(p, 1, _ONE, -high), _DEPTH) and _Search(given).at_most_zero(
        combine(p, -1, _ONE, low), _DEPTH
    )
