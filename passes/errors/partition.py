"""Errors about how tensors are split among tile blocks (O101 to O129, with `borrow`)."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error, Help, Label, Note


class OverlappingRegions(Error):
    """
    Two tile blocks own regions that share elements.

    Regions of a partition begin `step` elements apart and have the extent of its tile, so they overlap where the step
    is smaller. And two points that compute the same coordinates take the same region. Either way two blocks write the
    same elements, in no fixed order: a data race.
    """

    code: ClassVar[str] = "O101"
    title: ClassVar[str] = "two tile blocks write overlapping regions of `{name}`"
    label: ClassVar[str] = "{how}"
    notes: ClassVar[tuple[str, ...]] = ("blocks run in no fixed order, so this would be a data race",)
    name: str
    how: str

    class StepTooSmall(Label):
        """The partition whose regions overlap by themselves."""

        text: ClassVar[str] = "step {step} is smaller than the tile extent {tile}"
        step: int
        tile: int

    class Witness(Note):
        """Two blocks and what they share."""

        text: ClassVar[str] = "{where}blocks {first} and {second} both {do} `{name}[{shared}]`"
        where: str
        first: str
        second: str
        do: str
        shared: str

    class Regions(Note):
        """Two regions and what they share."""

        text: ClassVar[str] = "regions [{first}] and [{second}] both hold `{name}[{shared}]`"
        first: str
        second: str
        shared: str

    class Step(Help):
        """A step that makes the regions disjoint."""

        text: ClassVar[str] = "make the step at least the tile: `step=({steps})`"
        steps: str

    class OneRegion(Help):
        """A map that is one to one."""

        text: ClassVar[str] = "let the partition's map take every point to a region of its own: as `i, j` to `j, i`"

    class OwnPlace(Help):
        """Coordinates that are the point's own."""

        text: ClassVar[str] = "store to the block's own region, `{name}.store(...)`, without coordinates"

    class OwnAxis(Help):
        """A point that has all regions along an axis, over which a loop goes."""

        text: ClassVar[str] = "or, where one block is to write them all, partition `{name}` with `owned={axis}`"
        axis: int


class NotShownDisjoint(Error):
    """
    Two blocks are not shown to own different regions.

    No counterexample was found, and no proof either: the coordinates come from memory, from a scalar argument, or by
    arithmetic that the prover cannot follow within its budget. What is not proved is refused.
    """

    code: ClassVar[str] = "O113"
    title: ClassVar[str] = "cannot show that tile blocks write different regions of `{name}`"
    label: ClassVar[str] = "takes `{name}[{coordinates}]`"
    name: str
    coordinates: str

    class UnknownNumber(Note):
        """A number of which nothing is known."""

        text: ClassVar[str] = "`{symbol}` {what}, so two blocks may have the same"
        symbol: str
        what: str

    class NoSuchRegion(Note):
        """A launch in which a block takes a region that there is not."""

        text: ClassVar[str] = "{where}block {block} {does}"
        where: str
        block: str
        does: str

    class Own(Help):
        """Blocks that write at their own place."""

        text: ClassVar[str] = (
            "store to the block's own region, `{name}.store(...)`, without coordinates: "
            "what a block reads may lie anywhere"
        )

    class Groups(Help):
        """Places that data say."""

        text: ClassVar[str] = (
            "where data have to say what is written, cut `{name}` into groups by `fh.ragged`, which are checked to lie "
            "apart; or declare it `Raw`, and scatter under `fh.unsafe`, with the reason"
        )


class RegionTakenTwice(Error):
    """
    One point takes the same region of an output twice.

    That every region of an `Out` is written is found out by counting, so each is taken once: outside of loops, and used
    as often as needed. Regions of a `Mut` may be taken again; the accesses of a point are ordered then.
    """

    code: ClassVar[str] = "O114"
    title: ClassVar[str] = "the same region of `{name}` {finding} twice"
    label: ClassVar[str] = "taken {when}"
    name: str
    when: str
    finding: str = "is taken"
    """Or "may be taken", where what is computed decides."""

    class DeclareMut(Help):
        """A partition of which regions may be taken again."""

        text: ClassVar[str] = "if it is meant to be written again, declare `{name}` as `Mut`"

    class First(Label):
        """The other taking."""

        text: ClassVar[str] = "taken here before"

    class Witness(Note):
        """A point and the coordinates it takes twice."""

        text: ClassVar[str] = "{where}the region `[{coordinates}]` is taken twice{who}"
        where: str
        coordinates: str
        who: str


class DifferentGrids(Error):
    """
    Partitions that are distributed together have different index spaces.

    A launch has one grid. Each of its points takes a region of every partition, so all of them have as many regions
    along each axis.
    """

    code: ClassVar[str] = "O115"
    title: ClassVar[str] = "{name} and `{other}` are partitioned into different grids"
    label: ClassVar[str] = "{name} has {grid}, `{other}` {other_grid}"
    name: str
    """A tensor, in backticks, or "the launch" where it has a grid of its own."""
    other: str
    grid: str
    other_grid: str

    class Partitioned(Label):
        """A partition."""

        text: ClassVar[str] = "`{whose}` is partitioned here"
        whose: str

    class AsManyAxes(Help):
        """Two ways out, where the launch's own grid has other axes."""

        text: ClassVar[str] = "give the grid as many axes as `{whose}` has, or name the regions: `{whose}.at({index})`"
        whose: str
        index: str


