"""Errors about bounds, and about where they are checked (O3xx)."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error, Help, Note


class KernelCheckDenied(Error):
    """
    An access would be checked in the kernel, where such checks are denied.

    An index is checked in the kernel where it is neither proved to be in bounds nor decided by what the launcher knows:
    it comes from memory, from a scalar argument, or by arithmetic that may wrap. Under `deny_kernel_checks` such an
    access is refused, so that the accepted kernel has no check at all.
    """

    code: ClassVar[str] = "O301"
    title: ClassVar[str] = "{access} needs an in-kernel bounds check, and these are denied"
    label: ClassVar[str] = "cannot prove `{predicate}`"
    access: str
    predicate: str

    class Unknown(Note):
        """Why the prover cannot know."""

        text: ClassVar[str] = "`{symbol}` {what}"
        symbol: str
        what: str

    class Others(Note):
        """What the same access owes besides."""

        text: ClassVar[str] = "other obligations of this access: {others}"
        others: str

    class Clamp(Help):
        """An index that cannot leave."""

        text: ClassVar[str] = "clamp the index: `fh.minimum(fh.maximum({index}, 0), {count} - 1)`"
        index: str
        count: str

    class Guard(Help):
        """A condition the prover uses."""

        text: ClassVar[str] = "or access it only under a condition: `if 0 <= {index} and {index} < {count}:`"
        index: str
        count: str

    class Allow(Help):
        """The opt-out."""

        text: ClassVar[str] = "or allow checks in the kernel: leave out `deny_kernel_checks`"


class NoElementInBounds(Error):
    """
    An access by element touches no element of its tensor, whenever it happens.

    What is out of bounds is left out: a gather reads padding there, an update does nothing. Where that is so for every
    element and every launch, it is not what was meant. Negative indices do not count from the end, as they do in NumPy.
    """

    code: ClassVar[str] = "O303"
    title: ClassVar[str] = "this {access} touches no element of `{name}`"
    label: ClassVar[str] = "every index along axis {axis} is {where}"
    access: str
    name: str
    axis: int
    where: str

    helps: ClassVar[tuple[str, ...]] = (
        "if other variants of the kernel need it, leave it out of this one by an `if` of what is known at compile time",
    )

    class FromTheEnd(Help):
        """How to count from the end."""

        text: ClassVar[str] = "count from the end: `{name}.shape[{axis}] - 1`"
        name: str
        axis: int


class MapNotShownInside(Error):
    """
    The map of a partition is not shown to take every point to a region that exists.

    What a map computes depends on nothing but the arrays' extents, so it is proved for all of them, or reduced to one
    comparison that the launcher makes. A map for which neither was possible is refused: a check in the kernel would
    find out too late.
    """

    code: ClassVar[str] = "O304"
    title: ClassVar[str] = "cannot show that the map of `{name}` stays inside along axis {axis}"
    label: ClassVar[str] = "it takes region `{index}`"
    name: str
    axis: int
    index: str

    class Example(Note):
        """Extents for which it does not, if any were found."""

        text: ClassVar[str] = "where {where}, region {value} of {count} is taken"
        where: str
        value: int
        count: int

    class Smaller(Help):
        """A domain without the points that have no region."""

        text: ClassVar[str] = "leave out the points that have no region, by `grid=` or `where=`"


class OutOfBounds(Error):
    """
    An access is out of bounds whenever it happens.

    Its index, counted in tiles, is shown to lie outside the tensor: it is negative, or not below the number of tiles
    along the axis. No launch and no check could make it right. An access that is right at some points is refused, too,
    where each launch has another point at which it is wrong, under no condition.
    """

    code: ClassVar[str] = "O302"
    title: ClassVar[str] = "{access} is out of bounds along axis {axis}"
    label: ClassVar[str] = "tile index `{index}` is {bound}"
    access: str
    axis: int
    index: str
    bound: str

    class Witness(Note):
        """Values under which it happens."""

        text: ClassVar[str] = "{where}index {value} of {count} tiles is accessed{who}"
        where: str
        value: int
        count: int
        who: str

    class LastTile(Help):
        """The indices there are."""

        text: ClassVar[str] = "tiles along this axis are counted from 0 to `{last}`"
        last: str

    class Beside(Help):
        """A tile that begins some elements beside another one, where an index of tiles was counted in elements."""

        text: ClassVar[str] = "where elements are meant, begin at one, and what is outside is padded: `{load}`"
        load: str
