"""How arrays are cut into regions, and points mapped to them (O220 to O229, O244)."""

from __future__ import annotations

from typing import ClassVar

from freehold.runtime.errors.shared import NOTHING_LAUNCHED, TUPLE_OF_ONE_SHAPE
from freehold.support.diagnostic import Correctable, Error, Help


class PartitionMissing(Error):
    """
    An array was given for a `Mut` or `Out` without saying how it is cut into regions, where it has to be said.

    The kernel says what happens to one region; the partition says which regions there are and in which order they are
    worked on. A launch that leaves out all partitions chooses them; beside a partition that is given, and in packages
    and operators of other frameworks, each array that is written has its own.
    """

    code: ClassVar[str] = "O220"
    title: ClassVar[str] = "argument `{name}` of `{kernel}` is written and needs a partition"
    label: ClassVar[str] = "an array given for `{name}: {annotation}`"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_LAUNCHED,)
    helps: ClassVar[tuple[str, ...]] = ("say how it is cut into regions: `freehold.partition({argument}, {tile})`",)
    name: str
    kernel: str
    annotation: str
    argument: str
    """The argument's source text, or the parameter's name."""
    tile: str
    """A tile of the right rank, as Python text."""


class NoSchedule(Error):
    """
    A launch leaves its partition open, and no tile was found under which the kernel is right.

    A launch chooses among tiles that the kernel is accepted with, and that do not change what it computes: where a sum
    runs along an axis of the tile, the tile has to cover that axis; where the number of a region is used as one of an
    element, regions have one element. A kernel that needs another tile, that counts regions, or that computes with
    where its tiles begin, is given a partition.
    """

    code: ClassVar[str] = "O221"
    title: ClassVar[str] = "no tile was found for `{kernel}`, which is launched without a partition"
    label: ClassVar[str] = "with tiles of {tile}: {why}"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_LAUNCHED,)
    kernel: str
    why: str
    tile: str

    class Partition(Help):
        text: ClassVar[str] = "say how it is cut into regions: `freehold.partition({argument}, {tile})`"
        argument: str
        tile: str


class PartitionRank(Error):
    """A partition's tile has another number of axes than the array that it cuts."""

    code: ClassVar[str] = "O222"
    title: ClassVar[str] = "the tile {tile} does not fit `{name}`, which has {axes}"
    label: ClassVar[str] = "the array's shape is {shape}"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_LAUNCHED,)
    name: str
    tile: tuple[int, ...]
    rank: int
    shape: tuple[int, ...]

    @property
    def axes(self) -> str:
        """How many axes the array has."""
        return {0: "no axes", 1: "one axis"}.get(self.rank, f"{self.rank} axes")

    class Extents(Help):
        text: ClassVar[str] = "give the tile an extent for each axis: `{tile}`"
        tile: str


class TileUnfit(Error):
    """
    A partition was described by something other than a tile.

    A tile is an integer or a tuple of integers, each a power of two, as the hardware's tiles are. Array extents need
    not be multiples of it: the regions at the end are partial.
    """

    code: ClassVar[str] = "O223"
    title: ClassVar[str] = "{what} of a partition must be {expected}, not {given}"
    what: str
    """`the tile`, `the step`, `order` or `blocks`."""
    expected: str
    given: str

    class Nearest(Help):
        text: ClassVar[str] = "use `{tile}`"
        tile: str


class MapUnfit(Correctable):
    """
    The index map of a partition cannot be read.

    A map, the extents of its domain, and `where` are functions of integers, called once, with symbols in the place of
    the integers: what they compute holds for all points and all arrays. So they use `+ - * // %`, comparisons,
    `fh.minimum`, `fh.maximum` and `fh.cdiv`, and ask no questions that need a number for an answer: not `if`, `and`,
    `or`, `not`, `min`, `max`, `int()`.
    """

    code: ClassVar[str] = "O244"
    title: ClassVar[str] = "the map of a partition cannot be read: it {what}"
    label: ClassVar[str] = "here, where the integers are not known"
    what: str


class SchedulesDiffer(Error):
    """
    The partitions of one launch are walked in different orders or by different numbers of blocks.

    One tile block works on one region of every output, so all partitions of a launch share one schedule.
    """

    code: ClassVar[str] = "O224"
    title: ClassVar[str] = "`{name}` and `{other}` of `{kernel}` are partitioned for different schedules"
    label: ClassVar[str] = "{schedule}"
    notes: ClassVar[tuple[str, ...]] = ("`{other}` has {schedule_of_other}", NOTHING_LAUNCHED)
    helps: ClassVar[tuple[str, ...]] = ("give both the same `order` and `blocks`",)
    kernel: str
    name: str
    schedule: str
    other: str
    schedule_of_other: str