class OutOfDistribution(Error):
    """
    A region is taken where no point of a distribution is at hand, or of a partition that is not distributed there.

    Outside of `distribute` every tile block would take the same region. A partition that the distribution does not list
    has an index space that was never compared with the grid.
    """

    code: ClassVar[str] = "O116"
    title: ClassVar[str] = "a region of `{name}` is taken {where}"
    label: ClassVar[str] = "{why}"
    name: str
    where: str
    why: str


class GapsInOutput(Error):
    """
    The regions of an output do not cover it.

    Where the step is larger than the tile, elements between the regions belong to nobody. The host takes an output for
    initialised once the kernel has run. For a tensor that keeps its other elements, use `Mut`.
    """

    code: ClassVar[str] = "O117"
    title: ClassVar[str] = "the regions of the output `{name}` leave gaps"
    label: ClassVar[str] = "along axis {axis}, regions of {tile} elements begin {step} apart"
    name: str
    axis: int
    tile: int
    step: int

    class DeclareMut(Help):
        """The mode for what is written in part."""

        text: ClassVar[str] = "declare `{name}` as `Mut`: what lies between the regions keeps its value"


class Misplaced(Error):
    """
    A partition or a distribution stands where it would happen more than once, or there is not exactly one distribution.

    A kernel partitions its tensors and distributes the points at its top level, once. In a loop or a branch, blocks
    could disagree about who owns what.
    """

    code: ClassVar[str] = "O118"
    title: ClassVar[str] = "{what}"
    label: ClassVar[str] = "{why}"
    what: str
    why: str


class NoSuchLaunch(Error):
    """
    No launch can satisfy what the kernel's signature says and what the kernel requires.

    The extents of the parameters, or the requirements, contradict each other: whatever the arguments, a launch would be
    refused. Everything could be proved about such a kernel, so nothing is.
    """

    code: ClassVar[str] = "O119"
    title: ClassVar[str] = "no launch of `{kernel}` is possible: its extents contradict each other"
    label: ClassVar[str] = "together these have no solution: {extents}"
    kernel: str
    extents: str

    class Required(Label):
        """A requirement."""

        text: ClassVar[str] = "this is required"


class RequirementUnknown(Error):
    """
    A requirement speaks of a number that the launcher does not know.

    It is checked before anything runs, from the extents of the arguments and the integers that are passed.
    """

    code: ClassVar[str] = "O123"
    title: ClassVar[str] = "the requirement `{predicate}` cannot be checked at the launch"
    label: ClassVar[str] = "`{symbol}` is neither an extent of an argument nor an integer scalar"
    predicate: str
    symbol: str


class NoExtent(Error):
    """
    The number of points of a launch has no value.

    The extents of a launch's domain are computed by the launcher, from extents of arguments and integer scalars. Each
    of them is made of those alone, and what it is divided by is positive in every launch.
    """

    code: ClassVar[str] = "O121"
    title: ClassVar[str] = "the domain's extent along axis {axis} is no number in every launch"
    label: ClassVar[str] = "`{extent}`: {why}"
    axis: int
    extent: str
    why: str

    class Require(Help):
        """A divisor of which nobody says that it is positive."""

        text: ClassVar[str] = "ask it of the launch: `fh.require({divisor} > 0)`"
        divisor: str


class NotCovered(Error):
    """
    Some regions of an output belong to no tile block, or it is not shown that each belongs to one.

    An `Out` comes back written, all of it: whoever reads it afterwards relies on that. So as many regions are taken as
    there are, each by one point, or in turns of a loop that every point runs from the first to the last. Where a launch
    means to write a part, its partition says so.
    """

    code: ClassVar[str] = "O122"
    title: ClassVar[str] = "{finding} the output `{name}` is written"
    label: ClassVar[str] = "of {regions} regions, {taken} are taken for certain"
    name: str
    taken: str
    regions: str

    @property
    def finding(self) -> str:
        """What is certain: a launch in which a region is left, or only that none has been ruled out."""
        return "not all of" if any(isinstance(a, self.Witness) for a in self.added) else "cannot show that all of"

    class Witness(Note):
        """A launch, and a region that nobody takes."""

        text: ClassVar[str] = "{where}no block takes `{name}[{left}]`"
        where: str
        left: str

    class Partial(Help):
        """A partition that leaves elements as they are."""

        text: ClassVar[str] = "if the rest is to stay as it is, let the partition say so: `partial=True`"

    class DeclareMut(Help):
        """An output that keeps what it holds."""

        text: ClassVar[str] = "if the kernel updates what is there, declare it `{name}: Mut`"


class NotDominated(Error):
    """
    A value is used where it may not have been computed yet.

    In IR written by hand, an operation uses a value that is defined later, or in a region that has ended or was not
    entered. Everything that verifiers say rests on each value being the one that was computed before.
    """

    code: ClassVar[str] = "O120"
    title: ClassVar[str] = "`{op}` uses a value that is not defined there"
    label: ClassVar[str] = "operand {number} does not dominate this use"
    op: str
    number: int

    class Defined(Label):
        """Where it is defined."""

        text: ClassVar[str] = "the value is defined here"
