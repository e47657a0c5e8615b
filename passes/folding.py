"""What an operation on known values is worth: the table behind `canonicalize`.

A rule looks at one operation and says what its result is: another value, a number, or nothing that is known. Numbers
are those of tiles filled with one value, scalars first of all. Integers are signed here, 0 or 1 for `i1`, and wrap as
the operation does. What is undefined (a division by zero, a shift by too much) is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from freehold.dialects.cuda_tile.attrs import SignednessAttr
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.ops.arith_int import (
    AbsIOp,
    AddIOp,
    AndIOp,
    CmpIOp,
    DivIOp,
    MaxIOp,
    MinIOp,
    MulIOp,
    NegIOp,
    OrIOp,
    RemIOp,
    ShlIOp,
    ShrIOp,
    SubIOp,
    XOrIOp,
)
from freehold.dialects.cuda_tile.ops.conversion import ExtIOp, TruncIOp
from freehold.dialects.cuda_tile.ops.shape import BroadcastOp, ConstantOp, PermuteOp, ReshapeOp, SelectOp
from freehold.dialects.cuda_tile.types import TileType, element_name

Folded = SSAValue | int | DenseElementsAttr | None
"""A value that is the same, the integer that fills the result, a literal, or None where nothing is known."""


def integer(value: SSAValue) -> int | None:
    """The integer that fills a tile, where it is a constant filled with one."""
    owner = value.owner
    if isinstance(owner, ConstantOp) and owner.value.is_splat:
        found = owner.value.splat_value
        return found if isinstance(found, int) else None
    return None


def fold(op: Operation) -> Folded:
    """What the first result of `op` is, where a rule knows."""
    rule = RULES.get(type(op))
    return None if rule is None else rule(op)


def width(value: SSAValue) -> int:
    """The width of a tile's integers in bits."""
    return cast(IntegerType, cast(TileType, value.type).element_type).width.data