class GridsDiffer(Error):
    """
    The partitions of one launch do not agree on its points.

    One tile block works on one region of every output, so all of them have the same grid of regions: the same domain,
    where they have maps. A partition with fewer axes has the leading ones; what is written through it would be shared
    by the blocks that differ along the others alone, unless one region covers those.
    """

    code: ClassVar[str] = "O225"
    title: ClassVar[str] = "`{name}` and `{other}` of `{kernel}` are partitioned into different grids"
    label: ClassVar[str] = "{shape} in tiles of {tile}: {grid}"
    notes: ClassVar[tuple[str, ...]] = (
        "`{other}` is {shape_of_other} in tiles of {tile_of_other}: {grid_of_other}",
        NOTHING_LAUNCHED,
    )
    kernel: str
    name: str
    shape: str
    tile: str
    grid: str
    other: str
    shape_of_other: str
    tile_of_other: str
    grid_of_other: str

    class OneShape(Help):
        text: ClassVar[str] = TUPLE_OF_ONE_SHAPE
        kernel: str
        many: str

    class SameTile(Help):
        """For arrays of one shape."""

        text: ClassVar[str] = "cut both in the same tiles: `freehold.partition({argument}, {tile})`"
        argument: str
        tile: str

    class OneTile(Help):
        text: ClassVar[str] = "cover the axes that `{name}` has not by one tile of `{other}`: in tiles of `{tile}`"
        tile: str

    class AddUp(Help):
        """For an output of one region, to which all blocks would store."""

        text: ClassVar[str] = (
            "where blocks add up what they store, declare `{name}` as `Acc`, zeros at first, give it whole, and write "
            "`{name}.at({first}).add(value)`"
        )
        first: str


class TooManyRegions(Error):
    """
    A partition has more regions than one launch can have.

    One block a region allows 16777215 regions, persistent blocks 2113929216: block numbers, and the sums that
    persistent blocks make of them, stay 32-bit integers.
    """

    code: ClassVar[str] = "O226"
    title: ClassVar[str] = "this launch of `{kernel}` has {points} regions; {blocks} allow {most}"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_LAUNCHED,)
    helps: ClassVar[tuple[str, ...]] = ("make the tiles larger", "{remedy}")
    kernel: str
    points: int
    most: int
    blocks: str
    remedy: str


class NoPoints(Error):
    """
    A launch has no points: an extent of its domain is not positive.

    Where a partition gives a `grid=` of its own, its extents are computed from the numbers of regions, and must be at
    least 1 for the arrays of the launch.
    """

    code: ClassVar[str] = "O229"
    title: ClassVar[str] = "this launch of `{kernel}` has no points: axis {axis} of its domain has the extent {value}"
    label: ClassVar[str] = "the extent is `{extent}`"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_LAUNCHED,)
    kernel: str
    axis: int
    extent: str
    value: str


class NothingPartitioned(Error):
    """
    No argument of a launch is a partition, so nothing says how many tile blocks to run.

    Each `Mut` and `Out` has one. A kernel that has only `Acc` and `Raw` to write to takes its blocks from a partition
    of any tensor: of one that is read, mostly, whose tiles are then the work. A kernel without any of these does
    nothing.
    """

    code: ClassVar[str] = "O227"
    title: ClassVar[str] = "`{kernel}` is launched without a partition"
    label: ClassVar[str] = "nothing says how many tile blocks to run"
    kernel: str

    class Declare(Help):
        text: ClassVar[str] = "declare what it stores to, and partition the argument: `{name}: {annotation}`"
        name: str
        annotation: str

    class Result(Help):
        """For a kernel that is annotated to return something."""

        text: ClassVar[str] = (
            "a kernel's results are what it stores: take the output as a parameter, `{name}: {annotation}`, and "
            "partition its argument"
        )
        name: str
        annotation: str

    class Partition(Help):
        """For a kernel that updates what blocks share."""

        text: ClassVar[str] = "partition one of its arguments: `fh.partition({argument}, {tile})`"
        argument: str
        tile: str


class GridGiven(Error):
    """
    A launch was written with a grid in brackets, as in other languages of tiles.

    A kernel has no grid of its own: the partition of its outputs says which regions there are, and each is the work of
    one tile block.
    """

    code: ClassVar[str] = "O228"
    title: ClassVar[str] = "`{kernel}` is launched without a grid"
    label: ClassVar[str] = "the regions of the outputs are the grid"
    helps: ClassVar[tuple[str, ...]] = (
        "leave the brackets out, partition the outputs, and run it: `{kernel}({arguments}).sync()`",
    )
    kernel: str
    arguments: str
