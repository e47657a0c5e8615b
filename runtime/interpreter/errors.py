"""What the interpreter finds wrong with a running kernel, or with what it was given to run."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error, Help, Label, Note


class OutsideIndexSpace(Error):
    """
    A tile was accessed at a coordinate that names no tile.

    An axis of `extent` elements cut into tiles a `step` apart has `ceil(extent / step)` of them, numbered from 0. A
    tile may overhang the tensor, but it has to begin inside. The interpreter checks every access of every mode,
    whatever the prover said of it.
    """

    code: ClassVar[str] = "O520"
    title: ClassVar[str] = "coordinate {coordinate} of axis {axis} is outside `{name}`, which has {tiles} there"
    label: ClassVar[str] = "this tile does not exist"

    name: str
    """The tensor."""
    axis: int
    coordinate: int
    count: int
    """How many coordinates the axis has."""

    @property
    def tiles(self) -> str:
        """The count as a phrase."""
        return "1 tile" if self.count == 1 else f"{self.count} tiles"

    class Witness(Note):
        """Where it happened."""

        text: ClassVar[str] = "in block {block}; axis {axis} has {extent} elements in steps of {step}"
        block: str
        extent: int
        step: int


class BeyondView(Error):
    """
    A tile was accessed at a coordinate that names no tile of a view with padding, or of one without elements.

    Tile IR leaves open what happens then. GPUs read padding and write nothing, programs count on it, and so does the
    interpreter; checked mode warns of it, once for each operation. In a view that has elements and no padding such an
    access is an error (O520).
    """

    severity: ClassVar[str] = "warning"
    code: ClassVar[str] = "O537"
    title: ClassVar[str] = "coordinate {coordinate} of axis {axis} is beyond `{name}`, of {extent} elements there"
    label: ClassVar[str] = "this tile is nothing but padding"
    notes: ClassVar[tuple[str, ...]] = ("in block {block}; Tile IR does not say what such an access does",)

    name: str
    """The tensor."""
    axis: int
    coordinate: int
    extent: int
    block: str


class OutsideTensor(Error):
    """
    An element was accessed by an index that is not in the tensor.

    An unsafe access is not checked by the kernel that runs on a GPU, where it would reach the memory of something else.
    Any other access by element leaves out what is out of bounds, so for those it means that a proof was wrong.
    """

    code: ClassVar[str] = "O532"
    title: ClassVar[str] = "index {index} of axis {axis} is outside `{name}`"
    label: ClassVar[str] = "this element does not exist"

    name: str
    """The tensor."""
    axis: int
    index: int

    class Witness(Note):
        """Where it happened."""

        text: ClassVar[str] = "in block {block}; axis {axis} has {extent} elements"
        block: str
        extent: int


class OutsideMemory(Error):
    """
    A pointer was followed to memory that no argument holds.

    Pointers are addresses: arithmetic on them may leave the array that they came from, and only an access is wrong.
    Views reach outside where their extents or strides say more than the array has.
    """

    code: ClassVar[str] = "O521"
    title: ClassVar[str] = "{access} at address {address:#x} reaches outside every array"
    label: ClassVar[str] = "{size} bytes at an address that belongs to nothing"

    access: str
    """Load, store or atomic update."""
    address: int
    size: int

    class Near(Note):
        """The array that is nearest."""

        text: ClassVar[str] = "in block {block}; `{name}` has {length} bytes, and this is byte {offset}"
        block: str
        name: str
        length: int
        offset: int


class Misaligned(Error):
    """An element was accessed at an address that is no multiple of its size. GPUs trap on that."""

    code: ClassVar[str] = "O522"
    title: ClassVar[str] = "{access} at address {address:#x}, which is no multiple of {size}"
    label: ClassVar[str] = "elements of {size} bytes stand at multiples of {size}"

    access: str
    address: int
    size: int


class Race(Error):
    """
    Two blocks touch one element, at least one of them writes it, and nothing orders them.

    What the kernel computes then depends on which comes first. Found in checked mode, which remembers for every element
    who read and who wrote it, in any order of the blocks: one run of one order is enough. The turns that a persistent
    block takes count as blocks of their own, because no program may rely on their order.
    """

    code: ClassVar[str] = "O523"
    title: ClassVar[str] = "{blocks} both access element {element} of `{name}`"
    label: ClassVar[str] = "{second} {access} it here"

    name: str
    """The array."""
    element: str
    """The element's index."""
    blocks: str
    second: str
    """The later block."""
    access: str
    """Reads or writes."""

    class Earlier(Label):
        """The other access."""

        text: ClassVar[str] = "{first} {earlier} it here"
        first: str
        earlier: str


class Uninitialised(Error):
    """
    An element of an output was read before anything was stored there.

    The memory of an `Out` parameter holds whatever was there before. Found in checked mode.
    """

    code: ClassVar[str] = "O524"
    title: ClassVar[str] = "element {element} of `{name}` is read before it is stored"
    label: ClassVar[str] = "read here, in block {block}"

    name: str
    element: str
    block: str


class Unordered(Error):
    """
    Two accesses of one block touch one element, at least one writes, and no token orders them.

    The order in which operations stand does not order memory in Tile IR: a token that the first makes has to reach the
    second. The assembler may swap the two. Found in checked mode, in lowered modules.
    """

    code: ClassVar[str] = "O525"
    title: ClassVar[str] = "no token orders two accesses to element {element} of `{name}`"
    label: ClassVar[str] = "block {block} {access} it here"

    name: str
    element: str
    block: str
    access: str

    class Earlier(Label):
        """The other access."""

        text: ClassVar[str] = "and {earlier} it here"
        earlier: str


