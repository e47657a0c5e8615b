"""Comparisons of integers, tiles and scalars: what decides them, and what they come to where something holds.

An element of a tile lies between two terms (`ranges`), so that a comparison of tiles comes to the same for all elements
where the extremes are far enough apart. Terms of scalars that no verifier asked for are found when they are needed.
"""

from __future__ import annotations

from typing import Final

from xdsl.ir import Operation, SSAValue

from freehold.dialects.cuda_tile.integers import width_of
from freehold.dialects.cuda_tile.ops.arith_int import CmpIOp
from freehold.passes.analysis.arithmetic import term_of
from freehold.passes.analysis.ranges import Range, Ranges, scalars_behind
from freehold.passes.prover import rules
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.support import terms
from freehold.support.integers import contents
from freehold.support.terms import Term

_ZERO: Final = terms.const(0)

_ORDERS: Final = {
    "less_than": (False, 1),
    "less_than_or_equal": (False, 0),
    "greater_than": (True, 1),
    "greater_than_or_equal": (True, 0),
}
"""Comparisons as `a + s <= b`: whether the operands are exchanged, and `s`."""


class Comparisons:
    """Comparisons where `given` holds; `known` are the terms of scalars, as far as they have been found."""

    def __init__(self, known: dict[SSAValue, Term], given: Hypotheses):
        self.known = dict(known)
        self.given = given
        self._sides: dict[CmpIOp, tuple[Range, Range] | None] = {}

    def where(self, *facts: Term) -> Comparisons:
        """The same comparisons where more is known. Ranges that have been found are so there, too."""
        found = Comparisons(self.known, self.given.extended(facts))
        found._sides |= {op: sides for op, sides in self._sides.items() if sides is not None}
        return found

    def shown(self, predicate: Term, wanted: SSAValue | None = None) -> bool:
        """Whether a predicate follows by rules."""
        return rules.holds(predicate, self.given)

    def fits(self, t: Term, value: SSAValue) -> bool:
        """Whether a term is in the range of a value's type."""
        width = width_of(value.type)
        assert width is not None
        return rules.in_range(t, *contents(width), self.given)

    def term(self, value: SSAValue) -> Term:
        """The term of a scalar; a symbol of its own where nothing is known of it but its type."""
        if (found := self.known.get(value)) is not None:
            return found
        owner, width = value.owner, width_of(value.type)
        found = term_of(owner, self) if isinstance(owner, Operation) and len(owner.results) == 1 else None
        if found is None:
            found = terms.sym(f"unknown{len(self.known)}")
            if width is not None:
                low, high = contents(width)
                self.given = self.given.extended([terms.const(low).le(found), found.le(high)])
        self.known[value] = found
        return found

    def sides(self, op: CmpIOp) -> tuple[Range, Range] | None:
        """The ranges of what is compared, as numbers; None where it is read as unsigned and may be negative."""
        if op not in self._sides:
            self._sides[op] = self._found(op)
        return self._sides[op]

    def _found(self, op: CmpIOp) -> tuple[Range, Range] | None:
        for scalar in scalars_behind(op.operands):
            self.term(scalar)
        ranges = Ranges(self.known, self.given)
        left, right = ranges.of(op.lhs), ranges.of(op.rhs)
        if op.signedness.data.value == "signed" or all(self.shown(_ZERO.le(low)) for low, _ in (left, right)):
            return left, right
        return None

    def margin(self, op: CmpIOp, result: bool) -> Term | None:
        """A term by which a comparison of order comes to `result` for all elements: where it is not negative."""
        sides, order = self.sides(op), _ORDERS.get(op.comparison_predicate.data.value)
        if sides is None or order is None:
            return None
        (a, b), strict = sides[::-1] if order[0] else sides, order[1]
        return b[0] - a[1] - strict if result else a[0] - b[1] - (1 - strict)

    def difference(self, op: CmpIOp) -> Term | None:
        """The difference of scalars that are compared for equality."""
        sides = self.sides(op) if op.comparison_predicate.data.value in ("equal", "not_equal") else None
        if sides is None or sides[0][0] != sides[0][1] or sides[1][0] != sides[1][1]:
            return None
        return sides[0][0] - sides[1][0]

    def decided(self, op: CmpIOp) -> bool | None:
        """What a comparison comes to for all elements; None where that is not shown."""
        if (difference := self.difference(op)) is not None:
            equal = op.comparison_predicate.data.value == "equal"
            if self.shown(difference.le(0)) and self.shown(_ZERO.le(difference)):
                return equal
            return not equal if self.shown(difference.lt(0)) or self.shown(_ZERO.lt(difference)) else None
        for result in (True, False):
            margin = self.margin(op, result)
            if margin is not None and self.shown(_ZERO.le(margin)):
                return result
        return None
