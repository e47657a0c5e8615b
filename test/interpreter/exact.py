"""A slow reference for rounding: every finite value of a format in a sorted list, or its neighbours by search."""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from functools import cache
from math import inf, isnan, nan

import numpy as np
from evaluate import values

from freehold.runtime.interpreter.elements import by_name

_SCALE = 1 << 150
"""All finite values of formats of at most 16 bits are multiples of one over this."""
SMALL = ("f16", "bf16", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN", "fnv8E5M3FNU")


@cache
def finite(element: str) -> list[Fraction]:
    """All finite values of a format of at most 16 bits, zero once."""
    e = by_name(element)
    codes = np.arange(1 << e.bits, dtype=np.uint16 if e.bits == 16 else np.uint8)
    found = values(element, codes if element == "fnv8E5M3FNU" else codes.view(e.dtype))
    return list(map(Fraction, sorted({float(v) for v in found if np.isfinite(v)})))


@cache
def _scaled(element: str) -> list[int]:
    """The same, so many times as large that all are integers, which compare faster."""
    scaled = [value * _SCALE for value in finite(element)]
    assert all(value.denominator == 1 for value in scaled)
    return list(map(int, scaled))


def neighbours(value: Fraction, element: str) -> tuple[float, float, float, float]:
    """The largest value not above and the smallest not below; beyond the ends, infinities. And both ends."""
    if element in SMALL:
        known = finite(element)
        low = bisect_right(_scaled(element), value * _SCALE // 1)  # the number of values that are not above
        below = float(known[low - 1]) if low else -inf
        above = below if low and known[low - 1] == value else float(known[low]) if low < len(known) else inf
        return below, above, float(known[0]), float(known[-1])
    if element == "tf32":  # f32 without its low 13 bits
        step = Fraction(2) ** 13
        exponent = max(_exponent(value), -126) if value else -126
        quantum = Fraction(2) ** (exponent - 23) * step
        largest = Fraction(2) ** 127 * (2 - Fraction(1, 1024))
        down = value // quantum * quantum
        up = -(-value // quantum) * quantum
        below = float(down) if abs(down) <= largest else -inf if down < 0 else float(largest)
        above = float(up) if abs(up) <= largest else inf if up > 0 else -float(largest)
        return below, above, -float(largest), float(largest)
    dtype = np.float32 if element == "f32" else np.float64
    top = float(np.finfo(dtype).max)
    if abs(value) > Fraction(top):
        return (top, inf, -top, top) if value > 0 else (-inf, -top, -top, top)
    with np.errstate(all="ignore"):
        near = dtype(float(value))
    near = dtype(np.sign(near) * top) if np.isinf(near) else near
    if Fraction(float(near)) == value:
        return float(near), float(near), -top, top
    if Fraction(float(near)) < value:
        return float(near), float(np.nextafter(near, dtype(inf))), -top, top
    return float(np.nextafter(near, dtype(-inf))), float(near), -top, top


def _exponent(value: Fraction) -> int:
    exponent = abs(value).numerator.bit_length() - abs(value).denominator.bit_length()
    return exponent - 1 if Fraction(2) ** exponent > abs(value) else exponent


def rounded(value: Fraction, element: str, mode: str) -> float:
    """`value` in a format, by the definition of the mode. Formats without infinities saturate."""
    below, above, lowest, highest = neighbours(value, element)
    saturates = element not in ("f16", "bf16", "f32", "f64", "tf32")
    if below == above:
        return below
    if mode == "zero":
        chosen = below if value > 0 else above
    elif mode == "negative_inf":
        chosen = below
    elif mode == "positive_inf":
        chosen = above
    else:
        chosen = _nearest(value, below, above, lowest, highest, mode, element)
    if saturates:
        return min(max(chosen, lowest), highest)
    return chosen


def _nearest(
    value: Fraction, below: float, above: float, lowest: float, highest: float, mode: str, element: str
) -> float:
    # Beyond the ends the next value counts as what it would be with one more exponent.
    def position(x: float) -> Fraction:
        if x == inf:
            return 2 * Fraction(highest) - Fraction(
                neighbours(Fraction(highest) * (1 - Fraction(1, 1 << 60)), element)[0]
            )
        if x == -inf:
            return -position(inf)
        return Fraction(x)

    del lowest
    if above == inf and value > position(inf):
        return inf
    if below == -inf and value < position(-inf):
        return -inf
    down, up = value - position(below), position(above) - value
    if down != up:
        return below if down < up else above
    if mode == "nearest_away":
        return above if value > 0 else below
    # The even one has an even number of quanta; of two neighbours exactly one does.
    quantum = position(above) - position(below)
    return below if (position(below) / quantum) % 2 == 0 else above


def special(name: str, *args: float) -> float | None:
    """The result where an operand is no finite number, or the result is none; otherwise None."""
    with np.errstate(all="ignore"):
        x = [np.float64(a) for a in args]
        plain = {
            "add": lambda: x[0] + x[1],
            "sub": lambda: x[0] - x[1],
            "mul": lambda: x[0] * x[1],
            "div": lambda: x[0] / x[1],
            "sqrt": lambda: np.sqrt(x[0]),
            "fma": lambda: x[0] * x[1] + x[2],
        }[name]()
    if all(np.isfinite(a) for a in x) and not (name == "div" and x[1] == 0) and not (name == "sqrt" and x[0] < 0):
        return None
    if name == "fma" and np.isfinite(x[0]) and np.isfinite(x[1]):
        plain = x[2]  # the product is finite before it is rounded
    return nan if isnan(plain) else float(plain)
