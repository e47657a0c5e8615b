"""Errors about who may touch a tensor, and when (O101 to O119, with `partition`)."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error, Help, Label, Note


class StoreThroughShared(Error):
    """
    A kernel stores through a shared borrow.

    A `Ref` parameter is lent to every tile block of the launch, and to other launches, for reading. If one of them
    could write it, what the others read would depend on timing. Only the region of a `Mut` or `Out` parameter that
    belongs to a block can be stored to, and without an index.
    """

    code: ClassVar[str] = "O102"
    title: ClassVar[str] = "cannot store through `{name}`: it is a shared borrow"
    label: ClassVar[str] = "a store needs exclusive access to `{name}`"
    notes: ClassVar[tuple[str, ...]] = ("every tile block may read `{name}` while this one writes it",)
    name: str

    class Borrowed(Label):
        """Where the tensor is lent."""

        text: ClassVar[str] = "`{name}` is borrowed shared here"

    class StoreElsewhere(Help):
        """A region of the same shape that could be meant."""

        text: ClassVar[str] = "store to the exclusive region of `{other}`: `{other}.store(...)`"
        other: str

    class BorrowExclusively(Help):
        """The declaration that allows stores."""

        text: ClassVar[str] = "or declare `{name}` as `Mut`, and store to this block's region of it"


class BorrowedAndPartitioned(Error):
    """
    A tensor is read anywhere and written region by region in one kernel.

    Blocks run in no fixed order. While one writes its region, another may be reading that very place: it sees the old
    value, or the new one, or a part of each. A stencil that updates its array in place is the usual case. Within its
    own region a block may read and write as it likes: `u.load()` without an index.
    """

    code: ClassVar[str] = "O103"
    title: ClassVar[str] = "`{name}` is read anywhere while tile blocks write it"
    label: ClassVar[str] = "reads `{name}` where other tile blocks may write"
    notes: ClassVar[tuple[str, ...]] = ("blocks run in no fixed order, so this would be a data race",)
    name: str

    class Partitioned(Label):
        """What makes the writes."""

        text: ClassVar[str] = "`{name}` is split into regions for writing here"

    class Witness(Note):
        """Two blocks and the elements of which one reads what the other writes."""

        text: ClassVar[str] = (
            "where {sizes}, block {reader} reads `{name}[{read}]` and block {writer} owns `{name}[{owned}]`"
        )
        sizes: str
        reader: str
        read: str
        writer: str
        owned: str

    class DoubleBuffer(Help):
        """The form without a race."""

        text: ClassVar[str] = "read one tensor and write another: take `{name}` as `Ref` and add an `Out` of its shape"

    class OwnRegion(Help):
        """What may be read."""

        text: ClassVar[str] = "or read this block's own region only: `{name}.load()`"


class PartitionedTwice(Error):
    """
    A tensor is split into regions more than once.

    Each partition hands every element to a block of its own choosing, so two partitions hand one element to two
    blocks. A tensor is spent when it is partitioned.
    """

    code: ClassVar[str] = "O104"
    title: ClassVar[str] = "`{name}` is partitioned more than once"
    label: ClassVar[str] = "`{name}` was spent by an earlier partition"
    name: str

    class First(Label):
        """The first partition."""

        text: ClassVar[str] = "first partitioned here"


class UsedAfterRelease(Error):
    """
    A region is used after it was given back, or given back twice.

    `release` ends a block's ownership of a region before its work ends. What was released on one path, or in an earlier
    turn of a loop, counts as released.
    """

    code: ClassVar[str] = "O105"
    title: ClassVar[str] = "the region of `{name}` is {used} after it was released"
    label: ClassVar[str] = "{used} here"
    name: str
    used: str

    class Released(Label):
        """Where it was released."""

        text: ClassVar[str] = "released here{when}"
        when: str


class ReadBeforeStored(Error):
    """
    A block reads its region of an output before it has stored there.

    An `Out` parameter holds garbage when the kernel starts. Its region may be read back only where every path has
    stored to it: both branches of an `if`, and a loop that is shown to run at least once.
    """

    code: ClassVar[str] = "O107"
    title: ClassVar[str] = "`{name}` is read before it is stored"
    label: ClassVar[str] = "`{name}` holds garbage here{where}"
    notes: ClassVar[tuple[str, ...]] = ("`{name}` is an output: nothing is in it when the kernel starts",)
    name: str
    where: str

    class StoredOnSomePaths(Label):
        """A store that does not happen on every path."""

        text: ClassVar[str] = "this store does not happen on every path"

    class DeclareMut(Help):
        """The mode that may be read at once."""

        text: ClassVar[str] = "declare `{name}` as `Mut` if its old contents are meant"


class NotStored(Error):
    """
    A block may end its work without having stored to its region of an output.

    The host takes an `Out` argument for initialised once the kernel has run, so every block stores to its region on
    every path. A loop that may run no turn at all is a path around its body.
    """

    code: ClassVar[str] = "O108"
    title: ClassVar[str] = "the output `{name}` is not stored on every path"
    label: ClassVar[str] = "the work ends here without a store to `{name}`{where}"
    name: str
    where: str

    class StoredOnSomePaths(Label):
        """A store that does not happen on every path."""

        text: ClassVar[str] = "this store does not happen on every path"

    class TurnEnds(Label):
        """A `continue` or `break` in front of a store in a loop."""

        text: ClassVar[str] = "here a turn ends in front of the store"

    class Store(Help):
        """The store, where there is none."""

        text: ClassVar[str] = "store what was computed: `{name}.store(tile)`"

    class StoreFirst(Help):
        """A store that covers every path."""

        text: ClassVar[str] = "store in the other case, too, or store an initial value first"

    class StoreInFront(Help):
        """A store in front of a loop that may have no turn."""

        text: ClassVar[str] = "the loop may have no turn: store an initial value in front of it"

    class AskForATurn(Help):
        """What a launch is asked for, so that the loop has a turn."""

        text: ClassVar[str] = 'or ask the launch for a turn: `fh.require("{condition}")`'
        condition: str

    class DeclareMut(Help):
        """The mode for what may stay as it is."""

        text: ClassVar[str] = "or declare `{name}` as `Mut` if elements may keep what they held"


class NotTaken(Error):
    """
    A point of the launch takes no region of an output.

    There are as many points as regions. A point that takes none leaves a region that nobody writes, and the host takes
    the output for initialised once the kernel has run.
    """

    code: ClassVar[str] = "O109"
    title: ClassVar[str] = "the output `{name}` is left without a writer"
    label: ClassVar[str] = "the work may end here without taking a region of `{name}`"
    name: str

    class Partial(Help):
        """A partition that leaves elements as they are."""

        text: ClassVar[str] = "if the rest is to stay as it is, let the partition say so: `partial=True`"

    class DeclareMut(Help):
        """The mode for what may stay as it is."""

        text: ClassVar[str] = "or declare `{name}` as `Mut` if elements may keep what they held"


class OwnershipEscapes(Error):
    """
    A tensor, a borrow, a partition or a region is handed on through control flow.

    Which region a value is must be plain from where it was taken. A region that is chosen by an `if` or carried by a
    loop could be any of several, and nothing could be shown about it. Choose coordinates instead, and take the region
    at those.
    """

    code: ClassVar[str] = "O110"
    title: ClassVar[str] = "{what} of `{name}` is handed on through control flow"
    label: ClassVar[str] = "what is chosen or carried here must be a value, no ownership"
    name: str
    what: str

    class ChooseCoordinates(Help):
        """The way out."""

        text: ClassVar[str] = "choose or carry coordinates, and take the region behind that"


class UnknownUse(Error):
    """
    An operation that the verifier does not know uses a tensor, a borrow, a partition or a region.

    It may read or write anything. What is not understood is refused.
    """

    code: ClassVar[str] = "O111"
    title: ClassVar[str] = "`{op}` uses `{name}` in a way that is not understood"
    label: ClassVar[str] = "only operations of the ownership dialect may use {what}"
    name: str
    op: str
    what: str


class NotVerifiable(Error):
    """
    An operation reaches memory past the ownership dialect, or promises what nobody checks.

    Pointers, views, atomics, and operations that this version does not know may read or write anything. `assume` and
    overflow promises are undefined behaviour where they are wrong. A verified kernel has none of them.
    """

    code: ClassVar[str] = "O112"
    title: ClassVar[str] = "`{op}` {why}"
    label: ClassVar[str] = "not allowed in a verified kernel"
    op: str
    why: str
