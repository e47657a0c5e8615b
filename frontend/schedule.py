"""How the work of a launch is cut and ordered: data that the host builds and the frontend writes into the IR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, cast

from freehold.frontend.index_maps import PointMap, identity
from freehold.support import terms
from freehold.support.public import public
from freehold.support.terms import Term

if TYPE_CHECKING:
    from freehold.frontend.language.tile import i32

T = TypeVar("T")

MAX_ELEMENTS: Final = 1 << 24
"""How many elements a tile can have."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that is left open: one of some, or without any, one that Freehold finds by itself."""

    values: tuple[object, ...] = ()

    def __repr__(self) -> str:
        return f"freehold.choose({', '.join(map(repr, self.values))})"


def choose(*values: T) -> T:
    """
    One of some values, whichever makes a launch fastest: `BK: Const[int] = fh.choose(32, 64, 128)`.

    Stands for the value of a `Const` parameter, as a default or in a call, and for the tile, the order or the blocks of
    a partition, there also without any values. What is chosen depends on the kernel, on dtypes and extents, and on the
    GPU; nothing is timed (`docs/schedules.md`).
    """
    return cast(Any, Choice(values))


@dataclass(frozen=True, slots=True)
class Order:
    """In which order the regions of a partition are handed to tile blocks. Results never depend on it."""

    kind: Literal["row", "column", "grouped"]
    size: int = 1
    """Rows of a band, where `kind` is `grouped`."""

    def __str__(self) -> str:
        return f"grouped({self.size})" if self.kind == "grouped" else self.kind.upper()

    def __repr__(self) -> str:
        return f"freehold.{self}"


ROW: Final = Order("row")
"""The last axis runs fastest."""

COLUMN: Final = Order("column")
"""The first axis runs fastest."""


@public
def grouped(size: int) -> Order:
    """
    Bands of `size` rows of the last two axes, each walked column by column, so that blocks that run at the same time
    share operands in the L2 cache.

    Raises `ValueError` unless `size` is at least 1 and less than 2^31, which no tensor has rows to fill.
    """
    if not 1 <= size < 2**31:
        raise ValueError(f"a band has from 1 to {2**31 - 1} rows, not {size}")
    return Order("grouped", size)


class Blocks(Enum):
    """How many tile blocks a launch has."""

    EACH = "each"
    """One block a region."""
    PERSISTENT = "persistent"
    """As many as the GPU holds at once; each takes regions in turn."""

    def __repr__(self) -> str:
        return f"freehold.{self.name}"


EACH: Final = Blocks.EACH
PERSISTENT: Final = Blocks.PERSISTENT


@dataclass(frozen=True, init=False)
class Grid:
    """
    The points of a launch, said by themselves and not by how something is partitioned: a parameter of the kernel,
    `at: fh.Grid = fh.Grid("B * H", "splits")`, whose coordinates are `at.index`. A call may give another one.

    An extent is a number, or the text of an expression over names of dimensions, integer scalars and `Const` parameters
    with `+ - * // %`, `min`, `max` and `cdiv`. The launcher computes it, and refuses a launch in which it is less than
    1. Without any there is one point. `order` and `blocks` are what they are for `partition`.
    """

    extents: tuple[str, ...]
    order: Order
    blocks: Blocks
    count: int
    """How many persistent blocks there are; 0: as many as the GPU holds."""
    if TYPE_CHECKING:
        index: tuple[i32, ...]
        """In a kernel: the coordinates of this block's point."""

    @public
    def __init__(self, *extents: int | str, order: Order = ROW, blocks: Blocks | int = EACH):
        """Raises `ValueError` for what is no extent, order or number of blocks."""
        for extent in extents:
            whole = isinstance(extent, int) and not isinstance(extent, bool) and 1 <= extent < 2**31
            if not whole and not isinstance(extent, str):
                raise ValueError(f"an extent of a grid is a positive integer or an expression as text, not {extent!r}")
        if not isinstance(order, Order):  # pyright: ignore[reportUnnecessaryIsInstance] -- what users pass
            raise ValueError(f"an order is `freehold.ROW`, `COLUMN` or `grouped(n)`, not {order!r}")
        if order.kind == "grouped" and len(extents) < 2:
            raise ValueError("a grouped order walks bands of rows column by column: it needs two axes")
        count = blocks if isinstance(blocks, int) and not isinstance(blocks, bool) and 1 <= blocks < 2**24 else 0
        if not count and not isinstance(blocks, Blocks):
            raise ValueError(f"blocks are `freehold.EACH`, `PERSISTENT` or a number of blocks, not {blocks!r}")
        try:
            texts = tuple(str(terms.parse(str(extent))) for extent in extents)
        except ValueError as e:
            raise ValueError(f"an extent of a grid is an expression of names and integers: {e}") from None
        object.__setattr__(self, "extents", texts)
        object.__setattr__(self, "order", order)
        object.__setattr__(self, "blocks", PERSISTENT if count else blocks)
        object.__setattr__(self, "count", count)

    def __repr__(self) -> str:
        said = [text if text.isdecimal() else repr(text) for text in self.extents]
        said += [f"order={self.order!r}"] if self.order != ROW else []
        said += [f"blocks={self.count or repr(self.blocks)}"] if self.blocks is not EACH else []
        return f"freehold.Grid({', '.join(said)})"

    @property
    def rank(self) -> int:
        """How many axes it has."""
        return len(self.extents)


