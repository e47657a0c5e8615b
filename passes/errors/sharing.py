"""Errors about accumulators and raw tensors (O130 to O139)."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error, Help, Label, Note


class UsedInTwoWays(Error):
    """
    A tensor is used in two ways that do not go together.

    An accumulator takes updates of one kind from all tile blocks at once. That they may meet rests on nothing else
    touching the tensor: who read it would see some updates and not others, and a plain store would undo them. A raw
    tensor may be touched in any way by what is declared unsafe, so nothing can be proved of its other uses.
    """

    code: ClassVar[str] = "O130"
    title: ClassVar[str] = "`{name}` is {second} and {first}"
    label: ClassVar[str] = "`{name}` is {second} here"
    notes: ClassVar[tuple[str, ...]] = ("what one tile block does there would depend on when another does the other",)
    name: str
    first: str
    second: str

    class First(Label):
        """The other use."""

        text: ClassVar[str] = "`{name}` is {first} here"

    class Another(Help):
        """The form without a race."""

        text: ClassVar[str] = "use two tensors, or two kernels: the second sees all that the first has done"


class UpdatesDiffer(Error):
    """
    An accumulator is updated in two ways that do not commute.

    Tile blocks run in no fixed order. Sums come out the same in any order of the summands, and maxima of the
    candidates; but a sum and a maximum of one element depend on which comes first.
    """

    code: ClassVar[str] = "O131"
    title: ClassVar[str] = "`{name}` takes updates that do not commute: `{first}` and `{second}`"
    label: ClassVar[str] = "`{second}` here"
    notes: ClassVar[tuple[str, ...]] = ("blocks run in no fixed order, and the result would depend on it",)
    name: str
    first: str
    second: str

    class First(Label):
        """The first update."""

        text: ClassVar[str] = "`{first}` here"

    class Witness(Note):
        """An element for which the order matters."""

        text: ClassVar[str] = (
            "of {old}, `{first}` with {one} and then `{second}` with {other} makes {forth}, and the other way {back}"
        )
        first: str
        second: str
        old: int
        one: int
        other: int
        forth: int
        back: int

    class TwoTensors(Help):
        """The way out."""

        text: ClassVar[str] = "give each kind of update an `Acc` parameter of its own"


class UnsafeDenied(Error):
    """
    A kernel that may hold nothing unsafe has an unsafe access.

    Under `deny_unsafe` every access is proved, or checked. The accesses in a block `with fh.unsafe(...)` are neither:
    they rest on the reason that their author gives.
    """

    code: ClassVar[str] = "O132"
    title: ClassVar[str] = "an unsafe access to `{name}`, and these are denied"
    label: ClassVar[str] = "nothing is proved of this access"
    name: str

    class Reason(Note):
        """What its author says."""

        text: ClassVar[str] = 'its author says: "{reason}"'
        reason: str

    class Safe(Help):
        """What needs no opt-out."""

        text: ClassVar[str] = "read by `gather` from a `Ref`, update an `Acc`, or store to a region of a `Mut`"

    class Allow(Help):
        """The opt-out of the opt-out."""

        text: ClassVar[str] = "or allow it: leave out `deny_unsafe`"
