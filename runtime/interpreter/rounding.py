"""Rounding: values of double precision to any format, and the sums, products, quotients, roots of any rounding mode.

Every operation is rounded once. For formats of at most 24 bits it is computed in double precision with its inexactness
folded into the last bit (rounding to odd), after which a second rounding to the format cannot go wrong. For `f64` the
nearest result comes from NumPy, the others from exact fractions.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any, Final

import numpy as np

from freehold.runtime.interpreter.elements import (
    Array,
    Element,
    Format,
    Tile,
    choose,
    from_exact,
    is_builtin,
    to_f32,
    to_f64,
)

_TO_INTEGER: Final[dict[str, Callable[[Array], Array]]] = {
    "nearest_even": np.rint,
    "zero": np.trunc,
    "negative_inf": np.floor,
    "positive_inf": np.ceil,
    "nearest_away": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
}


def round_to(values: Array, form: Format, mode: str = "nearest_even") -> Array:
    """The values (`float64`) rounded to a format of at most 24 bits, as `float64`.

    Rounding modes are those of the dialect; `approx` and `full` round to nearest. NaN stays NaN, or becomes the largest
    value where the format has none.
    """
    x = np.asarray(values, np.float64)
    to_integer = _TO_INTEGER.get(mode, np.rint)
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(x)
        quantum = np.maximum(exponent - 1, form.min_exponent) - (form.precision - 1)
        # Scaling by powers of two is exact unless it overflows, and only infinities are that large.
        result = np.ldexp(to_integer(np.ldexp(x, -quantum)), quantum)
        over = np.abs(result) > form.largest
        if over.any():
            limit = np.inf if form.has_inf else form.largest
            away = np.full(x.shape, limit)
            if form.has_inf:  # towards zero, a finite value never becomes infinite
                shrinks = {
                    "zero": np.isfinite(x),
                    "negative_inf": np.isfinite(x) & ~np.signbit(x),
                    "positive_inf": np.isfinite(x) & np.signbit(x),
                }.get(mode)
                if shrinks is not None:
                    away = np.where(shrinks, form.largest, away)
            result = np.where(over, np.copysign(away, x), result)
        if not form.signed:
            smallest = 2.0 ** (form.min_exponent - form.precision + 1)
            result = np.where((x < 0) | np.isnan(x), np.nan, result)
            if form.precision == 1:  # no zero
                result = np.maximum(result, smallest)
        if form.largest == 6.0:  # f4E2M1FN has no NaN
            result = np.where(np.isnan(result), 6.0, result)
    return result


def convert(tile: Tile, source: Element, target: Element, mode: str) -> Tile:
    """A float tile as another float type, rounded once."""
    assert target.format is not None
    if target.name == "f64":
        return to_f64(tile, source)
    if mode == "nearest_even":
        if target.name == "f32":
            return to_f64(tile, source).astype(np.float32) if source.name == "f64" else to_f32(tile, source)
        if target.name == "f16" or (target.name == "bf16" and source.name != "f64"):
            exact = tile if source.name == "f64" else to_f32(tile, source)
            return np.asarray(exact).astype(target.dtype)
    return from_exact(round_to(to_f64(tile, source), target.format, mode), target)


def _to_odd(value: Array, error: Array) -> Array:
    """`value + error` rounded to odd, where `value` is that sum rounded to nearest."""
    bits = value.view(np.int64)
    inexact = (error != 0) & np.isfinite(value) & np.isfinite(error)
    # An odd last bit already says "inexact". An even one moves one step towards the exact sum, which makes it odd.
    step = np.where((error > 0) == (value > 0), 1, -1)
    moved = np.where(inexact & (bits & 1 == 0), bits + step, bits)
    return moved.view(np.float64)


def add_to_odd(a: Array, b: Array) -> Array:
    """`a + b` in double precision, rounded to odd."""
    total = np.asarray(a + b)
    shadow = total - a
    return _to_odd(total, np.asarray((a - (total - shadow)) + (b - shadow)))


def _narrow(exact: Array, element: Element, mode: str) -> Tile:
    assert element.format is not None
    if mode == "nearest_even" and element.name in ("f16", "f32"):
        return exact.astype(element.dtype)
    return round_to(exact, element.format, mode).astype(element.dtype)


def rounded(name: str, element: Element, mode: str) -> Callable[..., Tile]:
    """`add`, `sub`, `mul`, `div`, `sqrt` or `fma` on tiles of an IEEE element (f16, bf16, f32, f64), in a mode."""
    if mode in ("approx", "full"):
        mode = "nearest_even"
    if mode == "nearest_even" and name != "fma":
        return _NEAREST[name]
    if element.name == "f64":
        return _f64_fma if mode == "nearest_even" else _by_fractions(name, mode)
    wide = _WIDE[name]

    def narrow(*operands: Tile) -> Tile:
        doubles = [np.asarray(x).astype(np.float64) for x in operands]
        return _zero_signs(name, mode, doubles, _narrow(np.asarray(wide(*doubles)), element, mode))

    return narrow


def _divide(a: Tile, b: Tile) -> Tile:
    return a / b


def _sqrt(a: Tile) -> Tile:
    return np.sqrt(a) if is_builtin(a.dtype) or a.dtype == np.float16 else np.sqrt(a.astype(np.float32)).astype(a.dtype)


# NumPy rounds these once: for f16 and bf16 it computes in f32, which has more than twice their bits and two more, so
# that rounding twice is the same as rounding once.
_NEAREST: Final[dict[str, Callable[..., Tile]]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": _divide,
    "sqrt": _sqrt,
}


def _subtract_to_odd(a: Array, b: Array) -> Array:
    return add_to_odd(a, -b)


def _fuse_to_odd(a: Array, b: Array, c: Array) -> Array:
    return add_to_odd(np.asarray(a * b), c)


# Products are exact in double precision. A quotient or root of 24-bit numbers that is no 24-bit number is further from
# all of them than half a unit of double precision, so rounding it twice never crosses one; only sums can.
_WIDE: Final[dict[str, Callable[..., Array]]] = {
    "add": add_to_odd,
    "sub": _subtract_to_odd,
    "mul": np.multiply,
    "div": np.divide,
    "sqrt": np.sqrt,
    "fma": _fuse_to_odd,
}


def _zero_signs(name: str, mode: str, operands: list[Array], result: Tile) -> Tile:
    """A sum that is exactly zero is -0 when rounding down, unless both terms are +0."""
    if mode != "negative_inf" or name not in ("add", "sub", "fma"):
        return result
    if name == "fma":
        first, second = operands[0] * operands[1], operands[2]
    else:
        first, second = operands[0], operands[1] if name == "add" else -operands[1]
    both_positive = (first == 0) & ~np.signbit(first) & ~np.signbit(second)
    cancels = (first == -second) & np.isfinite(first)  # the sum of two infinities is no zero
    return choose(cancels & ~both_positive, -np.zeros_like(result), result)


_SPLIT: Final = 134217729.0


def _two_product(a: Array, b: Array) -> tuple[Array, Array]:
    product = a * b
    t = _SPLIT * a
    a_high = t - (t - a)
    t = _SPLIT * b
    b_high = t - (t - b)
    a_low, b_low = a - a_high, b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    total = a + b
    shadow = total - a
    return total, (a - (total - shadow)) + (b - shadow)


def _f64_fma(a: Tile, b: Tile, c: Tile) -> Tile:
    """`a * b + c` in double precision, rounded once: the product and two sums as pairs, the last sum through odd."""
    a, b, c = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (a, b, c)))
    high, low = _two_product(a, b)
    t_high, t_low = _two_sum(c, low)
    v_high, v_low = _two_sum(high, t_high)
    result = np.asarray(v_high + add_to_odd(np.asarray(t_low), np.asarray(v_low)))
    # Far from the ends of the range all of that is exact. Elsewhere, fractions.
    with np.errstate(all="ignore"):
        sizes = np.abs(np.stack([a, b, c, a * b, result]))
    extreme = ((sizes > 2.0**490) | ((sizes < 2.0**-400) & (sizes != 0)) | ~np.isfinite(sizes)).any(axis=0)
    # A sum that is zero has an exact product, so that one rounding is all there is; it also knows the zero's sign.
    result = np.where(result == 0, a * b + c, result)
    if extreme.any():
        exact = _by_fractions("fma", "nearest_even")
        result = np.where(extreme, exact(a, b, c), result)
    return result


def _fraction_op(name: str, args: tuple[float, ...]) -> Fraction | None:
    """The exact result, or None for a root, which has none."""
    f = [Fraction(x) for x in args]
    match name:
        case "add":
            return f[0] + f[1]
        case "sub":
            return f[0] - f[1]
        case "mul":
            return f[0] * f[1]
        case "div":
            return f[0] / f[1]
        case "fma":
            return f[0] * f[1] + f[2]
        case _:
            return None


def round_fraction(value: Fraction, mode: str) -> float:
    """A non-zero fraction rounded to double precision."""
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    quantum = max(exponent, -1022) - 52
    scaled = magnitude / Fraction(2) ** quantum
    whole, rest = divmod(scaled.numerator, scaled.denominator)
    negative = value < 0
    twice = 2 * rest - scaled.denominator
    up = {
        "zero": False,
        "negative_inf": negative and rest != 0,
        "positive_inf": not negative and rest != 0,
    }.get(mode, twice > 0 or (twice == 0 and whole & 1 == 1))
    whole += up
    if whole.bit_length() + quantum > 1024:
        inward = mode == "zero" or ((mode == "negative_inf") != negative and mode.endswith("_inf"))
        result = float(np.finfo(np.float64).max) if inward else float("inf")
    else:
        result = float(np.ldexp(float(whole), quantum))
    return -result if negative else result


def _root(value: float, mode: str) -> float:
    """The square root of a positive finite number in double precision."""
    fraction = Fraction(value)
    # An even power of four makes the root an integer of more than 60 bits, with a remainder that says "inexact".
    shift = max(0, 130 - fraction.numerator.bit_length() + fraction.denominator.bit_length())
    shift += shift & 1
    scaled = (fraction.numerator << shift) // fraction.denominator
    root = isqrt(scaled)
    inexact = root * root != scaled or (fraction.numerator << shift) % fraction.denominator != 0
    return round_fraction(Fraction(2 * root + inexact, 2) / Fraction(2) ** (shift // 2), mode)


def _by_fractions(name: str, mode: str) -> Callable[..., Array]:
    """The operation on `f64`, element by element through exact fractions."""
    nearest = _WIDE_NEAREST[name]

    def one(*args: Any) -> float:
        plain = float(nearest(*args))
        if name == "fma" and np.isfinite(args[0]) and np.isfinite(args[1]) and not np.isfinite(args[2]):
            return float(args[2])  # the product is finite before it is rounded, however large
        if not all(np.isfinite(x) for x in args) or (name == "div" and args[1] == 0):
            return plain
        if name == "sqrt":
            return plain if args[0] <= 0 else _root(args[0], mode)
        exact = _fraction_op(name, args)
        assert exact is not None
        if exact == 0:
            if mode == "negative_inf" and name in ("add", "sub", "fma"):
                *first, last = args
                terms = np.prod(first), -last if name == "sub" else last
                return 0.0 if all(t == 0 and not np.signbit(t) for t in terms) else -0.0
            return plain  # exact: what cancels is representable
        return round_fraction(exact, mode)

    each = np.frompyfunc(one, 3 if name == "fma" else 1 if name == "sqrt" else 2, 1)

    def apply(*operands: Tile) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(each(*(np.asarray(x, np.float64) for x in operands))).astype(np.float64)

    return apply


def _multiply_add(a: float, b: float, c: float) -> Any:
    return np.add(np.multiply(a, b), c)


_WIDE_NEAREST: Final[dict[str, Callable[..., Any]]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "sqrt": np.sqrt,
    "fma": _multiply_add,
}


def flush(tile: Tile) -> Tile:
    """A `float32` tile with subnormal numbers replaced by zeros of their sign."""
    return choose(np.abs(tile) < np.float32(2.0**-126), np.copysign(np.float32(0), tile), tile)
