"""Errors about accumulators and raw tensors (O050 to O059)."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Correctable, Error, Help


class UnsafeNeeded(Error):
    """
    A `Raw` tensor is accessed outside a block that says why that is right.

    Nothing is proved and nothing is checked of an access to a raw tensor: neither that its indices are in bounds, nor
    that tile blocks keep out of each other's way. So each stands in a block `with fh.unsafe("..."):`, with the reason
    in words. `report-obligations` and `Kernel.explain` list them.
    """

    code: ClassVar[str] = "O050"
    title: ClassVar[str] = "`{name}` is raw, and is accessed outside `unsafe`"
    label: ClassVar[str] = "nothing would be proved of this access"
    helps: ClassVar[tuple[str, ...]] = (
        'say why it is right: `with fh.unsafe("..."):` around it',
        "or declare `{name}` as `Ref`, `Mut`, `Out` or `Acc`, which need no reason",
    )
    name: str


class UpdateUnavailable(Error):
    """
    The hardware has no atomic update of this kind for elements of this dtype.

    Sums are there for `i32`, `i64`, their unsigned twins and floats of 16 bits and more; all others for 32-bit and
    64-bit integers alone.
    """

    code: ClassVar[str] = "O051"
    title: ClassVar[str] = "`{name}` is `{dtype}`, which has no atomic `{update}`"
    label: ClassVar[str] = "`{update}` is there for {known}"
    name: str
    update: str
    dtype: str
    known: str

    class TwoKernels(Help):
        """How to combine what blocks have found without an atomic update."""

        text: ClassVar[str] = "let each block store its own result in an `Out`, and combine those in a second kernel"


class NotAnUnsafeBlock(Correctable):
    """
    An `unsafe` block is not as it has to be.

    It names its reason in a text that is known at compile time, `with fh.unsafe("why this is right"):`, and nothing
    leaves it by `return`.
    """

    code: ClassVar[str] = "O052"
    title: ClassVar[str] = "{what}"
    label: ClassVar[str] = "{why}"
    what: str
    why: str
