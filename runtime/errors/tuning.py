"""Searches for the fastest configuration of a kernel (O290 to O293)."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error, Note


class NothingToChoose(Error):
    """
    A search found no configuration of a kernel that runs: the space is empty, or every one was refused.

    Configurations that are refused are left out of a search, with what their author is told of each; that all are is a
    mistake in what is common to them.
    """

    code: ClassVar[str] = "O290"
    title: ClassVar[str] = "no configuration of `{kernel}` can be measured: {why}"
    kernel: str
    why: str

    class Refused(Note):
        """The first that was refused, and why."""

        text: ClassVar[str] = "{configuration} was refused: {said}"
        configuration: str
        said: str


class ResultsDiffer(Error):
    """
    Two configurations of a kernel compute different results from the same arguments.

    A configuration decides how fast a kernel is, never what it computes, but for the order of sums. So results are
    compared before anything is measured: exactly for integers, and in their norm for floats. Nothing is chosen among
    configurations that disagree.
    """

    code: ClassVar[str] = "O291"
    title: ClassVar[str] = "configurations of `{kernel}` disagree about `{name}`"
    notes: ClassVar[tuple[str, ...]] = (
        "{second} differs from {first} by {difference:.2g} of the norm; up to {limit:.2g} is taken for rounding",
    )
    helps: ClassVar[tuple[str, ...]] = ("look for the one that is wrong, or allow more: `search(..., tolerance=...)`",)
    kernel: str
    name: str
    first: str
    second: str
    difference: float
    limit: float


class NoRecord(Error):
    """
    A tuned kernel was called with arrays of a kind that no search has been made for on this GPU.

    A record counts for one kernel as it is written, one GPU, and the dtypes and shapes of the arrays.
    """

    code: ClassVar[str] = "O292"
    title: ClassVar[str] = "`{kernel}` has not been tuned for {given}"
    helps: ClassVar[tuple[str, ...]] = (
        "search first, with these arrays: `.search(...)`, or give a configuration for all others: `otherwise=`",
    )
    kernel: str
    given: str


class NoMeasure(Error):
    """How long the interpreter takes says nothing about a GPU, so arrays in the host's memory need a measure."""

    code: ClassVar[str] = "O293"
    title: ClassVar[str] = "nothing measures `{kernel}` on arrays in the host's memory"
    helps: ClassVar[tuple[str, ...]] = (
        "pass arrays on a GPU, or a function of your own: `search(..., measure=lambda run: seconds)`",
    )
    kernel: str