@dataclass(frozen=True, slots=True)
class Groups:
    """How a tensor falls into groups along an axis: each is cut into regions by itself."""

    by: str
    """The kernel's parameter that holds the offsets: group `g` has elements `by[g]` up to but not `by[g + 1]`."""
    axis: int
    most: int = 0
    """How many elements a group has at most; 0: as many as the tensor."""


@dataclass(frozen=True, slots=True)
class OpenPartition:
    """A partition of which something is left open, without its tensor."""

    tile: tuple[int, ...] | Choice = Choice()
    order: Order | Choice = Choice()
    blocks: Blocks | Choice = Choice()
    count: int = 0
    """How many persistent blocks there are; 0: as many as the GPU holds."""
    owned: tuple[int, ...] | None = None
    """The axes along which a point has all regions; None: those that the kernel has no index of."""
    partial: bool = False


@dataclass(frozen=True, slots=True)
class PartitionSpec:
    """
    A partition without its tensor: what a kernel is specialised to.

    Region `(i, j)` begins at element `(i * step[0], j * step[1])` and has `tile` elements, less what overhangs.
    """

    tile: tuple[int, ...]
    step: tuple[int, ...]
    order: Order = ROW
    blocks: Blocks = EACH
    count: int = 0
    """How many persistent blocks there are; 0: as many as the GPU holds."""
    map: PointMap | None = None
    """Which region a point takes; None: the one at its own coordinates."""
    owned: tuple[int, ...] = ()
    """The axes along which a point has all regions. They are no axes of the map's."""
    partial: bool = False
    """Whether some regions may be left as they are."""
    groups: Groups | None = None
    """How the tensor falls into groups; None: it is one. If it does, a region's first coordinate is its group's."""
    extents: tuple[int, ...] = ()
    """Extents of the tensor that are compiled in, by axis, and 0 for the others; of no axis unless there are any."""

    @property
    def shared(self) -> tuple[int, ...]:
        """The axes along which regions are shared out among the points."""
        return tuple(axis for axis in range(len(self.tile)) if axis not in self.owned)

    @property
    def point_map(self) -> PointMap:
        """The map, whether one was given or not."""
        return identity(len(self.shared) + (self.groups is not None)) if self.map is None else self.map

    @property
    def plain(self) -> bool:
        """Whether each point takes the region at its own coordinates, and there are as many points as regions."""
        return self.map is None and not self.owned and self.groups is None

    def grid(self, extents: Sequence[Term], groups: Term | None = None) -> dict[str, Term]:
        """The numbers of regions that the map speaks of, for a tensor of these extents and so many groups; along the
        axis with groups, of the largest one that there may be."""
        counts = [] if groups is None else [groups]
        for axis in self.shared:
            largest = self.groups is not None and axis == self.groups.axis and self.groups.most
            counts.append(
                terms.ceildiv(terms.const(largest) if largest else extents[axis], terms.const(self.step[axis]))
            )
        return {f"grid[{n}]": count for n, count in enumerate(counts)}

    def domain(self, extents: Sequence[Term], groups: Term | None = None) -> tuple[Term, ...]:
        """The extents of the domain, for a tensor of these extents and so many groups."""
        counts = self.grid(extents, groups)
        return tuple(t.substitute(counts) for t in self.point_map.domain)
