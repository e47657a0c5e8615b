"""Schedules as index maps: which point of an index space the n-th piece of work is.

One definition, used twice: `verify-partitions` proves that each map is a bijection between the numbers below the number
of points and the points, and `convert-ownership-to-cuda-tile` emits the same terms as arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from freehold.dialects.ownership import OrderAttr, OrderKind
from freehold.support import terms
from freehold.support.terms import Term


def count(grid: Sequence[Term]) -> Term:
    """The number of points of an index space with these extents."""
    return reduce(terms.mul, grid, terms.const(1))


def point(order: OrderAttr, number: Term, grid: Sequence[Term]) -> tuple[Term, ...]:
    """The coordinates of point `number` (from 0 to `count(grid) - 1`) of the index space `grid` under `order`.

    Every divisor in the result is positive wherever every extent of `grid` is and `number` is in range.
    """
    match order.order:
        case OrderKind.ROW:
            return _mixed_radix(number, grid)
        case OrderKind.COLUMN:
            return _mixed_radix(number, grid[::-1])[::-1]
        case OrderKind.GROUPED:
            return _grouped(order.size.data, number, grid)


def _mixed_radix(number: Term, grid: Sequence[Term]) -> tuple[Term, ...]:
    """Digits of `number` with the last one fastest; the first needs no reduction, `number` being in range."""
    digits: list[Term] = []
    for extent in grid[:0:-1]:
        digits.append(number % extent)
        number = number // extent
    return (number, *digits[::-1])[: len(grid)]


def _grouped(size: int, number: Term, grid: Sequence[Term]) -> tuple[Term, ...]:
    rows, columns = grid[-2:]
    *outer, inner = _mixed_radix(number, (*grid[:-2], rows * columns))
    band = inner // (columns * size)
    first = band * size
    height = terms.minimum(rows - first, terms.const(size))
    within = inner % (columns * size)
    return (*outer, first + within % height, within // height)
