"""
A second definition of integer operations, written down without the first: what `support.integers` says, and all that
derives from it, is compared with this. It works on bits and on fractions, and reads operations by themselves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from xdsl.ir import Operation

from freehold.dialects.cuda_tile.attrs import SIGNED, UNSIGNED, IntegerOverflowAttr, RoundingModeAttr
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
from freehold.dialects.cuda_tile.ops.conversion import ExtIOp, TruncIOp
from freehold.dialects.cuda_tile.ops.shape import SelectOp
from freehold.support.integers import RELATIONS

WIDTHS: Final = (1, 8, 16, 32, 64)
_ROUND: Final = {"zero": math.trunc, "negative_inf": math.floor, "positive_inf": math.ceil}
_COMPARE: Final = {
    "equal": (0,),
    "not_equal": (-1, 1),
    "less_than": (-1,),
    "less_than_or_equal": (-1, 0),
    "greater_than": (1,),
    "greater_than_or_equal": (0, 1),
}


class Undefined(Exception):
    """An operation has no result."""


def bits_of(number: int, width: int) -> list[int]:
    """The bits of a register, the lowest first."""
    return [number >> n & 1 for n in range(width)]


def as_signed(bits: Sequence[int]) -> int:
    """What bits are in two's complement."""
    return sum(bit << n for n, bit in enumerate(bits[:-1])) - (bits[-1] << len(bits) - 1)


def as_unsigned(bits: Sequence[int]) -> int:
    """What bits are without a sign."""
    return sum(bit << n for n, bit in enumerate(bits))


def content(bits: Sequence[int]) -> int:
    """How analyses write down what a register holds: signed, and a truth value as 0 or 1."""
    return bits[0] if len(bits) == 1 else as_signed(bits)


def width(value: Any) -> int:
    """The width of the integers of a tile."""
    return value.type.element_type.width.data


def _word(op: Any, name: str) -> str:
    attribute = op.properties.get(name)
    return "" if attribute is None else attribute.data.value


def _keeps(promise: str, signed: int, unsigned: int, bits: int) -> bool:
    low = promise in ("no_signed_wrap", "no_wrap") and not -(2 ** (bits - 1)) <= signed < 2 ** (bits - 1)
    high = promise in ("no_unsigned_wrap", "no_wrap") and not 0 <= unsigned < 2**bits
    return not low and not high


def evaluate(op: Operation, contents: Sequence[int]) -> int:
    """What an operation makes of registers' contents. Raises `Undefined`."""
    operands: Any = [bits_of(c, width(v)) for c, v in zip(contents, op.operands, strict=True)]
    wide = width(op.results[0])
    if isinstance(op, SelectOp):
        return contents[1] if contents[0] else contents[2]
    signs, signless = [as_signed(b) for b in operands], [as_unsigned(b) for b in operands]
    read = signs if _word(op, "signedness") == "signed" else signless
    promise = _word(op, "overflow")
    if isinstance(op, AndIOp | OrIOp | XOrIOp):
        how: Any = {AndIOp: (0, 0, 1), OrIOp: (0, 1, 1), XOrIOp: (0, 1, 0)}[type(op)]
        return content([how[a + b] for a, b in zip(*operands, strict=True)])
    if isinstance(op, ExtIOp):
        return content(
            operands[0] + [operands[0][-1] * (_word(op, "signedness") == "signed")] * (wide - len(operands[0]))
        )
    if isinstance(op, TruncIOp):
        kept = operands[0][:wide]
        if not _keeps(promise, signs[0], signless[0], wide):
            raise Undefined
        return content(kept)
    if isinstance(op, CmpIOp):
        return int((read[0] > read[1]) - (read[0] < read[1]) in _COMPARE[_word(op, "comparison_predicate")])
    if isinstance(op, ShlIOp | ShrIOp):
        return _shifted(op, operands, signs, signless, promise)
    exact = _arithmetic(op, read, signs, signless, wide)
    if promise and not _keeps(promise, *_both(op, signs, signless), wide):
        raise Undefined
    return content(bits_of(exact, wide))


def _shifted(op: Operation, operands: Any, signs: Sequence[int], signless: Sequence[int], promise: str) -> int:
    bits, amount = operands[0], signless[1]
    if amount >= len(bits):
        raise Undefined
    if isinstance(op, ShlIOp):
        if not _keeps(promise, signs[0] * 2**amount, signless[0] * 2**amount, len(bits)):
            raise Undefined
        return content([0] * amount + bits[: len(bits) - amount])
    return content(bits[amount:] + [bits[-1] * (_word(op, "signedness") == "signed")] * amount)


def _both(op: Operation, signs: Sequence[int], signless: Sequence[int]) -> tuple[int, int]:
    """The exact result of signed and of unsigned numbers; unsigned negation is not promised anything."""
    if isinstance(op, NegIOp):
        return -signs[0], 0
    functions: Any = {AddIOp: int.__add__, SubIOp: int.__sub__, MulIOp: int.__mul__}
    function = functions[type(op)]
    return function(*signs), function(*signless)


def _arithmetic(op: Operation, read: Sequence[int], signs: Sequence[int], signless: Sequence[int], wide: int) -> int:
    match op:
        case AddIOp():
            return signless[0] + signless[1]
        case SubIOp():
            return signless[0] - signless[1]
        case MulIOp():
            return signless[0] * signless[1]
        case MulhiIOp():
            return math.floor(Fraction(signless[0] * signless[1], 2**wide))
        case NegIOp():
            return 2**wide - signless[0]
        case AbsIOp():
            return max(signs[0], -signs[0])
        case MinIOp():
            return sorted(read)[0]
        case MaxIOp():
            return sorted(read)[1]
        case DivIOp() | RemIOp():
            a, b = read
            if b == 0 or (read is signs and Fraction(a, b) >= 2 ** (wide - 1)):
                raise Undefined
            if isinstance(op, DivIOp):
                return _ROUND[_word(op, "rounding") or "zero"](Fraction(a, b))
            return a - b * math.trunc(Fraction(a, b))
        case _:
            raise NotImplementedError(op.name)


def every_operation(r: Any, a: Any, b: Any, wider: Any, narrower: Any) -> list[Operation]:
    """One operation of each kind on two values of a width, with signs, roundings and promises at random."""
    sign = r.choice((SIGNED, UNSIGNED))
    rounding = RoundingModeAttr.of(r.choice(list(_ROUND) if sign is SIGNED else ["zero", "positive_inf"]))
    promise = IntegerOverflowAttr.of(r.choice(("none", "none", "no_signed_wrap", "no_unsigned_wrap", "no_wrap")))
    negation = promise if promise.data.value != "no_unsigned_wrap" else IntegerOverflowAttr.of("none")
    found: list[Operation] = [kind(a, b, promise) for kind in (AddIOp, SubIOp, MulIOp, ShlIOp)]
    found += [kind(a, b) for kind in (AndIOp, OrIOp, XOrIOp, MulhiIOp)]
    found += [kind(a, b, sign) for kind in (MinIOp, MaxIOp, RemIOp, ShrIOp)]
    found += [DivIOp(a, b, sign, rounding), CmpIOp(r.choice(list(RELATIONS)), a, b, sign)]
    found += [AbsIOp(a), NegIOp(a, negation)]
    found += [] if wider is None else [ExtIOp(a, wider, sign)]
    return found + ([] if narrower is None else [TruncIOp(a, narrower, promise)])