def wrap(value: int, bits: int) -> int:
    """`value` as a signed integer of so many bits; 0 or 1 for one bit."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if bits > 1 and value >> (bits - 1) else value


def _read(value: int, bits: int, signedness: SignednessAttr) -> int:
    """A number as an operation reads it."""
    signed = signedness.data.value == "signed"
    if bits == 1:
        return -value if signed else value
    return value if signed else value & ((1 << bits) - 1)


def _ones(bits: int) -> int:
    return 1 if bits == 1 else -1


_Two = AddIOp | SubIOp | MulIOp | AndIOp | OrIOp | XOrIOp | ShlIOp | ShrIOp | DivIOp | RemIOp | MinIOp | MaxIOp


def _numbers(op: _Two | CmpIOp) -> tuple[int | None, int | None, int]:
    return integer(op.lhs), integer(op.rhs), width(op.lhs)


def _add(op: AddIOp) -> Folded:
    a, b, bits = _numbers(op)
    if a is not None and b is not None:
        return wrap(a + b, bits)
    return op.lhs if b == 0 else op.rhs if a == 0 else None


def _sub(op: SubIOp) -> Folded:
    a, b, bits = _numbers(op)
    if a is not None and b is not None:
        return wrap(a - b, bits)
    return 0 if op.lhs is op.rhs else op.lhs if b == 0 else None


def _mul(op: MulIOp) -> Folded:
    a, b, bits = _numbers(op)
    if a is not None and b is not None:
        return wrap(a * b, bits)
    if 0 in (a, b):
        return 0
    return op.lhs if b == 1 else op.rhs if a == 1 else None


def _and(op: AndIOp) -> Folded:
    a, b, bits = _numbers(op)
    if a is not None and b is not None:
        return a & b
    if 0 in (a, b):
        return 0
    return op.lhs if op.lhs is op.rhs or b == _ones(bits) else op.rhs if a == _ones(bits) else None


def _or(op: OrIOp) -> Folded:
    a, b, bits = _numbers(op)
    if a is not None and b is not None:
        return a | b
    if _ones(bits) in (a, b):
        return _ones(bits)
    return op.lhs if op.lhs is op.rhs or b == 0 else op.rhs if a == 0 else None


def _xor(op: XOrIOp) -> Folded:
    a, b, _ = _numbers(op)
    if a is not None and b is not None:
        return a ^ b
    return 0 if op.lhs is op.rhs else op.lhs if b == 0 else op.rhs if a == 0 else None


def _shl(op: ShlIOp) -> Folded:
    a, b, bits = _numbers(op)
    if b == 0:
        return op.lhs
    return wrap(a << b, bits) if a is not None and b is not None and 0 < b < bits else None


def _shr(op: ShrIOp) -> Folded:
    a, b, bits = _numbers(op)
    if b == 0:
        return op.lhs
    if a is None or b is None or not 0 < b < bits:
        return None
    return wrap(_read(a, bits, op.signedness) >> b, bits)


def _div(op: DivIOp) -> Folded:
    a, b, bits = _numbers(op)
    if b is None or b == 0:
        return None
    if b == 1 and bits > 1:
        return op.lhs
    if a is None:
        return None
    left, right = _read(a, bits, op.signedness), _read(b, bits, op.signedness)
    match op.rounding.data.value:
        case "negative_inf":
            quotient = left // right
        case "positive_inf":
            quotient = -(-left // right)
        case _:
            quotient = _truncated(left, right)
    # The one quotient that does not fit, of the least integer by -1, is undefined.
    return wrap(quotient, bits) if _read(wrap(quotient, bits), bits, op.signedness) == quotient else None


def _rem(op: RemIOp) -> Folded:
    a, b, bits = _numbers(op)
    if b is None or b == 0:
        return None
    if b == 1 and bits > 1:
        return 0
    if a is None:
        return None
    left, right = _read(a, bits, op.signedness), _read(b, bits, op.signedness)
    quotient = _truncated(left, right)
    if _read(wrap(quotient, bits), bits, op.signedness) != quotient:
        return None
    return wrap(left - quotient * right, bits)


def _truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _min(op: MinIOp) -> Folded:
    a, b, bits = _numbers(op)
    if a is not None and b is not None:
        return min(a, b, key=lambda x: _read(x, bits, op.signedness))
    return op.lhs if op.lhs is op.rhs else None


def _max(op: MaxIOp) -> Folded:
    a, b, bits = _numbers(op)
    if a is not None and b is not None:
        return max(a, b, key=lambda x: _read(x, bits, op.signedness))
    return op.lhs if op.lhs is op.rhs else None


def _neg(op: NegIOp) -> Folded:
    a = integer(op.source)
    return None if a is None else wrap(-a, width(op.source))


def _abs(op: AbsIOp) -> Folded:
    a, bits = integer(op.source), width(op.source)
    return None if a is None or bits == 1 else wrap(abs(a), bits)


_RELATION: Final[dict[str, Callable[[int, int], bool]]] = {
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
    "less_than": lambda a, b: a < b,
    "less_than_or_equal": lambda a, b: a <= b,
    "greater_than": lambda a, b: a > b,
    "greater_than_or_equal": lambda a, b: a >= b,
}


def _cmp(op: CmpIOp) -> Folded:
    a, b, bits = _numbers(op)
    relation = _RELATION[op.comparison_predicate.data.value]
    if a is not None and b is not None:
        return int(relation(_read(a, bits, op.signedness), _read(b, bits, op.signedness)))
    return int(relation(0, 0)) if op.lhs is op.rhs else None


def _select(op: SelectOp) -> Folded:
    condition = integer(op.cond)
    if condition is not None:
        return op.val_if_true if condition else op.val_if_false
    return op.val_if_true if op.val_if_true is op.val_if_false else None


def _exti(op: ExtIOp) -> Folded:
    a = integer(op.from_)
    return None if a is None else wrap(_read(a, width(op.from_), op.signedness), width(op.to))


def _trunci(op: TruncIOp) -> Folded:
    a = integer(op.from_)
    return None if a is None else wrap(a, width(op.to))


def _shape(op: ReshapeOp | BroadcastOp) -> Folded:
    return op.source if op.source.type == op.result.type else _refilled(op)


def _permute(op: PermuteOp) -> Folded:
    return op.source if op.order == tuple(range(len(op.order))) else _refilled(op)


def _refilled(op: ReshapeOp | BroadcastOp | PermuteOp) -> Folded:
    """The same fill in the result's shape. The bytes are kept, as no number would keep those of a NaN."""
    owner, type_ = op.source.owner, op.result.type
    if not isinstance(owner, ConstantOp) or not owner.value.is_splat:
        return None
    if element_name(type_.element_type) == "i1":
        return integer(op.source)
    return DenseElementsAttr(type_, owner.value.data)


RULES: Final[dict[type[Operation], Callable[..., Folded]]] = {
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
    MinIOp: _min,
    MaxIOp: _max,
    NegIOp: _neg,
    AbsIOp: _abs,
    CmpIOp: _cmp,
    SelectOp: _select,
    ExtIOp: _exti,
    TruncIOp: _trunci,
    ReshapeOp: _shape,
    BroadcastOp: _shape,
    PermuteOp: _permute,
}
"""The rule of each operation that has one."""
