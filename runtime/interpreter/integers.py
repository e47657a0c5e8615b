"""Integer arithmetic, bit operations and comparisons, as NumPy computes them: by the table of `support.integers`.

Everything wraps at the width of the element. Where the table leaves a result open, the choice made here is stated;
checked mode refuses it instead.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from freehold.dialects.cuda_tile.integers import meaning_of
from freehold.runtime.interpreter.access import element, keyword
from freehold.runtime.interpreter.compile import binary
from freehold.runtime.interpreter.elements import Array, Tile, as_numbers, is_scalar, unsigned
from freehold.support.integers import RELATIONS, Meaning, quotient

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from freehold.runtime.interpreter.compile import Compiler, Function, Pure


def _made(function: Callable[[Operation], Function]) -> Pure:
    """An operation as NumPy computes it in registers of 8 bits and more.

    Those on truth values are looked up in what the table of meanings makes of the bits. In checked mode, operands for
    which the operation is undefined end the run.
    """

    def make(op: Operation, c: Compiler) -> Function:
        meaning = meaning_of(op)
        assert meaning is not None
        return defined(op, _looked_up(meaning) if meaning.width == 1 else function(op), c)

    return make


def _looked_up(meaning: Meaning) -> Function:
    """An operation on truth values, by a table of all of them. What is not defined is as if there were more bits."""

    def result(bits: tuple[int, ...]) -> bool:
        try:
            return bool(meaning.exact(*meaning.numbers(bits)) & 1)
        except ZeroDivisionError:
            return False

    results = np.array([result(bits) for bits in product((0, 1), repeat=len(meaning.readings()))])

    def look_up(*bits: Tile) -> Tile:
        place = np.zeros((), np.intp)
        for bit in bits:
            place = place * 2 + bit
        return results[place]

    return look_up


def defined(op: Operation, function: Function, c: Compiler) -> Function:
    """A function that in checked mode ends the run where its meaning is not defined, or a promise is broken."""
    meaning, e = meaning_of(op), element(op.operands[0])
    if not c.checked or meaning is None or (not meaning.undefined() and meaning.promise == "none"):
        return function

    def held(*operands: Tile) -> Tile:
        numbers = [as_numbers(x, e, how) for x, how in zip(operands, meaning.readings(), strict=True)]
        for where, why in meaning.undefined():
            if np.any(where(*numbers)):
                c.undefined(op, why)
        contents = zip(*(np.ravel(x).tolist() for x in operands), strict=True) if meaning.promise != "none" else ()
        if (what := next(filter(None, map(meaning.broken, contents)), None)) is not None:
            article = "an" if what == "unsigned" else "a"
            promise = f"and `overflow<{meaning.promise}>` says that it cannot"
            c.undefined(op, f"the result wraps as {article} {what} number, {promise}")
        return function(*operands)

    return held


def _same(function: Function) -> Pure:
    """A function that wraps around, or works on bits: signs are nothing to it."""
    return _made(lambda _: function)


def _bitwise(function: Function) -> Pure:
    """A function of NumPy's that does of truth values what it does of bits."""
    return lambda _op, _c: function


def _is_signed(op: Operation) -> bool:
    return keyword(op, "signedness") == "signed"


def _either_sign(function: Function) -> Pure:
    """A function that reads its operands as signed or unsigned and returns one of them."""
    plain = binary(lambda a, b: function(unsigned(a), unsigned(b)).view(a.dtype))
    return _made(lambda op: function if _is_signed(op) else plain)


def _shift_left(a: Tile, b: Tile) -> Tile:
    """Amounts are unsigned. One of the width or more, which nothing defines, shifts everything out."""
    return np.left_shift(unsigned(a), unsigned(b)).view(a.dtype)


def _shift_right(op: Operation) -> Function:
    """As `_shift_left`; signed numbers are filled with their sign."""
    width = element(op.results[0]).bits

    def logical(a: Tile, b: Tile) -> Tile:
        return np.right_shift(unsigned(a), unsigned(b)).view(a.dtype)

    def arithmetic(a: Tile, b: Tile) -> Tile:
        amount = np.minimum(unsigned(b), unsigned(b).dtype.type(width - 1))
        return np.right_shift(a, amount.view(a.dtype))

    return arithmetic if _is_signed(op) else logical


def _high_half(op: Operation) -> Function:
    """The upper half of the unsigned product."""
    width = element(op.results[0]).bits
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


def _divide(a: Array, b: Array, rounding: str) -> Array:
    """The quotient, rounded. By zero it is 0 (undefined); the smallest number by -1 is itself (undefined)."""
    down = np.floor_divide(a, b)
    if rounding == "negative_inf":
        return down
    inexact = np.asarray(down * b != a) & (b != 0)
    if rounding == "zero" and a.dtype.kind == "i":
        inexact &= (a < 0) != (b < 0)
    elif rounding == "zero":
        return down
    return down + inexact.astype(down.dtype)


def _divide_scalars(a: Tile, b: Tile, rounding: str) -> Tile:
    """As `_divide` for NumPy scalars: coordinates are divided often, and Python's integers are quicker at it."""
    x, y = int(a), int(b)
    if y == 0:
        return a.dtype.type(0)
    found = quotient(x, y, rounding)
    return a if found > _LARGEST[a.dtype] else a.dtype.type(found)  # the smallest number by -1


_LARGEST: Final = {
    np.dtype(f"{kind}{size}"): int(np.iinfo(f"{kind}{size}").max) for kind in "iu" for size in (1, 2, 4, 8)
}


def _division(op: Operation) -> Function:
    signed, rounding = _is_signed(op), keyword(op, "rounding", "zero")

    def divided(a: Tile, b: Tile) -> Tile:
        x, y = (a, b) if signed else (unsigned(a), unsigned(b))
        return (_divide_scalars if is_scalar(a) else _divide)(x, y, rounding).view(a.dtype)

    return divided


def _compare(op: Operation) -> Function:
    compare = RELATIONS[keyword(op, "comparison_predicate")]
    return compare if _is_signed(op) else binary(lambda a, b: compare(unsigned(a), unsigned(b)))


PURE: Final[dict[str, Pure]] = {
    "cuda_tile.addi": _same(operator.add),
    "cuda_tile.subi": _same(operator.sub),
    "cuda_tile.muli": _same(operator.mul),
    "cuda_tile.negi": _same(operator.neg),
    "cuda_tile.absi": _same(np.abs),
    "cuda_tile.andi": _bitwise(binary(lambda a, b: a & b)),
    "cuda_tile.ori": _bitwise(binary(lambda a, b: a | b)),
    "cuda_tile.xori": _bitwise(binary(lambda a, b: a ^ b)),
    "cuda_tile.shli": _same(_shift_left),
    "cuda_tile.shri": _made(_shift_right),
    "cuda_tile.mulhii": _made(_high_half),
    "cuda_tile.divi": _made(_division),
    "cuda_tile.remi": _either_sign(np.fmod),  # truncating: the remainder has the dividend's sign; by zero it is 0
    "cuda_tile.maxi": _either_sign(np.maximum),
    "cuda_tile.mini": _either_sign(np.minimum),
    "cuda_tile.cmpi": _made(_compare),
}
"""The definitions, by name."""
