"""Errors about windows of tensors, and about the groups that offsets bound (O133 to O139, O305 to O309)."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error, Help, Label, Note


class WindowLength(Error):
    """
    How long a window is, is not known in every launch.

    The regions of a window are shared out among the tile blocks of a launch, so the launcher counts them: a length is
    made of extents, integer scalars and constants, and what it is divided by is positive in every launch. Where a
    window begins may come from memory.
    """

    code: ClassVar[str] = "O133"
    title: ClassVar[str] = "the window of `{name}` along axis {axis} has no length in every launch"
    label: ClassVar[str] = "`{length}`: {why}"
    name: str
    axis: int
    length: str
    why: str

    class Require(Help):
        """A divisor of which nobody says that it is positive."""

        text: ClassVar[str] = "ask it of the launch: `fh.require({divisor} > 0)`"
        divisor: str


class WindowsMeet(Error):
    """
    Two uses of a tensor, of which one writes, may share elements.

    A kernel may use a tensor in several parts, each in its own way: read what stands in front of a position, and write
    what comes behind it. That is safe where no element is in both. Parts are shown to be apart along some axis, from
    what the launcher knows: where a window begins at a place that is read from memory, nothing is known about where
    others lie.
    """

    code: ClassVar[str] = "O134"
    title: ClassVar[str] = "parts of `{name}` that are used in two ways may share elements"
    label: ClassVar[str] = "`{name}` is {way} here"
    name: str
    way: str

    class Other(Label):
        """The other use."""

        text: ClassVar[str] = "and {way} here"
        way: str

    class Witness(Note):
        """Numbers under which they share elements."""

        text: ClassVar[str] = "where {values}, both have element {element} along axis {axis}"
        values: str
        element: int
        axis: int

    class Unknown(Note):
        """A place that nobody knows."""

        text: ClassVar[str] = "where one of them begins is read from memory"

    class Split(Help):
        """Parts that touch and do not overlap."""

        text: ClassVar[str] = "let one window end where the other begins, or pass the parts as two arguments"


class WindowOutside(Error):
    """
    A window lies outside of its tensor in every launch.

    Where it begins is shown to be negative, or so far behind that it ends behind the tensor.
    """

    code: ClassVar[str] = "O305"
    title: ClassVar[str] = "this window of `{name}` is never inside it along axis {axis}"
    label: ClassVar[str] = "elements `{start}` up to `{stop}` of `{extent}`"
    name: str
    axis: int
    start: str
    stop: str
    extent: str


class NotInGroup(Error):
    """
    A region may lie behind the end of its group.

    Groups differ in size: how many regions each has is known when the kernel runs. A launch gives a block a region of
    its point's group, if there is one so far behind; in IR, a region of group `g` is taken under the condition
    `i < ownership.group_tiles(g)`, for the very group whose region it is.
    """

    code: ClassVar[str] = "O306"
    title: ClassVar[str] = "a region of `{name}` is not shown to lie in its group"
    label: ClassVar[str] = "tile `{index}` of group `{group}`"
    name: str
    index: str
    group: str

    class Guard(Help):
        """The region that is one."""

        text: ClassVar[str] = "use the region that the launch gives this block: `{name}.load()`, `{name}.store(...)`"
