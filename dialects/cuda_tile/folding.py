"""What an operation is worth when its operands are known: the rules behind `canonicalize`.

Integer arithmetic is computed on constants that fill a tile, of any shape. What is undefined (a zero divisor, a broken
promise about overflow, a shift by the width) is left as it stands. Floats are left alone but where bits only move.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, cast

from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from freehold.dialects.cuda_tile.attrs import IntegerOverflowAttr, RoundingModeAttr, SignednessAttr
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
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
from freehold.dialects.cuda_tile.ops.shape import (
    BroadcastOp,
    ConstantOp,
    OffsetOp,
    PermuteOp,
    ReshapeOp,
    SelectOp,
)
from freehold.dialects.cuda_tile.types import TileType, is_int

Folded: TypeAlias = Sequence[SSAValue | Attribute] | None
Rule: TypeAlias = Callable[[Operation], Folded]


def literal(value: SSAValue) -> DenseElementsAttr | None:
    """The literal a value is, if a `constant` defines it."""
    owner = value.op if isinstance(value, OpResult) else None
    return owner.value if isinstance(owner, ConstantOp) else None


def _width(value: SSAValue) -> int:
    element = cast(TileType, value.type).element_type
    return element.width.data if is_int(element) else 0


def _bits(value: SSAValue) -> int | None:
    """The bits of the integer that fills a constant tile, or None."""
    attr = literal(value)
    width = _width(value)
    if attr is None or not width or not attr.is_splat:
        return None
    return int(attr.splat_value) & ((1 << width) - 1)


def _signed(bits: int, width: int) -> int:
    return bits - (1 << width) if bits >> (width - 1) else bits


def _filled(like: SSAValue, value: int) -> Folded:
    if _width(like) == 4:  # there are no constants of i4
        return None
    return (DenseElementsAttr.splat(cast(TileType, like.type), value & ((1 << _width(like)) - 1)),)


def _respects(promise: IntegerOverflowAttr, signed: int, unsigned: int, width: int) -> bool:
    """Whether the exact results keep what an overflow flag promises."""
    word = promise.data.value
    no_signed = -(1 << (width - 1)) <= signed < 1 << (width - 1)
    no_unsigned = 0 <= unsigned < 1 << width
    return (word not in ("no_signed_wrap", "no_wrap") or no_signed) and (
        word not in ("no_unsigned_wrap", "no_wrap") or no_unsigned
    )


def _add(op: Operation) -> Folded:
    assert isinstance(op, AddIOp)
    a, b, width = _bits(op.lhs), _bits(op.rhs), _width(op.lhs)
    if a == 0:
        return (op.rhs,)
    if b == 0:
        return (op.lhs,)
    if a is None or b is None:
        return None
    exact = _signed(a, width) + _signed(b, width)
    return _filled(op.lhs, a + b) if _respects(op.overflow, exact, a + b, width) else None


def _sub(op: Operation) -> Folded:
    assert isinstance(op, SubIOp)
    a, b, width = _bits(op.lhs), _bits(op.rhs), _width(op.lhs)
    if b == 0:
        return (op.lhs,)
    if op.lhs is op.rhs:
        return _filled(op.lhs, 0)
    if a is None or b is None:
        return None
    exact = _signed(a, width) - _signed(b, width)
    return _filled(op.lhs, a - b) if _respects(op.overflow, exact, a - b, width) else None


def _mul(op: Operation) -> Folded:
    assert isinstance(op, MulIOp)
    a, b, width = _bits(op.lhs), _bits(op.rhs), _width(op.lhs)
    if a == 0 or b == 0:
        return _filled(op.lhs, 0)
    # The bit pattern 1 of an i1 is -1 to a signed reading, but times itself it is 1 all the same.
    if a == 1:
        return (op.rhs,)
    if b == 1:
        return (op.lhs,)
    if a is None or b is None:
        return None
    exact = _signed(a, width) * _signed(b, width)
    return _filled(op.lhs, a * b) if _respects(op.overflow, exact, a * b, width) else None


def _and(op: Operation) -> Folded:
    assert isinstance(op, AndIOp)
    a, b, ones = _bits(op.lhs), _bits(op.rhs), (1 << _width(op.lhs)) - 1
    if op.lhs is op.rhs or b == ones:
        return (op.lhs,)
    if a == ones:
        return (op.rhs,)
    if a == 0 or b == 0:
        return _filled(op.lhs, 0)
    return None if a is None or b is None else _filled(op.lhs, a & b)


def _or(op: Operation) -> Folded:
    assert isinstance(op, OrIOp)
    a, b, ones = _bits(op.lhs), _bits(op.rhs), (1 << _width(op.lhs)) - 1
    if op.lhs is op.rhs or b == 0:
        return (op.lhs,)
    if a == 0:
        return (op.rhs,)
    if ones in (a, b):
        return _filled(op.lhs, ones)
    return None if a is None or b is None else _filled(op.lhs, a | b)


def _xor(op: Operation) -> Folded:
    assert isinstance(op, XOrIOp)
    a, b = _bits(op.lhs), _bits(op.rhs)
    if op.lhs is op.rhs:
        return _filled(op.lhs, 0)
    if b == 0:
        return (op.lhs,)
    if a == 0:
        return (op.rhs,)
    return None if a is None or b is None else _filled(op.lhs, a ^ b)


def _shl(op: Operation) -> Folded:
    assert isinstance(op, ShlIOp)
    a, b, width = _bits(op.lhs), _bits(op.rhs), _width(op.lhs)
    if b == 0:
        return (op.lhs,)
    if a is None or b is None or b >= width:
        return None
    return _filled(op.lhs, a << b) if _respects(op.overflow, _signed(a, width) << b, a << b, width) else None


def _shr(op: Operation) -> Folded:
    assert isinstance(op, ShrIOp)
    a, b, width = _bits(op.lhs), _bits(op.rhs), _width(op.lhs)
    if b == 0:
        return (op.lhs,)
    if a is None or b is None or b >= width:
        return None
    return _filled(op.lhs, (_signed(a, width) if _is_signed(op.signedness) else a) >> b)


def _is_signed(signedness: SignednessAttr) -> bool:
    return signedness.data.value == "signed"


def _read(op: DivIOp | RemIOp | MaxIOp | MinIOp | CmpIOp) -> tuple[int, int] | None:
    """Both operands as the operation reads them, if both are known."""
    a, b, width = _bits(op.lhs), _bits(op.rhs), _width(op.lhs)
    if a is None or b is None:
        return None
    return (_signed(a, width), _signed(b, width)) if _is_signed(op.signedness) else (a, b)


def divide(a: int, b: int, rounding: RoundingModeAttr) -> int:
    """`a / b` rounded to zero, down or up. `b` must not be zero."""
    match rounding.data.value:
        case "negative_inf":
            return a // b
        case "positive_inf":
            return -(-a // b)
        case _:
            return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _div(op: Operation) -> Folded:
    assert isinstance(op, DivIOp)
    if _bits(op.rhs) == 1 and (_width(op.lhs) > 1 or not _is_signed(op.signedness)):
        return (op.lhs,)
    known, width = _read(op), _width(op.lhs)
    if known is None or known[1] == 0:
        return None
    quotient = divide(*known, op.rounding)
    if _is_signed(op.signedness) and quotient >= 1 << (width - 1):
        return None
    return _filled(op.lhs, quotient)


def _rem(op: Operation) -> Folded:
    assert isinstance(op, RemIOp)
    if _bits(op.rhs) == 1 and (_width(op.lhs) > 1 or not _is_signed(op.signedness)):
        return _filled(op.lhs, 0)
    known, width = _read(op), _width(op.lhs)
    if known is None or known[1] == 0 or (known[1] == -1 and known[0] == -(1 << (width - 1))):
        return None
    a, b = known
    return _filled(op.lhs, abs(a) % abs(b) * (-1 if a < 0 else 1))


def _max(op: Operation) -> Folded:
    assert isinstance(op, MaxIOp)
    known = _read(op)
    if op.lhs is op.rhs:
        return (op.lhs,)
    return None if known is None else _filled(op.lhs, max(known))


def _min(op: Operation) -> Folded:
    assert isinstance(op, MinIOp)
    known = _read(op)
    if op.lhs is op.rhs:
        return (op.lhs,)
    return None if known is None else _filled(op.lhs, min(known))


def _mulhi(op: Operation) -> Folded:
    assert isinstance(op, MulhiIOp)
    a, b = _bits(op.x), _bits(op.y)
    return None if a is None or b is None else _filled(op.x, a * b >> _width(op.x))


def _neg(op: Operation) -> Folded:
    assert isinstance(op, NegIOp)
    a, width = _bits(op.source), _width(op.source)
    if a is None or (op.overflow.data.value != "none" and a == 1 << (width - 1)):
        return None
    return _filled(op.source, -a)


def _abs(op: Operation) -> Folded:
    assert isinstance(op, AbsIOp)
    a = _bits(op.source)
    return None if a is None else _filled(op.source, abs(_signed(a, _width(op.source))))


RELATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less_than": operator.lt,
    "less_than_or_equal": operator.le,
    "greater_than": operator.gt,
    "greater_than_or_equal": operator.ge,
}
"""What the predicates of comparisons mean, of numbers and of NumPy's arrays."""


