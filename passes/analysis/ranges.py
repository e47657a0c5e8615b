"""Between which terms the elements of a tile of integers lie: what gathers are proved to be in bounds by.

The bounds are terms over the scalars that the tile is made of, and are true for every element, of the mathematical
integer that a signed reading gives. Where an operation might wrap, or is none of those below, only the range of the
type is known: so it is for everything that comes out of memory. Overflow promises count for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from xdsl.ir import Operation, SSAValue

from freehold.dialects.cuda_tile.integers import element_width, meaning_of
from freehold.dialects.cuda_tile.ops.arith_int import CmpIOp, DivIOp, MulIOp, SubIOp
from freehold.dialects.cuda_tile.ops.shape import (
    BroadcastOp,
    ConstantOp,
    ExtractOp,
    IotaOp,
    PermuteOp,
    ReshapeOp,
    SelectOp,
)
from freehold.dialects.cuda_tile.types import TileType, is_int
from freehold.passes.prover import rules
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.support import terms
from freehold.support.integers import Meaning, contents
from freehold.support.terms import Term

Range = tuple[Term, Term]
"""The least and the greatest that an element can be."""

_ZERO: Final = terms.const(0)
_ONE: Final = terms.const(1)


def scalars_behind(values: Iterable[SSAValue]) -> list[SSAValue]:
    """The integer scalars that tiles of integers are computed from, without memory and control flow in between."""
    found: dict[SSAValue, None] = {}
    seen: set[SSAValue] = set()
    todo = list(values)
    while todo:
        value = todo.pop()
        if value in seen or not isinstance(type_ := value.type, TileType) or not is_int(type_.element_type):
            continue
        seen.add(value)
        if not type_.dims:
            found[value] = None
        elif isinstance(value.owner, Operation) and (
            type(value.owner) in _MOVES or meaning_of(value.owner) is not None
        ):
            todo += value.owner.operands
    return list(found)


class Ranges:
    """The ranges of tiles where `given` holds; `known` are the terms of scalars."""

    def __init__(self, known: dict[SSAValue, Term], given: Hypotheses):
        self.known = known
        self.given = given
        self._found: dict[SSAValue, Range] = {}

    def of(self, value: SSAValue) -> Range:
        """Bounds of every element of a tile of integers."""
        if (found := self._found.get(value)) is None:
            found = self._found[value] = self._range(value)
        return found

    def _range(self, value: SSAValue) -> Range:
        type_ = value.type
        assert isinstance(type_, TileType)
        if not type_.dims and (term := self.known.get(value)) is not None:
            return term, term
        owner = value.owner
        found = None
        if isinstance(owner, Operation) and type_.dims and element_width(type_) != 1:
            rule = _MOVES.get(type(owner))
            found = self._computed(owner) if rule is None else rule(owner, self)
        return found if found is not None and self._fits(found, value) else _type(value)

    def _computed(self, op: Operation) -> Range | None:
        """What an operation makes of numbers. One that is read as unsigned must not be negative to be the same."""
        meaning = meaning_of(op)
        exact = None if meaning is None else _EXACT.get(meaning.name)
        if meaning is None or exact is None or meaning.width == 1:
            return None
        operands = [self.of(operand) for operand in op.operands]
        if not all(
            signed or self.shown(_ZERO.le(low)) for (low, _), signed in zip(operands, meaning.readings(), strict=True)
        ):
            return None
        if (
            isinstance(op, SubIOp)
            and (divisor := _divisor(op)) is not None
            and self.shown(_ONE.le(self.of(divisor)[0]))
        ):
            return _ZERO, self.of(divisor)[1] - 1
        return exact(self, meaning, *operands)

    def shown(self, predicate: Term) -> bool:
        """Whether a predicate follows by rules: no solver is asked on the way to a bound."""
        return rules.holds(predicate, self.given)

    def _fits(self, found: Range, value: SSAValue) -> bool:
        low, high = _type(value)
        return self.shown(low.le(found[0])) and self.shown(found[1].le(high))


def _type(value: SSAValue) -> Range:
    width = element_width(value.type)
    assert width is not None
    low, high = contents(width)
    return terms.const(low), terms.const(high)


# Operations that move elements


def _constant(op: ConstantOp, r: Ranges) -> Range | None:
    values = [int(op.value.splat_value)] if op.value.is_splat else [int(v) for v in op.value.values()]
    return terms.const(min(values)), terms.const(max(values))


def _iota(op: IotaOp, r: Ranges) -> Range | None:
    type_ = op.result.type
    assert isinstance(type_, TileType)
    return _ZERO, terms.const(type_.num_elements - 1)


def _same(op: ReshapeOp | BroadcastOp | PermuteOp | ExtractOp, r: Ranges) -> Range | None:
    return r.of(op.operands[0])


def _select(op: SelectOp, r: Ranges) -> Range | None:
    """One of two; the one that was compared is as the comparison found it."""
    (a, b), (c, d) = r.of(op.val_if_true), r.of(op.val_if_false)
    test = op.cond.owner
    if isinstance(test, CmpIOp) and test.signedness.data.value == "signed":
        predicate = test.comparison_predicate.data.value
        if test.lhs is op.val_if_true and predicate in ("less_than", "less_than_or_equal"):
            b = terms.minimum(b, r.of(test.rhs)[1] - int(predicate == "less_than"))
        elif test.lhs is op.val_if_true and predicate in ("greater_than", "greater_than_or_equal"):
            a = terms.maximum(a, r.of(test.rhs)[0] + int(predicate == "greater_than"))
    return terms.minimum(a, c), terms.maximum(b, d)


_MOVES: Final[dict[type[Operation], Callable[..., Range | None]]] = {
    ConstantOp: _constant,
    IotaOp: _iota,
    ReshapeOp: _same,
    BroadcastOp: _same,
    PermuteOp: _same,
    ExtractOp: _same,
    SelectOp: _select,
}


# Operations that compute


def _add(_r: Ranges, _m: Meaning, a: Range, b: Range) -> Range | None:
    return a[0] + b[0], a[1] + b[1]


def _sub(_r: Ranges, _m: Meaning, a: Range, b: Range) -> Range | None:
    return a[0] - b[1], a[1] - b[0]


def _divisor(op: SubIOp) -> SSAValue | None:
    """The divisor, where an operation is `a - a // b * b`: then it cannot wrap, whatever the product does."""
    product = op.rhs.owner
    if isinstance(product, MulIOp):
        for quotient, divisor in ((product.lhs, product.rhs), (product.rhs, product.lhs)):
            division = quotient.owner
            if (
                isinstance(division, DivIOp)
                and division.signedness.data.value == "signed"
                and division.rounding.data.value == "negative_inf"
                and division.lhs is op.lhs
                and division.rhs is divisor
            ):
                return divisor
    return None


def _mul(r: Ranges, _m: Meaning, a: Range, b: Range) -> Range | None:
    if r.shown(_ZERO.le(a[0])) and r.shown(_ZERO.le(b[0])):
        return a[0] * b[0], a[1] * b[1]
    for (low, high), (factor, other) in ((a, b), (b, a)):
        if factor.is_const and factor == other:
            return (low * factor, high * factor) if factor.value >= 0 else (high * factor, low * factor)
    return None


def _min(_r: Ranges, _m: Meaning, a: Range, b: Range) -> Range | None:
    return terms.minimum(a[0], b[0]), terms.minimum(a[1], b[1])


def _max(_r: Ranges, _m: Meaning, a: Range, b: Range) -> Range | None:
    return terms.maximum(a[0], b[0]), terms.maximum(a[1], b[1])


def _div(r: Ranges, m: Meaning, a: Range, b: Range) -> Range | None:
    down = m.detail == "negative_inf" or (m.detail == "zero" and r.shown(_ZERO.le(a[0])))
    if not down or b[0] != b[1] or not b[0].is_const or b[0].value < 1:
        return None
    return terms.floordiv(a[0], b[0]), terms.floordiv(a[1], b[0])


def _rem(r: Ranges, _m: Meaning, a: Range, b: Range) -> Range | None:
    if not r.shown(_ONE.le(b[0])):
        return None
    return (_ZERO if r.shown(_ZERO.le(a[0])) else _ONE - b[1]), b[1] - 1


def _and(r: Ranges, _m: Meaning, a: Range, b: Range) -> Range | None:
    """Of a number that is not negative, no more than that is left."""
    found = [high for low, high in (a, b) if r.shown(_ZERO.le(low))]
    if not found:
        return None
    return _ZERO, found[0] if len(found) == 1 else terms.minimum(*found)


def _shr(_r: Ranges, m: Meaning, a: Range, b: Range) -> Range | None:
    if b[0] != b[1] or not b[0].is_const or not 0 <= b[0].value < m.width:
        return None
    by = terms.const(1 << b[0].value)
    return terms.floordiv(a[0], by), terms.floordiv(a[1], by)


def _kept(_r: Ranges, _m: Meaning, a: Range) -> Range | None:
    return a


_EXACT: Final[dict[str, Callable[..., Range | None]]] = {
    "addi": _add,
    "subi": _sub,
    "muli": _mul,
    "mini": _min,
    "maxi": _max,
    "divi": _div,
    "remi": _rem,
    "andi": _and,
    "shri": _shr,
    "exti": _kept,
    "trunci": _kept,
}
"""What operations compute of numbers, by their names in the table of meanings. Nothing may wrap: `_fits` sees to it."""
