"""What a kernel found wrong while it ran (O233 to O236). The GPU goes on: the next launch works."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from freehold.support.diagnostic import Error, Help, Label, Note
from freehold.support.report import Argument

if TYPE_CHECKING:
    from freehold.support.contract import KernelCheck

UNRELIABLE: Final = "nothing outside its arrays was touched, but what the launch was to write is not to be relied on"


class _InBlock(Note):
    """The tile block that found it: of those that did, the first."""

    text: ClassVar[str] = "in block {block}"
    block: str


class _Launched(Label):
    """The launch."""

    text: ClassVar[str] = "launched here"


class IndexOutside(Error):
    """
    A kernel accessed a tile that there is not, at an index that only the running kernel knows.

    An axis of `extent` elements cut into tiles a step apart has `ceil(extent / step)` of them, numbered from 0. Where
    neither the compiler nor the launcher can see that an index is one of these, the kernel compares it, and the access
    does not happen where it is not. The tile block ends there; others may go on, so outputs are written in part.

    `deny_kernel_checks` refuses a kernel that would have to compare anything. `checks="trap"` stops the GPU instead.
    """

    code: ClassVar[str] = "O233"
    title: ClassVar[str] = "index {index} of axis {axis} is outside `{name}`, which has {tiles} there"
    label: ClassVar[str] = "this tile does not exist"
    notes: ClassVar[tuple[str, ...]] = (UNRELIABLE,)
    name: str
    """The tensor."""
    axis: int
    index: int
    count: int
    """How many indices the axis has."""

    InBlock = _InBlock
    Launched = _Launched

    @property
    def tiles(self) -> str:
        """The count as a phrase."""
        return "1 tile" if self.count == 1 else f"{self.count} tiles"

    class CountsTiles(Note):
        """What an index is."""

        text: ClassVar[str] = "an index counts tiles of the access's shape, not elements"

    class Loop(Help):
        """The loop that stays inside, for an index that a loop counts."""

        text: ClassVar[str] = (
            "if a loop counts the index, loop over the tiles there are: "
            "`for k in fh.tiles({name}, axis={axis}, size={size})`"
        )
        name: str
        axis: int
        size: int

    class Ask(Help):
        """The condition under which the tile is there, for an index that data hold."""

        text: ClassVar[str] = (
            "if data hold the index, ask before the access: `if 0 <= k < fh.cdiv({name}.shape[{axis}], {size}):`"
        )
        name: str
        axis: int
        size: int


class AssertionFalse(Error):
    """
    An `assert` in a kernel did not hold, or `fh.assert_` of some element of a tile.

    The tile block ends there; others may go on, so outputs are written in part. The values are those of the scalars
    that the assertion names. `checks="trap"` stops the GPU instead.
    """

    code: ClassVar[str] = "O234"
    title: ClassVar[str] = "assertion failed: {message}"
    label: ClassVar[str] = "this is false"
    notes: ClassVar[tuple[str, ...]] = (UNRELIABLE,)
    message: str

    InBlock = _InBlock
    Launched = _Launched

    class Values(Note):
        """The scalars' values."""

        text: ClassVar[str] = "with {values}"
        values: str


class WindowOutside(Error):
    """
    A window begins at a place, known to the running kernel alone, from which it does not fit into its tensor.

    Nothing is accessed through it. The tile block ends there; others may go on, so outputs are written in part.
    """

    code: ClassVar[str] = "O235"
    title: ClassVar[str] = "a window that begins at {start} along axis {axis} does not lie in `{name}`"
    label: ClassVar[str] = "it may begin at 0 to {last}"
    notes: ClassVar[tuple[str, ...]] = (UNRELIABLE,)
    name: str
    """The tensor."""
    axis: int
    start: int
    last: int

    InBlock = _InBlock
    Launched = _Launched


class OffsetsUnfit(Error):
    """
    Offsets do not bound groups of the tensor that is split by them.

    They ascend, from 0 or more to the extent at most. Unless the partition is `partial`, no group is larger than the
    launch has points for (`most=`), and those of an `Out` begin at 0 and end at the extent. Each tile block looks at
    all of them before it does anything, so nothing was written.
    """

    code: ClassVar[str] = "O236"
    title: ClassVar[str] = "group {group} of `{name}` is none: its offsets do not fit"
    label: ClassVar[str] = "needed here: `{predicate}`"
    name: str
    """The tensor."""
    group: int
    """The first of those that are wrong."""
    predicate: str

    InBlock = _InBlock
    Launched = _Launched


def failure(kernel: str, check: KernelCheck, block: str, values: Sequence[object]) -> Error:
    """The error of a check of a kernel that failed in a block, with the values that it shows."""
    place = check.span or Argument("", kernel)
    if not check.tensor:
        error = AssertionFalse(place, check.predicate).add(_InBlock(block))
        shown = [f"`{name}` = {value}" for (name, _), value in zip(check.values, values, strict=True)]
        return error.add(AssertionFalse.Values(", ".join(shown))) if shown else error
    first, second = (int(str(value)) for value in values)
    if check.values[0][0] == "group":
        return OffsetsUnfit(place, check.tensor, first, check.predicate).add(_InBlock(block))
    if not check.step:
        return WindowOutside(place, check.tensor, check.axis, first, second).add(_InBlock(block))
    error = IndexOutside(place, check.tensor, check.axis, first, second).add(
        _InBlock(block), IndexOutside.CountsTiles()
    )
    place = (check.tensor, check.axis, check.step)
    return error.add(IndexOutside.Loop(*place), IndexOutside.Ask(*place))


def failure_in(kernel: str, checks: Sequence[KernelCheck], words: Sequence[int]) -> Error:
    """The error that a launch has written down, in its words of a failure buffer, of which the first is positive."""
    number, block, *values = words
    check = checks[number - 1]
    shown = [_value(word, dtype) for word, (_, dtype) in zip(values, check.values, strict=False)]
    return failure(kernel, check, str(block), shown)


def _value(word: int, dtype: str) -> object:
    """What a word stands for."""
    match dtype:
        case "bool_":
            return bool(word)
        case "f64":
            return struct.unpack("=d", struct.pack("=q", word))[0]
        case "f16" | "bf16" | "f32":
            return struct.unpack("=f", struct.pack("=q", word)[:4])[0]
        case "u64":
            return word % (1 << 64)
        case _:
            return word
