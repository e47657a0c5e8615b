"""Tensors that somebody else has, and views and contents that there are not (O250 to O257)."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error, Help, Label, Note

NOTHING_DONE = "nothing was enqueued"


class TensorMoved(Error):
    """
    A tensor was used after its contents were moved to another one.

    `x.move()` hands the memory of `x` over: the tensor that it returns owns it, and `x`, like every view of the same
    bytes, is only a name that is left over. An operation that consumes its argument does the same.
    """

    code: ClassVar[str] = "O250"
    title: ClassVar[str] = "`{name}` is used after it was moved"
    label: ClassVar[str] = "{doing} would {verb} it"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_DONE,)
    helps: ClassVar[tuple[str, ...]] = (
        "use the tensor that the move returned",
        "or move a copy, so that `{name}` stays: `{name}.copy().sync()`",
    )
    name: str
    doing: str
    """What it was used for, such as `this launch of `saxpy``."""
    verb: str
    """`read` or `write`."""

    class Moved(Label):
        text: ClassVar[str] = "moved here"


class TensorLent(Error):
    """
    A tensor was used in a way that those to whom it is lent exclude.

    While `with x.borrow() as array` lends `x` to the host, nobody may write it; while `x.borrow_mut()` does, nobody may
    read it either. Work that is in flight on a GPU lends nothing: what touches the same bytes later is put in order.
    """

    code: ClassVar[str] = "O251"
    title: ClassVar[str] = "`{name}` is lent{exclusively} to {holder}, and {doing} would {verb} it"
    label: ClassVar[str] = "would {verb} it"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_DONE,)
    helps: ClassVar[tuple[str, ...]] = (
        "leave the `with` block of the borrow before",
        "or take a copy before it is lent: `{name}.copy().sync()`",
    )
    name: str
    exclusively: str
    """` exclusively` or empty."""
    holder: str
    doing: str
    verb: str

    class Lent(Label):
        text: ClassVar[str] = "lent{exclusively} here"


class TensorExported(Error):
    """
    The memory of a tensor was to be freed while another library has it.

    An array that another library made of a tensor (`torch.from_dlpack(x)`) shares its memory for as long as it lives.
    """

    code: ClassVar[str] = "O252"
    title: ClassVar[str] = "`{name}` shares its memory with another library, and {doing} would {verb} it"
    label: ClassVar[str] = "would {verb} it"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_DONE,)
    helps: ClassVar[tuple[str, ...]] = ("delete the arrays of the other library before",)
    name: str
    doing: str
    verb: str

    class Exported(Label):
        text: ClassVar[str] = "exported here"


class TensorLost(Error):
    """
    A fault on the GPU destroyed what was in a tensor.

    After a fault in a kernel nothing on that GPU can be read any more; the process has to be started again to use it.
    """

    code: ClassVar[str] = "O253"
    title: ClassVar[str] = "the contents of `{name}` are lost"
    label: ClassVar[str] = "{doing} would {verb} it"
    notes: ClassVar[tuple[str, ...]] = ("{why}", NOTHING_DONE)
    helps: ClassVar[tuple[str, ...]] = ("start the process again, and mend the kernel that failed first",)
    name: str
    doing: str
    verb: str
    why: str
    """The fault, as a sentence."""


class TensorFreed(Error):
    """A tensor was used after `free()` gave its memory back. Views of a tensor share its memory and end with it."""

    code: ClassVar[str] = "O254"
    title: ClassVar[str] = "`{name}` is used after its memory was freed"
    label: ClassVar[str] = "{doing} would {verb} it"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_DONE,)
    helps: ClassVar[tuple[str, ...]] = (
        "free it after its last use; a tensor that nothing refers to is freed by itself",
    )
    name: str
    doing: str
    verb: str

    class Freed(Label):
        text: ClassVar[str] = "freed here"


class ViewUnfit(Error):
    """
    A view was asked for that a tensor does not have: an index that is out of bounds, a shape of another size, one that
    cannot be had without a copy, elements of a size that does not divide the tensor's last axis.

    Views never copy. Where one cannot be had, a copy has to be asked for.
    """

    code: ClassVar[str] = "O255"
    title: ClassVar[str] = "a tensor of shape {shape} has no view `{view}`"
    label: ClassVar[str] = "{problem}"
    shape: tuple[int, ...]
    view: str
    problem: str

    class Copy(Help):
        text: ClassVar[str] = "make a contiguous copy first: `.copy().sync()`"


class TensorUnfit(Error):
    """
    A tensor was described by something that describes none: a negative extent, elements that kernels do not have, a
    device that is not there, contents of another shape.
    """

    code: ClassVar[str] = "O256"
    title: ClassVar[str] = "{what} must be {expected}, not {given}"
    label: ClassVar[str] = "{given}"
    what: str
    expected: str
    given: str


class NoTensor(Error):
    """
    An object was to become a tensor and is no array that can be read.

    Arrays of NumPy, torch, CuPy and JAX are understood, whatever has `__dlpack__` or `__cuda_array_interface__`, and
    for copies whatever NumPy makes an array of.
    """

    code: ClassVar[str] = "O257"
    title: ClassVar[str] = "a tensor cannot be made of {given}"
    label: ClassVar[str] = "{given}"
    given: str

    class Because(Note):
        text: ClassVar[str] = "{why}"
        why: str
