"""What an operation is worth when its operands are known: the rules behind `canonicalize`.

Integer arithmetic is computed on constants that fill a tile, of any shape, by the table of `support.integers`. What is
undefined there is left as it stands. Floats are left alone but where bits only move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, cast

from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from freehold.dialects.classes import nth, operands_of
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.integers import element_width, meaning_of
from freehold.dialects.cuda_tile.ops.arith_int import (
    AbsIOp,
    AddIOp,
    AndIOp,
    CmpIOp,
    DivIOp,
    MaxIOp,
    MinIOp,
    MulhiIOp,
    MulIOp,
    NegIOp,
    OrIOp,
    RemIOp,
    ShlIOp,
    ShrIOp,
    SubIOp,
    XOrIOp,
)
from freehold.dialects.cuda_tile.ops.control_flow import ForOp
from freehold.dialects.cuda_tile.ops.conversion import BitcastOp, ExtIOp, TruncIOp
from freehold.dialects.cuda_tile.ops.shape import BroadcastOp, ConstantOp, OffsetOp, PermuteOp, ReshapeOp, SelectOp
from freehold.dialects.cuda_tile.types import TileType
from freehold.support.integers import RELATIONS, read, wrapped

Folded: TypeAlias = Sequence[SSAValue | Attribute] | None
Rule: TypeAlias = Callable[[Operation], Folded]


def literal(value: SSAValue) -> DenseElementsAttr | None:
    """The literal a value is, if a `constant` defines it."""
    owner = value.op if isinstance(value, OpResult) else None
    return owner.value if isinstance(owner, ConstantOp) else None


def _known(value: SSAValue) -> int | None:
    """What the registers of a tile hold that a constant fills; None where they hold anything else."""
    attr = literal(value)
    return int(attr.splat_value) if attr is not None and element_width(value.type) and attr.is_splat else None


def _filled(like: SSAValue, content: int) -> Folded:
    width = element_width(like.type)
    if width is None or width == 4:  # there are no constants of i4
        return None
    return (DenseElementsAttr.splat(cast(TileType, like.type), read(content, width, signed=False)),)


def _computed(op: Operation) -> Folded:
    """An operation on integers: an identity of its own, or what its meaning makes of constants, where it is defined."""
    identity = _IDENTITIES.get(type(op))
    if identity is not None and (found := identity(op)) is not None:
        return found
    known = [_known(operand) for operand in operands_of(op)]
    numbers = [n for n in known if n is not None]
    if len(numbers) < len(known):
        return None
    meaning = meaning_of(op)
    result = None if meaning is None else meaning(*numbers)
    return None if result is None else _filled(op.results[0], result)


def _ones(value: SSAValue) -> int:
    """What a register holds of which all bits are set."""
    return wrapped(-1, element_width(value.type) or 1)


def _neutral(op: AddIOp | OrIOp) -> Folded:
    """Zero on either side."""
    if op.lhs is op.rhs and isinstance(op, OrIOp):
        return (op.lhs,)
    return (op.rhs,) if _known(op.lhs) == 0 else (op.lhs,) if _known(op.rhs) == 0 else None


def _or(op: OrIOp) -> Folded:
    ones = _ones(op.lhs)
    return _filled(op.lhs, ones) if ones in (_known(op.lhs), _known(op.rhs)) else _neutral(op)


def _difference(op: SubIOp | XOrIOp) -> Folded:
    """Zero on the right, or one value on both sides."""
    if op.lhs is op.rhs:
        return _filled(op.lhs, 0)
    return (op.lhs,) if _known(op.rhs) == 0 else None


def _xor(op: XOrIOp) -> Folded:
    return (op.rhs,) if _known(op.lhs) == 0 else _difference(op)


def _mul(op: MulIOp) -> Folded:
    a, b = _known(op.lhs), _known(op.rhs)
    # Of a truth value, true is -1 to a signed reading, but times itself it is true all the same.
    return _filled(op.lhs, 0) if 0 in (a, b) else (op.rhs,) if a == 1 else (op.lhs,) if b == 1 else None


def _and(op: AndIOp) -> Folded:
    a, b, ones = _known(op.lhs), _known(op.rhs), _ones(op.lhs)
    if op.lhs is op.rhs or b == ones:
        return (op.lhs,)
    return (op.rhs,) if a == ones else _filled(op.lhs, 0) if 0 in (a, b) else None


def _shift(op: ShlIOp | ShrIOp) -> Folded:
    return (op.lhs,) if _known(op.rhs) == 0 else None


def _by_one(op: DivIOp | RemIOp) -> Folded:
    """Division by what is read as 1."""
    meaning, divisor = meaning_of(op), _known(op.rhs)
    if meaning is None or divisor is None or read(divisor, meaning.width, signed=meaning.signed) != 1:
        return None
    return (op.lhs,) if isinstance(op, DivIOp) else _filled(op.lhs, 0)


def _extreme(op: MaxIOp | MinIOp) -> Folded:
    return (op.lhs,) if op.lhs is op.rhs else None


def _reflexive(op: CmpIOp) -> Folded:
    relation = RELATIONS[op.comparison_predicate.data.value]
    return _filled(op.result, int(relation(0, 0))) if op.lhs is op.rhs else None


_IDENTITIES: Final[dict[type[Operation], Callable[[Any], Folded]]] = {
    AddIOp: _neutral,
    SubIOp: _difference,
    MulIOp: _mul,
    AndIOp: _and,
    OrIOp: _or,
    XOrIOp: _xor,
    ShlIOp: _shift,
    ShrIOp: _shift,
    DivIOp: _by_one,
    RemIOp: _by_one,
    MaxIOp: _extreme,
    MinIOp: _extreme,
    CmpIOp: _reflexive,
}
"""What is known of operations when not all of their operands are."""


def _same_type(op: Operation) -> Folded:
    """A change of shape or type that changes nothing; or that of a filled constant, which stays filled."""
    source, result = nth(operands_of(op), 0), nth(op.results, 0)
    if source.type == result.type:
        return (source,)
    attr = literal(source)
    if attr is not None and attr.is_splat:
        if element_width(result.type) == 1:  # the one bit of a single element is no fill of several
            return _filled(result, int(attr.splat_value))
        return (DenseElementsAttr(cast(TileType, result.type), attr.data),)
    return None


def _permute(op: Operation) -> Folded:
    assert isinstance(op, PermuteOp)
    if op.order == tuple(range(len(op.order))):
        return (op.source,)
    return None if op.source.type == op.result.type else _same_type(op)


def _bitcast(op: Operation) -> Folded:
    assert isinstance(op, BitcastOp)
    return (op.source,) if op.source.type == op.result.type else None


def _select(op: Operation) -> Folded:
    assert isinstance(op, SelectOp)
    if op.val_if_true is op.val_if_false:
        return (op.val_if_true,)
    cond = _known(op.cond)
    return None if cond is None else (op.val_if_true if cond else op.val_if_false,)


def _offset(op: Operation) -> Folded:
    assert isinstance(op, OffsetOp)
    return (op.ptr,) if _known(op.offset) == 0 else None


def _for(op: Operation) -> Folded:
    """A loop that is known not to run yields its initial values."""
    assert isinstance(op, ForOp)
    lower, upper, width = _known(op.lowerBound), _known(op.upperBound), element_width(op.lowerBound.type)
    if lower is None or upper is None or width is None:
        return None
    signed = op.unsignedCmp is None
    return tuple(op.initValues) if read(lower, width, signed=signed) >= read(upper, width, signed=signed) else None


_RULES: Final[dict[type[Operation], Rule]] = {
    **dict.fromkeys((*_IDENTITIES, MulhiIOp, NegIOp, AbsIOp, ExtIOp, TruncIOp), _computed),
    ReshapeOp: _same_type,
    BroadcastOp: _same_type,
    PermuteOp: _permute,
    BitcastOp: _bitcast,
    SelectOp: _select,
    OffsetOp: _offset,
    ForOp: _for,
}


def fold(op: Operation, *, integers: bool = True) -> Folded:
    """What stands for each result of an operation, a value or a literal; None where nothing does. Arithmetic is
    computed if `integers` is true."""
    rule = _RULES.get(type(op))
    return None if rule is None or (rule is _computed and not integers) else rule(op)
