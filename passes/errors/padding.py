"""Warnings about elements beyond the end of a tensor (O150 to O159)."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error, Help, Label


class PaddingFolded(Error):
    """
    A reduction or an update sees elements beyond the end of a tensor, which nothing masks.

    A tile that overhangs its tensor reads as the load's `padding` there, by default zero. A sum does not see zeros, nor
    does a matrix product. A maximum of negative numbers does, a sum of exponentials does, and a mean that divides by
    the tile's size does; `add_at` updates the element that each index names, also those beyond the end, which are 0;
    `(x == 0).sum()` counts them, `(x > 0).all()` and `assert x > 0` are false of them.
    With such padding, what is computed is another function of the data, and silently. This is a
    warning: the kernel is safe, and it is right where the tensor's extent is a multiple of the tile's. Say so with
    `fh.require(N % 128 == 0)`, choose a padding that does not count, or put other values in its place with `fh.where`.
    """

    code: ClassVar[str] = "O150"
    severity: ClassVar[str] = "warning"
    title: ClassVar[str] = "this {fold} counts elements beyond the end of a tensor"
    label: ClassVar[str] = "where the tile overhangs, padding counts"
    fold: str

    class Loaded(Label):
        """The load that overhangs."""

        text: ClassVar[str] = "reads `{padding}` beyond the end"
        padding: str

    class Pad(Help):
        """A padding that is not seen."""

        text: ClassVar[str] = "load with `padding={padding}`, which the {fold} does not see"
        padding: str

    class Mask(Help):
        """What makes padding unseen."""

        text: ClassVar[str] = "put what does not count in its place with `fh.where`, or require that nothing overhangs"

    class Inside(Help):
        """The elements that an update is to count; for a load at an index `k` of the user's own, in tiles."""

        text: ClassVar[str] = "leave out what is beyond the end: `mask={inside}`"
        inside: str

    class Divide(Help):
        """What a mean divides by."""

        text: ClassVar[str] = "divide by the tensor's extent, not by the tile's"


class RestLeftOut(Error):
    """
    A loop counts the whole tiles of a tensor, and leaves out what is behind the last of them.

    `range(K // 64)` reads every element only where `K` is a multiple of 64. This is a warning: the kernel is safe, and
    it is right where there is nothing behind the last whole tile. Count partial tiles, too, which read as `padding`
    beyond the end; or say that there are none with `fh.require(K % 64 == 0)`.
    """

    code: ClassVar[str] = "O151"
    severity: ClassVar[str] = "warning"
    title: ClassVar[str] = "up to {rest} elements along axis {axis} of `{name}` are never read"
    label: ClassVar[str] = "counts whole tiles of {size}"
    name: str
    axis: int
    size: int
    rest: int

    class Read(Label):
        """The load that reads the whole tiles."""

        text: ClassVar[str] = "reads one of them"

    class Tiles(Help):
        """The loop that reads all."""

        text: ClassVar[str] = "count them all: `fh.tiles({name}, axis={axis}, size={size})`, or `fh.cdiv`"
