"""Integer arithmetic, bit operations and comparisons. Everything wraps at the width of the element.

Where the specification leaves a result open, the choice made here is stated; checked mode refuses those that are
undefined instead.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from freehold.dialects.cuda_tile.folding import RELATIONS
from freehold.runtime.interpreter.access import element, keyword
from freehold.runtime.interpreter.compile import binary
from freehold.runtime.interpreter.elements import Array, Tile, is_scalar, unsigned

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from freehold.runtime.interpreter.compile import Compiler, Function, Pure


def _bit(function: Function, signed: bool) -> Function:
    """An integer function on `i1`: computed in `i8`, where true is -1 if signed and 1 if not; the lowest bit counts."""

    def on_bits(*operands: Tile) -> Tile:
        wide = [np.asarray(x).astype(np.int8) * np.int8(-1 if signed else 1) for x in operands]
        return np.asarray(function(*wide) & 1).astype(np.bool_)

    return on_bits


def _bits(op: Operation) -> int:
    return element(op.results[0]).bits


def _exact(op: Operation, signed: bool, function: Callable[..., Any]) -> Callable[..., Array]:
    """The function over Python integers, for finding out whether a result fits."""
    width = element(op.operands[0]).bits

    def read(x: Any) -> Any:
        wide = np.asarray(x).astype(object)
        return (wide % (1 << width)) if not signed else np.where(wide == True, -1, wide) if width == 1 else wide  # noqa: E712

    def apply(*operands: Tile) -> Array:
        return np.asarray(function(*(read(x) for x in operands)))

    return apply


def _promise(op: Operation, c: Compiler, function: Function, exact: Callable[..., Any]) -> Function:
    """The function, in checked mode with its overflow flags held to."""
    overflow = keyword(op, "overflow", "none")
    if not c.checked or overflow == "none":
        return function
    width = _bits(op)
    promises: list[tuple[Callable[..., Array], int, int, str]] = []
    if overflow in ("no_signed_wrap", "no_wrap"):
        promises.append((_exact(op, True, exact), -(1 << (width - 1)), (1 << (width - 1)) - 1, "signed"))
    if overflow in ("no_unsigned_wrap", "no_wrap"):
        promises.append((_exact(op, False, exact), 0, (1 << width) - 1, "unsigned"))

    def held(*operands: Tile) -> Tile:
        for compute, low, high, what in promises:
            values = compute(*operands)
            if ((values < low) | (values > high)).any():
                c.undefined(op, f"the result wraps as a {what} number, and `overflow<{overflow}>` says that it cannot")
        return function(*operands)

    return held


def _wrapping(function: Function) -> Pure:
    def make(op: Operation, c: Compiler) -> Function:
        plain = _bit(function, signed=False) if _bits(op) == 1 else function
        return _promise(op, c, plain, function)

    return make


def _negate(a: Tile) -> Tile:
    return -a


def _itself(a: Tile) -> Tile:
    return a


def _keep_unless(a: Tile, b: Tile) -> Tile:
    return np.asarray(a & ~b)


def _shift_left(op: Operation, c: Compiler) -> Function:
    """Amounts are unsigned. One of the width or more, which nothing defines, shifts everything out."""

    def shift(a: Tile, b: Tile) -> Tile:
        return np.left_shift(unsigned(a), unsigned(b)).view(a.dtype)

    if _bits(op) == 1:
        return _shift_check(op, c, _keep_unless)
    exact = binary(lambda a, b: a * 2 ** np.minimum(b % (1 << _bits(op)), 64))
    return _promise(op, c, _shift_check(op, c, shift), exact)


def _shift_right(op: Operation, c: Compiler) -> Function:
    """As `_shift_left`; signed numbers are filled with their sign."""
    signed = keyword(op, "signedness") == "signed"

    def logical(a: Tile, b: Tile) -> Tile:
        return np.right_shift(unsigned(a), unsigned(b)).view(a.dtype)

    def arithmetic(a: Tile, b: Tile) -> Tile:
        amount = np.minimum(unsigned(b), unsigned(b).dtype.type(_bits(op) - 1))
        return np.right_shift(a, amount.view(a.dtype))

    if _bits(op) == 1:
        return _shift_check(op, c, binary(lambda a, _: a) if signed else _keep_unless)
    return _shift_check(op, c, arithmetic if signed else logical)


def _shift_check(op: Operation, c: Compiler, function: Function) -> Function:
    if not c.checked:
        return function
    width = _bits(op)

    def held(a: Tile, b: Tile) -> Tile:
        if (unsigned(b) >= width).any():
            c.undefined(op, f"a shift by {width} or more of a number of {width} bits")
        return function(a, b)

    return held


def _high_half(op: Operation, _: Compiler) -> Function:
    """The upper half of the unsigned product."""
    width = _bits(op)
    if width == 1:
        return binary(lambda a, b: np.asarray(a & ~a & b))
    if width <= 32:

        def narrow(a: Tile, b: Tile) -> Tile:
            wide = unsigned(a).astype(np.uint64) * unsigned(b).astype(np.uint64)
            return (wide >> np.uint64(width)).astype(unsigned(a).dtype).view(a.dtype)

        return narrow

    def wide(a: Tile, b: Tile) -> Tile:
        half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
        a, b = unsigned(a), unsigned(b)
        a_high, a_low, b_high, b_low = a >> half, a & low, b >> half, b & low
        middle = a_high * b_low + (a_low * b_low >> half)
        other = a_low * b_high + (middle & low)
        return (a_high * b_high + (middle >> half) + (other >> half)).view(np.int64)

    return wide


def divide(a: Array, b: Array, rounding: str) -> Array:
    """The quotient, rounded. By zero it is 0 (undefined); the smallest number by -1 is itself (undefined)."""
    quotient = np.floor_divide(a, b)
    if rounding == "negative_inf":
        return quotient
    inexact = np.asarray(quotient * b != a) & (b != 0)
    if rounding == "zero" and a.dtype.kind == "i":
        inexact &= (a < 0) != (b < 0)
    elif rounding == "zero":
        return quotient
    return quotient + inexact.astype(quotient.dtype)


def _divide_scalars(a: Tile, b: Tile, rounding: str) -> Tile:
    """As `divide` for NumPy scalars: coordinates are divided often, and Python's integers are quicker at it."""
    x, y = int(a), int(b)
    if y == 0:
        return a.dtype.type(0)
    quotient, rest = divmod(x, y)
    if rest and (rounding == "positive_inf" or (rounding == "zero" and quotient < 0)):
        quotient += 1
    if quotient > _LARGEST[a.dtype]:  # the smallest number by -1
        return a
    return a.dtype.type(quotient)


