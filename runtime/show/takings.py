"""Which point of a launch takes which region of an array, by carrying out a partition's map on numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Final

from freehold.frontend.schedule import PartitionSpec
from freehold.support import terms

Index = tuple[int, ...]

MOST: Final = 1 << 16
"""Points whose regions are looked at."""


@dataclass(frozen=True, slots=True)
class Takings:
    """The regions that the points of a launch take."""

    domain: Index
    """The extents of the domain."""
    numbers: dict[Index, int] = field(default_factory=dict[Index, int])
    """The number of the point that takes a region, in the order in which points are handed out."""
    twice: set[Index] = field(default_factory=set[Index])
    """Regions that several points take."""
    outside: int = 0
    """Points that would take a region which does not exist."""


def takings(spec: PartitionSpec, shape: Sequence[int]) -> Takings:
    """
    What the points of a partition of an array of this shape take.

    Raises `ValueError` where the domain has no points, or more than `MOST`, and for groups.
    """
    if spec.groups is not None:
        raise ValueError("groups are not drawn: where they begin and end is in the offsets of a launch")
    from freehold.dialects.ownership import OrderAttr, OrderKind
    from freehold.passes import schedules

    point_map = spec.point_map
    extents = [terms.const(extent) for extent in shape]
    counts = {name: term.value for name, term in spec.grid(extents).items()}
    domain = tuple(extent.evaluate(counts) for extent in point_map.domain)
    if any(extent < 1 for extent in domain) or prod(domain) > MOST:
        raise ValueError(f"a domain of {' x '.join(map(str, domain))} points is not drawn, but one of 1 to {MOST} is")
    order = OrderAttr(OrderKind(spec.order.kind), spec.order.size)
    at = schedules.point(order, terms.sym("number"), [terms.const(extent) for extent in domain])
    grid = [-(-extent // step) for extent, step in zip(shape, spec.step, strict=True)]
    owned = [*product(*(range(grid[axis]) for axis in spec.owned))]
    found = Takings(domain)
    outside = 0
    for number in range(prod(domain)):
        values = counts | {f"point[{n}]": t.evaluate({"number": number}) for n, t in enumerate(at)}
        if not point_map.where.evaluate(values):
            continue
        shared = [coordinate.evaluate(values) for coordinate in point_map.region]
        if any(not 0 <= i < grid[axis] for i, axis in zip(shared, spec.shared, strict=True)):
            outside += 1
            continue
        for rest in owned:
            along = dict(zip((*spec.shared, *spec.owned), (*shared, *rest), strict=True))
            index = tuple(along[axis] for axis in range(len(grid)))
            if index in found.numbers:
                found.twice.add(index)
            found.numbers.setdefault(index, number)
    return Takings(domain, found.numbers, found.twice, outside)
