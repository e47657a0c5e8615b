"""What integer operations compute, as terms: exact where it is shown that nothing wraps, and nothing at all otherwise.

Tile IR's integers have a width and wrap around. A term is a mathematical integer. So an operation has a term only where
its result, and that of every operation it is made from, is shown to be in range; a quotient only where its divisor is
shown to be positive and where its rounding is that of the term. Promises that the IR itself makes (`no_signed_wrap`)
count for nothing here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from xdsl.ir import Attribute, Operation, SSAValue

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
from freehold.dialects.cuda_tile.ops.shape import BroadcastOp, ConstantOp, ReshapeOp
from freehold.dialects.cuda_tile.types import TileType, is_int
from freehold.dialects.ownership import DimOp, TilesOp, tensor_type
from freehold.support import terms
from freehold.support.terms import Term

_ZERO: Final = terms.const(0)
_ONE: Final = terms.const(1)


class Known(Protocol):
    """What is known where an operation stands."""

    def term(self, value: SSAValue) -> Term:
        """The term of an integer scalar."""
        ...

    def shown(self, predicate: Term, wanted: SSAValue) -> bool:
        """Whether a predicate follows from what is known; `wanted` is the value for which it is asked."""
        ...

    def fits(self, t: Term, value: SSAValue) -> bool:
        """Whether a term is in the range of a value's type."""
        ...


def width_of(type_: Attribute) -> int | None:
    """The width of an integer scalar; None for every other type."""
    if isinstance(type_, TileType) and not type_.dims and is_int(type_.element_type):
        return type_.element_type.width.data
    return None


def type_range(width: int) -> tuple[int, int]:
    """The least and greatest integer of a width, read as signed; 0 and 1 for a truth value."""
    return (0, 1) if width == 1 else (-(1 << (width - 1)), (1 << (width - 1)) - 1)


def term_of(op: Operation, known: Known) -> Term | None:
    """The term of an operation's only result, or None where it has none that is shown to be exact."""
    rule = _RULES.get(type(op))
    return None if rule is None else rule(op, known)


def truth(t: Term) -> Term:
    """A truth value's term as a predicate."""
    return t.eq(1) if t.op == "sym" else t


def _checked(t: Term, op: Operation, known: Known) -> Term | None:
    return t if known.fits(t, op.results[0]) else None


def _constant(op: ConstantOp, known: Known) -> Term | None:
    return terms.const(int(op.value.splat_value)) if op.value.is_splat else None


def _dim(op: DimOp, known: Known) -> Term | None:
    return tensor_type(op.source).extent(op.axis.data)


def _tiles(op: TilesOp, known: Known) -> Term | None:
    return terms.ceildiv(tensor_type(op.source).extent(op.axis.data), terms.const(op.size.data))


def _add(op: AddIOp, known: Known) -> Term | None:
    return _checked(known.term(op.lhs) + known.term(op.rhs), op, known)


def _sub(op: SubIOp, known: Known) -> Term | None:
    a, b = known.term(op.lhs), known.term(op.rhs)
    if b.op == "*":
        for quotient, divisor in (b.args, b.args[::-1]):
            if quotient.op == "//" and quotient.args == (a, divisor):
                return a % divisor  # a - a // d * d; the quotient has a term, so the divisor is positive
    return _checked(a - b, op, known)


def _mul(op: MulIOp, known: Known) -> Term | None:
    return _checked(known.term(op.lhs) * known.term(op.rhs), op, known)


def _neg(op: NegIOp, known: Known) -> Term | None:
    return _checked(_ZERO - known.term(op.source), op, known)


def _abs(op: AbsIOp, known: Known) -> Term | None:
    a = known.term(op.source)
    return _checked(terms.maximum(a, _ZERO - a), op, known)


def _div(op: DivIOp, known: Known) -> Term | None:
    a, b = known.term(op.lhs), known.term(op.rhs)
    rounding, signed = op.rounding.data.value, op.signedness.data.value == "signed"
    if width_of(op.result.type) == 1 or not known.shown(_ONE.le(b), op.result):
        return None
    # Divisions rounded towards zero, and those of numbers read as unsigned, are rounded down for a >= 0 only.
    if (not signed or rounding == "zero") and not known.shown(_ZERO.le(a), op.result):
        return None
    if a == b:
        return _ONE
    return terms.ceildiv(a, b) if rounding == "positive_inf" else terms.floordiv(a, b)


def _rem(op: RemIOp, known: Known) -> Term | None:
    a, b = known.term(op.lhs), known.term(op.rhs)
    # The remainder of a truncated division has the dividend's sign, and `%` the divisor's.
    if (
        width_of(op.result.type) == 1
        or not known.shown(_ONE.le(b), op.result)
        or not known.shown(_ZERO.le(a), op.result)
    ):
        return None
    return _ZERO if a == b else a % b


