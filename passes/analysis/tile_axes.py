"""What the axes of tiles stand for: places of tensors, or what counts a tile's own elements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from xdsl.ir import SSAValue

from freehold.dialects.cuda_tile.types import TileType


class Along(NamedTuple):
    """What the elements along an axis of a tile stand for."""

    kind: str
    """`point`: the places that the tile block's point has along axis `number` of the launch. `loop`: those that a loop
    comes by, on walk `number`; 0 of several, or of several turns. `place`: tile `number` of the axis, for all points
    alike. `count`: no places, but what counts the tile's own elements."""
    number: int = 0
    covers: bool = True
    """Of a place: whether it is all of the axis."""


Factor = tuple[int, Along | None]
"""A number of elements, and what they stand for; None: for nothing, they are all alike or reckoned by themselves."""
Axis = tuple[Factor, ...]
"""An axis of a tile; one that was made of several has a factor for each, the slowest first."""

LOOP: Final = Along("loop")
HERE: Final = Along("place")
COUNT: Final = Along("count")


def dims_of(value: SSAValue) -> tuple[int, ...]:
    """The extents of a tile; none of a scalar, or of what is no tile."""
    return value.type.dims if isinstance(value.type, TileType) else ()


def plain(dims: Sequence[int]) -> tuple[Axis, ...]:
    """Axes along which all elements are alike."""
    return tuple(((size, None),) for size in dims)


def all_along(along: Along, dims: Sequence[int]) -> tuple[Axis, ...]:
    """Axes that stand for one thing, where they are longer than one element."""
    return tuple(((size, along if size > 1 else None),) for size in dims)


def counting(axis: Axis) -> bool:
    """Whether an axis is of nothing that a tensor has: of one number, or of what counts the tile's elements."""
    return all(along is None or along == COUNT for _, along in axis)


def points_of(axes: Iterable[Axis], sizes: Mapping[int, int] | None = None) -> set[int]:
    """The axes of the launch that those of a tile stand for, where they are of these sizes."""
    return {
        along.number
        for axis in axes
        for size, along in axis
        if along is not None and along.kind == "point" and (sizes is None or sizes.get(along.number) == size)
    }