def _cmp(op: Operation) -> Folded:
    assert isinstance(op, CmpIOp)
    relation = RELATIONS[op.comparison_predicate.data.value]
    known = (0, 0) if op.lhs is op.rhs else _read(op)
    return None if known is None else _filled(op.result, int(relation(*known)))


def _ext(op: Operation) -> Folded:
    assert isinstance(op, ExtIOp)
    a = _bits(op.from_)
    if a is None:
        return None
    return _filled(op.to, _signed(a, _width(op.from_)) if _is_signed(op.signedness) else a)


def _trunc(op: Operation) -> Folded:
    assert isinstance(op, TruncIOp)
    a, before, after = _bits(op.from_), _width(op.from_), _width(op.to)
    if a is None or not _respects(op.overflow, _signed(a, before), a, after):
        return None
    return _filled(op.to, a)


def _same_type(op: Operation) -> Folded:
    """A change of shape or type that changes nothing; or that of a filled constant, which stays filled."""
    source, result = op.operands[0], op.results[0]
    if source.type == result.type:
        return (source,)
    attr = literal(source)
    if attr is not None and attr.is_splat:
        if _width(result) == 1:  # the one bit of a single element is no fill of several
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
    cond = _bits(op.cond)
    return None if cond is None else (op.val_if_true if cond else op.val_if_false,)


