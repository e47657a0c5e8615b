"""Modules that bytecode has no form for, and bytecode that cannot be read (O410 to O413)."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error, Label, Note


class NotInVersion(Error):
    """
    A module was to be written for a version of Tile IR that lacks something the module uses.

    Tile IR grows with the CUDA toolkit: an assembler of CUDA 13.3 reads bytecode up to version 13.3. Without a target
    version the lowest one that has everything is chosen.
    """

    code: ClassVar[str] = "O410"
    title: ClassVar[str] = "{what} is new in Tile IR {needs} and cannot be written for {target}"
    label: ClassVar[str] = "needs Tile IR {needs}"
    helps: ClassVar[tuple[str, ...]] = ("write version {enough} or later: `--version {enough}`",)

    what: str
    """The operation, field, type or value."""
    needs: str
    """The version it came with."""
    target: str
    """The version asked for."""
    enough: str
    """The lowest version that has everything in the module."""

    class Also(Label):
        """Another use of the same."""

        text: ClassVar[str] = "needs Tile IR {needs}, too"
        needs: str

    class More(Note):
        """How many uses are not shown."""

        text: ClassVar[str] = "further places that use it: {places}"
        places: int

    class Used(Note):
        """What uses it, where no place in a source text could be shown."""

        text: ClassVar[str] = "used by an operation `{op}`"
        op: str


class UnknownVersion(Error):
    """A version of Tile IR bytecode that does not exist, or that this release does not write."""

    code: ClassVar[str] = "O411"
    title: ClassVar[str] = "there is no Tile IR bytecode version {version}"
    helps: ClassVar[tuple[str, ...]] = ("choose one of {known}",)

    version: str
    known: str


class NotBytecode(Error):
    """
    A module holds something that Tile IR bytecode has no form for.

    Bytecode holds modules of `cuda_tile` operations and nothing else: operations of other dialects are converted
    first (`convert-ownership-to-cuda-tile`), and values must be defined before they are used.
    """

    code: ClassVar[str] = "O412"
    title: ClassVar[str] = "{what} has no form in Tile IR bytecode"
    label: ClassVar[str] = "{why}"

    what: str
    why: str


class UnreadableBytecode(Error):
    """
    A file that should hold Tile IR bytecode does not follow the format.

    Bytecode of the versions 13.1 to 13.5 is read. A truncated download, a text file, and a file of a later version
    are the usual causes.
    """

    code: ClassVar[str] = "O413"
    title: ClassVar[str] = "`{file}` is not Tile IR bytecode, or it is damaged: {reason} (byte {offset})"

    file: str
    reason: str
    offset: int
    """Bytes from the start of the file to what could not be read."""
