"""Between which terms the elements of a tile of integers lie: what gathers are proved to be in bounds by.

The bounds are terms over the scalars that the tile is made of, and are true for every element, of the mathematical
integer that a signed reading gives. Where an operation might wrap, or is none of those below, only the range of the
type is known: so it is for everything that comes out of memory. Overflow promises count for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from xdsl.ir import Operation, SSAValue

from freehold.dialects.cuda_tile.ops.arith_int import (
    AddIOp,
    AndIOp,
    CmpIOp,
    DivIOp,
    MaxIOp,
    MinIOp,
    MulIOp,
    RemIOp,
    ShrIOp,
    SubIOp,
)
from freehold.dialects.cuda_tile.ops.conversion import ExtIOp, TruncIOp
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
from freehold.passes.analysis.arithmetic import type_range
from freehold.passes.prover import rules
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.support import terms
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
        elif type(value.owner) in _RULES:
            assert isinstance(value.owner, Operation)
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
        rule = _RULES.get(type(owner)) if type_.dims and not _is_truth(value) else None
        found = None if rule is None else rule(owner, self)
        if found is not None and self._fits(found, value):
            return found
        return _type(value)

    def shown(self, predicate: Term) -> bool:
        """Whether a predicate follows by rules: no solver is asked on the way to a bound."""
        return rules.holds(predicate, self.given)

    def _fits(self, found: Range, value: SSAValue) -> bool:
        low, high = _type(value)
        return self.shown(low.le(found[0])) and self.shown(found[1].le(high))


def _type(value: SSAValue) -> Range:
    type_ = value.type
    assert isinstance(type_, TileType)
    assert is_int(type_.element_type)
    low, high = type_range(type_.element_type.width.data)
    return terms.const(low), terms.const(high)


def _constant(op: ConstantOp, r: Ranges) -> Range | None:
    values = [int(op.value.splat_value)] if op.value.is_splat else [int(v) for v in op.value.values()]
    return terms.const(min(values)), terms.const(max(values))


def _iota(op: IotaOp, r: Ranges) -> Range | None:
    type_ = op.result.type
    assert isinstance(type_, TileType)
    return _ZERO, terms.const(type_.num_elements - 1)


def _same(op: ReshapeOp | BroadcastOp | PermuteOp | ExtractOp | ExtIOp | TruncIOp, r: Ranges) -> Range | None:
    """The elements of the first operand; in another type, if `_fits` finds that they stay what they are."""
    if isinstance(op, ExtIOp) and (op.signedness.data.value != "signed" or _is_truth(op.operands[0])):
        return None
    return r.of(op.operands[0])


def _is_truth(value: SSAValue) -> bool:
    type_ = value.type
    return isinstance(type_, TileType) and is_int(type_.element_type) and type_.element_type.width.data == 1


def _add(op: AddIOp, r: Ranges) -> Range | None:
    (a, b), (c, d) = r.of(op.lhs), r.of(op.rhs)
    return a + c, b + d


def _sub(op: SubIOp, r: Ranges) -> Range | None:
    (a, b), (c, d) = r.of(op.lhs), r.of(op.rhs)
    if (divisor := _remainder(op)) is not None:
        low, high = r.of(divisor)
        if r.shown(_ONE.le(low)):
            return _ZERO, high - 1
    return a - d, b - c


def _remainder(op: SubIOp) -> SSAValue | None:
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


def _mul(op: MulIOp, r: Ranges) -> Range | None:
    (a, b), (c, d) = r.of(op.lhs), r.of(op.rhs)
    if r.shown(_ZERO.le(a)) and r.shown(_ZERO.le(c)):
        return a * c, b * d
    for (low, high), (factor, other) in (((a, b), (c, d)), ((c, d), (a, b))):
        if factor.is_const and factor == other:
            return (low * factor, high * factor) if factor.value >= 0 else (high * factor, low * factor)
    return None


def _signed(op: MinIOp | MaxIOp | DivIOp | RemIOp | ShrIOp | CmpIOp, r: Ranges) -> bool:
    """Whether the operation reads its operands as signed, or reading them so comes to the same."""
    return op.signedness.data.value == "signed" or all(r.shown(_ZERO.le(r.of(x)[0])) for x in (op.lhs, op.rhs))


def _min(op: MinIOp, r: Ranges) -> Range | None:
    (a, b), (c, d) = r.of(op.lhs), r.of(op.rhs)
    return (terms.minimum(a, c), terms.minimum(b, d)) if _signed(op, r) else None


def _max(op: MaxIOp, r: Ranges) -> Range | None:
    (a, b), (c, d) = r.of(op.lhs), r.of(op.rhs)
    return (terms.maximum(a, c), terms.maximum(b, d)) if _signed(op, r) else None


def _div(op: DivIOp, r: Ranges) -> Range | None:
    (a, b), (c, d) = r.of(op.lhs), r.of(op.rhs)
    if not _signed(op, r) or c != d or not c.is_const or c.value < 1:
        return None
    rounding = op.rounding.data.value
    if rounding == "negative_inf" or (rounding == "zero" and r.shown(_ZERO.le(a))):
        return terms.floordiv(a, c), terms.floordiv(b, c)
    return None


def _rem(op: RemIOp, r: Ranges) -> Range | None:
    (a, _), (c, d) = r.of(op.lhs), r.of(op.rhs)
    if not _signed(op, r) or not r.shown(_ONE.le(c)):
        return None
    return (_ZERO if r.shown(_ZERO.le(a)) else _ONE - d), d - 1


def _and(op: AndIOp, r: Ranges) -> Range | None:
    """Of a number that is not negative, no more than that is left."""
    found = [high for low, high in (r.of(op.lhs), r.of(op.rhs)) if r.shown(_ZERO.le(low))]
    if not found:
        return None
    return _ZERO, found[0] if len(found) == 1 else terms.minimum(*found)


def _shr(op: ShrIOp, r: Ranges) -> Range | None:
    (a, b), (c, d) = r.of(op.lhs), r.of(op.rhs)
    width = _type(op.result)[1].value.bit_length() + 1
    if not _signed(op, r) or c != d or not c.is_const or not 0 <= c.value < width - 1:
        return None
    by = terms.const(1 << c.value)
    return terms.floordiv(a, by), terms.floordiv(b, by)


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


_RULES: Final[dict[object, Callable[..., Range | None]]] = {
    ConstantOp: _constant,
    IotaOp: _iota,
    ReshapeOp: _same,
    BroadcastOp: _same,
    PermuteOp: _same,
    ExtractOp: _same,
    ExtIOp: _same,
    TruncIOp: _same,
    AddIOp: _add,
    SubIOp: _sub,
    MulIOp: _mul,
    MinIOp: _min,
    MaxIOp: _max,
    DivIOp: _div,
    RemIOp: _rem,
    AndIOp: _and,
    ShrIOp: _shr,
    SelectOp: _select,
}
