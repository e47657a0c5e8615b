"""What the axes of tiles stand for, places of tensors or a count of their own elements, and what is asked of tiles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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


@dataclass
class TileMeaning:
    """What a kernel asks of the tiles of its launch, so that its results do not depend on them."""

    whole: set[int] = field(default_factory=set[int])
    """Axes of the launch that one tile has to cover."""
    ones: set[int] = field(default_factory=set[int])
    """Axes along which tiles have to have one element: the number of a region is a place in a tensor there."""
    counted: set[int] = field(default_factory=set[int])
    """Axes of which the number of a region, or the place where a tile begins, becomes data or decides, and those of
    which each tile adds something of its own to an accumulator: what that means depends on the tile."""
    repeated: set[int] = field(default_factory=set[int], compare=False)
    """Those of the counted ones along which each tile adds something of its own: tiles of one element do, too."""
    unclear: bool = False
    """Whether parts of tensors are combined that no tile of the launch is shown to be right for."""
    spans: set[tuple[int, int, int | None]] = field(default_factory=set[tuple[int, int, int | None]])
    """Axes of the launch, each with the length of a tile that stands for its places, and of the tensor's axis."""
    products: set[tuple[int, str]] = field(default_factory=set[tuple[int, str]])
    """Axes that are rows (`m`) or columns (`n`) of a matrix product."""

    def allows(self, tile: Sequence[int], counts: Sequence[int]) -> bool:
        """Whether tiles of these extents are right, of which so many cover each axis of the launch."""
        if self.unclear or self.counted:
            return False
        if any(axis in self.whole and (extent is None or size < extent) for axis, size, extent in self.spans):
            return False  # one tile of the launch has all of the axis, and not all of another tensor's that goes along
        return all(counts[axis] == 1 for axis in self.whole) and all(tile[axis] == 1 for axis in self.ones)


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
