"""The regions of a partition, as they are drawn: where each is, and its number in the order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from freehold.frontend.schedule import Order, PartitionSpec
from freehold.runtime.show.takings import Index


@dataclass(frozen=True, slots=True)
class Piece:
    """One region."""

    index: Index
    """Its coordinates."""
    number: int
    """Its place in the order."""
    block: int
    """The block whose work it is."""
    elements: tuple[tuple[int, int], ...]
    """Along each axis its first element and the one after its last, inside the array."""
    overhangs: bool
    """Whether some of its tile lies outside."""


def grid_of(shape: Sequence[int], spec: PartitionSpec) -> Index:
    """How many regions there are along each axis."""
    return tuple(-(-extent // step) for extent, step in zip(shape, spec.step, strict=True))


def numbering(order: Order, grid: Index) -> Callable[[Index], int]:
    """The number of each region in the order: the inverse of `passes.schedules.point`, and compared with it."""
    from freehold.dialects.ownership import OrderAttr, OrderKind
    from freehold.passes import schedules
    from freehold.support import terms

    point = schedules.point(
        OrderAttr(OrderKind(order.kind), order.size), terms.sym("n"), [terms.const(extent) for extent in grid]
    )

    def number(index: Index) -> int:
        n = _number(order, index, grid)
        if tuple(t.evaluate({"n": n}) for t in point) != index:
            raise AssertionError(f"region {index} of {grid} is not number {n} in order {order}")
        return n

    return number


def _number(order: Order, index: Index, grid: Index) -> int:
    match order.kind:
        case "row":
            return _positional(index, grid)
        case "column":
            return _positional(index[::-1], grid[::-1])
        case "grouped":
            (*outer, i, j), (rows, columns) = index, grid[-2:]
            first = i // order.size * order.size
            inside = first * columns + j * min(order.size, rows - first) + i - first
            return _positional(outer, grid[:-2]) * rows * columns + inside


def _positional(digits: Sequence[int], bases: Sequence[int]) -> int:
    number = 0
    for digit, base in zip(digits, bases, strict=True):
        number = number * base + digit
    return number
