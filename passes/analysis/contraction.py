"""Sums, differences and products of floats in one form, so that what `contract-multiply-add` makes equals what it was.

Where a kernel may be contracted, its results are defined up to that: a product that is rounded before it is added
stands for one that is not. Signs are pulled out of products and sums, and operands of what commutes are sorted, for
`a * b - c` is emitted as the sum of a product and a negated number.
"""

from __future__ import annotations

from typing import Final

from xdsl.ir import Operation, SSAValue

from freehold.dialects.cuda_tile.attrs import RoundingModeAttr
from freehold.dialects.cuda_tile.ops.arith_float import AddFOp, FmaOp, MulFOp, NegFOp, SubFOp
from freehold.dialects.cuda_tile.types import TileType
from freehold.passes.analysis.tile_values import Place, Rule, Values
from freehold.support.terms import Term

_DIRECTED: Final = frozenset(map(RoundingModeAttr.of, ("positive_inf", "negative_inf")))

Signed = tuple[bool, Term]
"""A tile of floats: whether it is negated, and what is."""


def _stripped(values: Values, value: SSAValue) -> tuple[bool, SSAValue]:
    """A value without the negations in front of it: whether their number is odd, and what they negate."""
    negated, value = False, values.origin(value)
    while isinstance(owner := value.owner, NegFOp) and not values.stands_for(value):
        negated, value = not negated, values.origin(owner.source)
    return negated, value


def _signed(values: Values, value: SSAValue) -> Signed:
    """A value without the signs that it is computed with."""
    negated, value = _stripped(values, value)
    if isinstance(owner := value.owner, MulFOp) and not values.stands_for(value):
        inner, key = _product(values, owner.lhs, owner.rhs, _roundings(owner))
        return negated != inner, values.element(key, value.type, values.everywhere(owner.result.type))
    return negated, values.whole(value)


def _roundings(op: AddFOp | SubFOp | FmaOp | MulFOp) -> tuple[object, object]:
    return op.rounding_mode, op.flush_to_zero is not None


def _product(values: Values, a: SSAValue, b: SSAValue, roundings: tuple[object, object]) -> tuple[bool, object]:
    """
    The sign of a product, and what tells it from others.

    Where a product is rounded up or down, the sign of a factor says which way it goes, and stays where it is.
    """
    (mode, flushes), (x, p), (y, q) = roundings, _signed(values, a), _signed(values, b)
    if mode in _DIRECTED:
        return False, ("product", mode, flushes, tuple(sorted(((x, p), (y, q)), key=str)), a.type)
    return x != y, ("product", mode, flushes, tuple(sorted((p, q), key=str)), a.type)


def _of_sum(values: Values, op: AddFOp | SubFOp | FmaOp, place: Place) -> Term:
    type_, roundings = op.result.type, _roundings(op)
    if isinstance(op, FmaOp):
        negated, key = _product(values, op.lhs, op.rhs, roundings)
        left, right = (negated, values.element(key, type_, values.everywhere(type_))), _signed(values, op.acc)
    else:
        left, right = _signed(values, op.lhs), _signed(values, op.rhs)
        if isinstance(op, SubFOp):
            right = not right[0], right[1]
    return values.element(("sum", roundings, tuple(sorted((left, right), key=str)), type_), type_, place)


def _of_product(values: Values, op: MulFOp, place: Place) -> Term:
    return _with_sign(values, op, negated=False, type_=op.result.type, place=place)


def _of_negation(values: Values, op: NegFOp, place: Place) -> Term:
    type_ = op.result.type
    negated, value = _stripped(values, op.result)
    if isinstance(owner := value.owner, MulFOp) and not values.stands_for(value):
        return _with_sign(values, owner, negated=negated, type_=type_, place=place)
    return values.element(("negative", values.whole(value)), type_, place) if negated else values.at(value, place)


def _with_sign(values: Values, op: MulFOp, *, negated: bool, type_: TileType, place: Place) -> Term:
    """A product, or its negation: only products have a sign of their own."""
    inner, key = _product(values, op.lhs, op.rhs, _roundings(op))
    if negated == inner:
        return values.element(key, type_, place)
    return values.element(("negative", values.element(key, type_, values.everywhere(type_))), type_, place)


CONTRACTED: Final[dict[type[Operation], Rule]] = {
    AddFOp: _of_sum,
    SubFOp: _of_sum,
    FmaOp: _of_sum,
    MulFOp: _of_product,
    NegFOp: _of_negation,
}
"""What these operations compute, where products and sums may be contracted."""