def _offset(op: Operation) -> Folded:
    assert isinstance(op, OffsetOp)
    return (op.ptr,) if _bits(op.offset) == 0 else None


def _for(op: Operation) -> Folded:
    """A loop that is known not to run yields its initial values."""
    assert isinstance(op, ForOp)
    lower, upper, width = _bits(op.lowerBound), _bits(op.upperBound), _width(op.lowerBound)
    if lower is None or upper is None:
        return None
    if op.unsignedCmp is None:
        lower, upper = _signed(lower, width), _signed(upper, width)
    return tuple(op.initValues) if lower >= upper else None


_RULES: Final[dict[type[Operation], Rule]] = {
    AddIOp: _add,
    SubIOp: _sub,
    MulIOp: _mul,
    AndIOp: _and,
    OrIOp: _or,
    XOrIOp: _xor,
    ShlIOp: _shl,
    ShrIOp: _shr,
    DivIOp: _div,
    RemIOp: _rem,
    MaxIOp: _max,
    MinIOp: _min,
    MulhiIOp: _mulhi,
    NegIOp: _neg,
    AbsIOp: _abs,
    CmpIOp: _cmp,
    ExtIOp: _ext,
    TruncIOp: _trunc,
    ReshapeOp: _same_type,
    BroadcastOp: _same_type,
    PermuteOp: _permute,
    BitcastOp: _bitcast,
    SelectOp: _select,
    OffsetOp: _offset,
    ForOp: _for,
}


def fold(op: Operation) -> Folded:
    """What stands for each result of an operation, a value or a literal; None where nothing does."""
    rule = _RULES.get(type(op))
    return None if rule is None else rule(op)
