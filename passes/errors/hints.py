"""Hints that nobody follows (O160 to O169)."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error


class HintIgnored(Error):
    """
    A hint to the assembler that it does not follow.

    Hints say how code may be made faster and never change a result, so that the assembler passes over those that it
    does not know: of another architecture, of another operation, or with a value out of range. Nothing tells, then,
    that a kernel is compiled as if the hint were not there. This is a warning, of `tile-opt -Wunsupported-hints`.
    """

    code: ClassVar[str] = "O160"
    severity: ClassVar[str] = "warning"
    title: ClassVar[str] = "the hint `{hint}` is not followed"
    label: ClassVar[str] = "{why}"
    hint: str
    why: str


class HintRefused(Error):
    """
    A hint to the assembler that it does not follow, where every hint has to be one that it does.

    The same as O160, with `tile-opt -Werr-hints`.
    """

    code: ClassVar[str] = "O161"
    title: ClassVar[str] = "the hint `{hint}` is not followed"
    label: ClassVar[str] = "{why}"
    hint: str
    why: str