_LARGEST: Final = {
    np.dtype(f"{kind}{size}"): int(np.iinfo(f"{kind}{size}").max) for kind in "iu" for size in (1, 2, 4, 8)
}


def _division(op: Operation, c: Compiler) -> Function:
    signed = keyword(op, "signedness") == "signed"
    rounding = keyword(op, "rounding", "zero")

    def quotient(a: Tile, b: Tile) -> Tile:
        if signed:
            return (_divide_scalars if is_scalar(a) else divide)(a, b, rounding)
        x, y = unsigned(a), unsigned(b)
        return (_divide_scalars if is_scalar(a) else divide)(x, y, rounding).view(a.dtype)

    if _bits(op) == 1:
        quotient = _bit(partial(divide, rounding=rounding), signed)
    return _divisor_check(op, c, quotient, signed)


def _remainder(op: Operation, c: Compiler) -> Function:
    """Truncating: the remainder has the dividend's sign. By zero it is 0 (undefined)."""
    signed = keyword(op, "signedness") == "signed"

    def remainder(a: Tile, b: Tile) -> Tile:
        return np.fmod(a, b) if signed else np.fmod(unsigned(a), unsigned(b)).view(a.dtype)

    return _divisor_check(op, c, _bit(np.fmod, signed) if _bits(op) == 1 else remainder, signed)


def _divisor_check(op: Operation, c: Compiler, function: Function, signed: bool) -> Function:
    if not c.checked:
        return function
    width = _bits(op)
    smallest = -(1 << (width - 1))

    def held(a: Tile, b: Tile) -> Tile:
        if np.any(b == 0):
            c.undefined(op, "division by zero")
        if signed and width > 1 and np.any((b == -1) & (a == smallest)):
            c.undefined(op, f"{smallest} divided by -1 does not fit in {width} bits")
        return function(a, b)

    return held


def _signedness(signed: Function) -> Pure:
    """A function that reads its operands as signed or unsigned and returns one of them."""

    def make(op: Operation, _: Compiler) -> Function:
        is_signed = keyword(op, "signedness") == "signed"
        if _bits(op) == 1:
            return _bit(signed, is_signed)
        if is_signed:
            return signed
        return binary(lambda a, b: signed(unsigned(a), unsigned(b)).view(a.dtype))

    return make


def relation(name: str) -> Function:
    """The comparison that a predicate's keyword names."""
    return RELATIONS[name]


def _compare(op: Operation, _: Compiler) -> Function:
    compare = RELATIONS[keyword(op, "comparison_predicate")]
    signed = keyword(op, "signedness") == "signed"
    if element(op.operands[0]).bits == 1:
        # As signed numbers true is -1, below false.
        return binary(lambda a, b: compare(np.logical_not(a), np.logical_not(b))) if signed else compare
    return compare if signed else binary(lambda a, b: compare(unsigned(a), unsigned(b)))


def _logic(function: Function) -> Pure:
    def make(_op: Operation, _c: Compiler) -> Function:
        return function

    return make


def _absolute(op: Operation, _: Compiler) -> Function:
    return _itself if _bits(op) == 1 else np.abs


def _negation(op: Operation, c: Compiler) -> Function:
    plain = _itself if _bits(op) == 1 else _negate
    return _promise(op, c, plain, _negate)


PURE: Final[dict[str, Pure]] = {
    "cuda_tile.addi": _wrapping(operator.add),
    "cuda_tile.subi": _wrapping(operator.sub),
    "cuda_tile.muli": _wrapping(operator.mul),
    "cuda_tile.negi": _negation,
    "cuda_tile.absi": _absolute,
    "cuda_tile.andi": _logic(binary(lambda a, b: a & b)),
    "cuda_tile.ori": _logic(binary(lambda a, b: a | b)),
    "cuda_tile.xori": _logic(binary(lambda a, b: a ^ b)),
    "cuda_tile.shli": _shift_left,
    "cuda_tile.shri": _shift_right,
    "cuda_tile.mulhii": _high_half,
    "cuda_tile.divi": _division,
    "cuda_tile.remi": _remainder,
    "cuda_tile.maxi": _signedness(np.maximum),
    "cuda_tile.mini": _signedness(np.minimum),
    "cuda_tile.cmpi": _compare,
}
"""The definitions, by name."""
