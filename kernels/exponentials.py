"""
Sums of exponentials of rows in one walk, without a maximum: of what is above a row's first number.

What a maximum is for is that no power of two is out of range, for which the first number does as well unless another is
more than 60 above it. A sum that is too large, or too small, says so, and such a row is walked again from memory, with
its maximum. A number takes four instructions then: out of its word, a multiplication with addition, a power, a sum.
"""

from __future__ import annotations

from typing import Any, Final

import freehold as fh
from freehold import f32
from freehold.kernels.tiles import LOG2E, above, exponential, wide

SMALLEST: Final = 2.0**-60
LARGEST: Final = 2.0**100
"""Between which a sum is right: nothing was infinite, and what was lost is below 2**-66 of it for each number."""
FAR: Final = 256.0
"""How far from 0 a row's first number may be, for powers over one number to be as near as results are rounded."""


def power(t: Any, base: Any) -> Any:
    """e ** t over 2 ** base: one multiplication with addition, rounded as their distance is, and a power of two."""
    return fh.exp2(fh.fma(t, LOG2E, -base), flush_to_zero=True)


def powers(pair: tuple[Any, Any], base: Any) -> Any:
    """Of numbers in two halves (`numbers`): the sums of their powers along the last axis."""
    return (power(pair[0], base) + power(pair[1], base)).sum(axis=2)


def first_number(x: Any, at: tuple[Any, ...]) -> Any:
    """The number at the beginning of a tile of one row, as a tile of one; 0 where it is -inf."""
    return above(wide(x.load(at, (1,) * len(at), allow_tma=False))).reshape(1, 1)


def in_range(total: Any) -> Any:
    """Whether all of some sums are."""
    return fh.where((total > SMALLEST) & (total < LARGEST), 1, 0).min() == 1


def sums_again(x: Any, i: Any, tile: tuple[int, ...]) -> tuple[Any, Any]:
    """
    As `sums_of_exponentials`, of rows of which sums were out of range: they are walked once, from memory, where a new
    maximum scales what was summed up.
    """
    top, total = fh.full((tile[0], 1), float("-inf"), f32), fh.zeros((tile[0], 1), f32)
    for k in fh.tiles(x, axis=1, size=tile[1]):
        t = wide(x.load((i, k), tile, padding="-inf", allow_tma=False))
        higher = fh.maximum(top, t.max(axis=1, keepdims=True))
        base = above(higher)
        total = total * exponential(top - base) + exponential(t - base).sum(axis=1, keepdims=True)
        top = higher
    return above(top), total
