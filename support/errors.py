"""Errors about how Freehold's own functions are called, outside kernels (O045)."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error, Help


class WrongCall(Error):
    """
    A function, a class or a method of Freehold was called with arguments that it does not take.

    It is a `TypeError` and a `ValueError`, too, as what Python's own functions raise. The arguments of kernels and
    partitions have errors of their own (O201 to O229).
    """

    code: ClassVar[str] = "O045"
    title: ClassVar[str] = "`{function}` was called wrongly: {wrong}"
    function: str
    wrong: str

    class Signature(Help):
        """How it is called."""

        text: ClassVar[str] = "its signature is `{signature}`"
        signature: str
