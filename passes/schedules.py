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


def point(order: OrderAttr, number: Term, grid: Sequence[Term], *, narrow: bool = False) -> tuple[Term, ...]:
    """The coordinates of point `number` (from 0 to `count(grid) - 1`) of the index space `grid` under `order`.

    Every divisor in the result is positive wherever every extent of `grid` is and `number` is in range. With `narrow`
    the coordinates are the same, but no intermediate value exceeds the number of points either: a band is not taken to
    be higher than the grid. What multiplies numbers of 32 bits needs this where groups are large.
    """
    match order.order:
        case OrderKind.ROW:
            return _mixed_radix(number, grid)
        case OrderKind.COLUMN:
            return _mixed_radix(number, grid[::-1])[::-1]
        case OrderKind.GROUPED:
            size = terms.const(order.size.data)
            return _grouped(terms.minimum(grid[-2], size) if narrow else size, number, grid)


def _mixed_radix(number: Term, grid: Sequence[Term]) -> tuple[Term, ...]:
    """Digits of `number` with the last one fastest; the first needs no reduction, `number` being in range."""
    digits: list[Term] = []
    for extent in grid[:0:-1]:
        digits.append(number % extent)
        number = number // extent
    return (number, *digits[::-1])[: len(grid)]


def _grouped(size: Term, number: Term, grid: Sequence[Term]) -> tuple[Term, ...]:
    rows, columns = grid[-2:]
    *outer, inner = _mixed_radix(number, (*grid[:-2], rows * columns))
    band = inner // (columns * size)
    first = band * size
    height = terms.minimum(rows - first, size)
    within = inner % (columns * size)
    return (*outer, first + within % height, within // height)