class ElementsMeet(Error):
    """
    Two elements of one tile are stored to one element of a tensor, and they differ.

    Which of them stays is not specified. Found in checked mode; adversarial mode lets any of them stay.
    """

    code: ClassVar[str] = "O534"
    title: ClassVar[str] = "one store writes {first} and {second} to element {element} of `{name}`"
    label: ClassVar[str] = "which of them stays, in block {block}, is left open"

    name: str
    """The tensor."""
    element: str
    """The element's index."""
    first: str
    second: str
    block: str


class AssertionFailed(Error):
    """An assertion in the kernel did not hold for some element of its condition."""

    code: ClassVar[str] = "O526"
    title: ClassVar[str] = "assertion failed: {message}"
    label: ClassVar[str] = "false in block {block}"

    message: str
    block: str


class CheckFailed(Error):
    """
    A predicate that the prover left to the launch does not hold for these arguments.

    `tile-opt -p resolve-obligations` shows it on the operation that owes it.
    """

    code: ClassVar[str] = "O527"
    title: ClassVar[str] = "the check `{predicate}` does not hold"
    label: ClassVar[str] = "needed here"

    predicate: str

    class Values(Note):
        """The symbols' values."""

        text: ClassVar[str] = "with {values}"
        values: str


class Undefined(Error):
    """
    An operation was given operands for which it has no defined result: a division by zero, a sum that its overflow flag
    says cannot wrap, a false assumption.

    Found in checked mode. Otherwise the interpreter takes one of the results that a GPU may take.
    """

    code: ClassVar[str] = "O528"
    title: ClassVar[str] = "`{operation}` has no defined result: {reason}"
    label: ClassVar[str] = "undefined"

    operation: str
    reason: str


class LawBroken(Error):
    """
    A function that folds elements gives results that depend on how they are joined.

    A GPU joins the elements of `reduce` and `scan` in any grouping, those of `reduce` in any order, and `identity` with
    any of them, any number of times. So `identity` is neutral for the function on both sides, and the function is
    associative, and commutative where it reduces. Found in checked mode, which tries these laws on elements that are
    folded; floats may differ by rounding. What it does not find may break them all the same, on other elements.
    """

    code: ClassVar[str] = "O535"
    title: ClassVar[str] = "{law}, and a GPU joins elements as it likes"
    label: ClassVar[str] = "folds with it"
    notes: ClassVar[tuple[str, ...]] = ("{difference}", "with {values}")

    law: str
    difference: str
    """Two spellings that should have one value, with those that they have."""
    values: str
    """Elements for which that is so."""


class PaddingCounts(Error):
    """
    What a load read beyond the end of a tensor changes what is stored.

    A tile that overhangs its tensor reads as the load's `padding` there, by default zero. A sum does not see zeros, nor
    does a matrix product; a maximum does, and so does a sum of exponentials: with such padding, softmax of a row is
    another one than of the row's elements. Found in checked mode, which folds again without what was padded, and looks
    whether a store writes something that differs, or padding itself, into a tensor. Choose a padding that does not
    count, or put other values in its place with `fh.where`.
    """

    code: ClassVar[str] = "O536"
    title: ClassVar[str] = "what is beyond the end of a tensor {how}"
    label: ClassVar[str] = "{what}"
    notes: ClassVar[tuple[str, ...]] = ("{witness}",)

    how: str
    what: str
    witness: str
    """What is computed, and what would be without padding; or which element is padding."""

    class Loaded(Label):
        text: ClassVar[str] = "reads `{padding}` beyond the end"
        padding: str

    class Stored(Label):
        text: ClassVar[str] = "writes element {index}, which depends on it"
        index: str

    class Pad(Help):
        text: ClassVar[str] = "leave it out: load with `padding={padding}`"
        padding: str


class NoMeaning(Error):
    """The interpreter does not know the operation, so it does not guess what the module means."""

    code: ClassVar[str] = "O529"
    title: ClassVar[str] = "the interpreter cannot run `{operation}`: {reason}"
    label: ClassVar[str] = "not run"

    operation: str
    reason: str


class UnfitArgument(Error):
    """An argument of a run is not what the kernel's parameter asks for: another rank, element type or extent."""

    code: ClassVar[str] = "O530"
    title: ClassVar[str] = "{what}"

    what: str

    class Give(Help):
        """What would fit."""

        text: ClassVar[str] = "pass {fitting}"
        fitting: str


class UnfitDomain(Error):
    """
    A distribution's domain has an extent that is not positive, so there are no points; or more than a launch may have.

    Its extents are computed from those of the arguments, and from integers. The launcher refuses such a launch, too.
    """

    code: ClassVar[str] = "O533"
    title: ClassVar[str] = "the domain has {grid} points"
    label: ClassVar[str] = "{allowed}"

    grid: str
    allowed: str


class DifferentGrids(Error):
    """
    The partitions of one distribution do not have the same index space.

    A point stands for one region of each of them, so each must have a region for every point.
    """

    code: ClassVar[str] = "O531"
    title: ClassVar[str] = "`{first}` has {first_grid} regions, `{second}` has {second_grid}"
    label: ClassVar[str] = "these are distributed together"

    first: str
    first_grid: str
    second: str
    second_grid: str
