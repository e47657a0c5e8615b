"""Errors about what a verified kernel is translated to (O140 to O149)."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error, Help, Label, Note


class TranslationNotShown(Error):
    """
    The code that was made of a verified kernel is not shown to do what was verified.

    When a kernel is compiled, its bytecode is read again and compared with the kernel as it was verified: what each
    access touches, under which conditions it runs, and which tile block works on which point. Something differs, or is
    written in a way that is not followed.

    The kernel is not at fault. Either Freehold is, and the code must not run; or the comparison knows too little. The
    kernel is refused in both cases. With `@fh.kernel(validate=False)`, or `FREEHOLD_VALIDATE=0` in the environment,
    nothing is compared: what was verified holds then if Freehold translates it rightly.
    """

    code: ClassVar[str] = "O140"
    title: ClassVar[str] = "what was emitted for `{kernel}` is not shown to do what was verified"
    label: ClassVar[str] = "{what}"
    notes: ClassVar[tuple[str, ...]] = ("this is a fault of Freehold or a limit of its validation, not of the kernel",)
    helps: ClassVar[tuple[str, ...]] = (
        "report it with the kernel; with `@fh.kernel(validate=False)` nothing is compared",
    )
    kernel: str
    what: str

    class Differs(Note):
        """The part of an access that is another one."""

        text: ClassVar[str] = "{part}: verified is `{wanted}`, emitted is `{found}`"
        part: str
        wanted: str
        found: str


class NotTranslated(Error):
    """
    No code is made of a kernel that was verified.

    Behind the verifiers, the kernel becomes Tile IR, and what is made is looked at again: that all accesses of a tile
    block that touch the same region come one after another, among other things. This knows less than the verifiers do.
    It does not know, for instance, that a branch is never taken. What it does not see to be right is refused.

    The kernel is not at fault, and says what it should. Often there is a plainer way to write it: take a region once,
    and load and store that; leave out a branch that is never taken.
    """

    code: ClassVar[str] = "O141"
    title: ClassVar[str] = "no code is made of `{kernel}`, although it was verified"
    label: ClassVar[str] = "{what}"
    notes: ClassVar[tuple[str, ...]] = ("this is a fault or a limit of Freehold, not of the kernel",)
    helps: ClassVar[tuple[str, ...]] = ("report it with the kernel",)
    kernel: str
    what: str

    class Earlier(Label):
        """The access that comes before."""

        text: ClassVar[str] = "the access that comes before"

    class OneRegion(Help):
        """One region, one name."""

        text: ClassVar[str] = "take the region of `{name}` once, and load and store that"
        name: str


class NotVerified(Error):
    """
    A kernel owes something that no verifier has shown.

    Each operation says by its type what it owes: that an index is in bounds, that regions are disjoint, that an output
    is covered. Verifiers write on the operation how that is met. Whatever nothing is written about is open, and no code
    is made of a kernel with an open duty, wherever its text comes from. `freehold.passes.pipeline.verify` runs all
    verifiers; behind it nothing is open.
    """

    code: ClassVar[str] = "O142"
    title: ClassVar[str] = "`{kernel}` is not verified"
    label: ClassVar[str] = "`{op}` owes that it is {duty}, and nothing says how that is met"
    helps: ClassVar[tuple[str, ...]] = ("run `{verifier}` first",)
    kernel: str
    op: str
    duty: str
    verifier: str