def _both_readings(op: MinIOp | MaxIOp | CmpIOp, known: Known) -> bool:
    """Whether signed and unsigned reading come to the same, or the signed one is asked for."""
    if op.signedness.data.value == "signed":
        return True
    return all(known.shown(_ZERO.le(known.term(x)), op.result) for x in (op.lhs, op.rhs))


def _min(op: MinIOp, known: Known) -> Term | None:
    if width_of(op.result.type) == 1:
        return _of_truths(op, known, op.signedness.data.value != "signed")
    return terms.minimum(known.term(op.lhs), known.term(op.rhs)) if _both_readings(op, known) else None


def _max(op: MaxIOp, known: Known) -> Term | None:
    if width_of(op.result.type) == 1:
        return _of_truths(op, known, op.signedness.data.value == "signed")
    return terms.maximum(known.term(op.lhs), known.term(op.rhs)) if _both_readings(op, known) else None


def _of_truths(op: MinIOp | MaxIOp, known: Known, conjunction: bool) -> Term:
    """An extreme of truth values. To a signed reading true is -1: the smaller of two is true where either is."""
    a, b = truth(known.term(op.lhs)), truth(known.term(op.rhs))
    return terms.both(a, b) if conjunction else terms.either(a, b)


def _compare(op: CmpIOp, known: Known) -> Term | None:
    if width_of(op.lhs.type) is None:
        return None
    predicate = op.comparison_predicate.data.value
    a, b = known.term(op.lhs), known.term(op.rhs)
    if predicate == "equal":
        return a.eq(b)
    if predicate == "not_equal":
        return terms.negate(a.eq(b))
    if width_of(op.lhs.type) == 1 or not _both_readings(op, known):
        return None
    return {
        "less_than": a.lt(b),
        "less_than_or_equal": a.le(b),
        "greater_than": b.lt(a),
        "greater_than_or_equal": b.le(a),
    }.get(predicate)


def _and(op: AndIOp, known: Known) -> Term | None:
    a, b = known.term(op.lhs), known.term(op.rhs)
    return terms.both(truth(a), truth(b)) if width_of(op.result.type) == 1 else None


def _or(op: OrIOp, known: Known) -> Term | None:
    a, b = known.term(op.lhs), known.term(op.rhs)
    return terms.either(truth(a), truth(b)) if width_of(op.result.type) == 1 else None


def _xor(op: XOrIOp, known: Known) -> Term | None:
    if width_of(op.result.type) != 1:
        return None
    a, b = truth(known.term(op.lhs)), truth(known.term(op.rhs))
    if b.is_const:
        return terms.negate(a) if b.value else a
    return None


def _shift_amount(op: ShlIOp | ShrIOp, known: Known) -> int | None:
    amount, width = known.term(op.rhs), width_of(op.result.type)
    return amount.value if amount.is_const and width is not None and 0 <= amount.value < width - 1 else None


def _shl(op: ShlIOp, known: Known) -> Term | None:
    amount = _shift_amount(op, known)
    return None if amount is None else _checked(known.term(op.lhs) * (1 << amount), op, known)


def _shr(op: ShrIOp, known: Known) -> Term | None:
    amount, a = _shift_amount(op, known), known.term(op.lhs)
    if amount is None or (op.signedness.data.value != "signed" and not known.shown(_ZERO.le(a), op.result)):
        return None
    return terms.floordiv(a, terms.const(1 << amount))


def _widen(op: ExtIOp, known: Known) -> Term | None:
    width = width_of(op.from_.type)
    if width == 1 or width is None:
        return None
    a = known.term(op.from_)
    if op.signedness.data.value == "signed" or known.shown(_ZERO.le(a), op.to):
        return a
    return a % (1 << width)


def _narrow(op: TruncIOp, known: Known) -> Term | None:
    width = width_of(op.to.type)
    if width == 1 or width is None:
        return None
    a = known.term(op.from_)
    half = 1 << (width - 1)
    return _checked(a, op, known) or (a + half) % (2 * half) - half


def _same(op: ReshapeOp | BroadcastOp, known: Known) -> Term | None:
    return known.term(op.source) if width_of(op.source.type) is not None else None


_RULES: Final[dict[type[Operation], Callable[..., Term | None]]] = {
    ConstantOp: _constant,
    DimOp: _dim,
    TilesOp: _tiles,
    AddIOp: _add,
    SubIOp: _sub,
    MulIOp: _mul,
    NegIOp: _neg,
    AbsIOp: _abs,
    DivIOp: _div,
    RemIOp: _rem,
    MinIOp: _min,
    MaxIOp: _max,
    CmpIOp: _compare,
    AndIOp: _and,
    OrIOp: _or,
    XOrIOp: _xor,
    ShlIOp: _shl,
    ShrIOp: _shr,
    ExtIOp: _widen,
    TruncIOp: _narrow,
    ReshapeOp: _same,
    BroadcastOp: _same,
}
