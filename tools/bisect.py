"""`tile-opt --bisect COMMAND`: which pass of a pipeline makes a command fail that succeeds before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.passes import ModulePass


def first_failure(passes: Sequence[ModulePass], after: Callable[[int], bool]) -> int | None:
    """
    The number of passes, from 1, after which a check fails and before the last of which it succeeds.

    `after` says whether it fails after so many passes. 0 where it fails on what was read; None where it succeeds
    after all. A check that fails, succeeds and fails again has several such passes, and one of them is found.
    """
    if after(0):
        return 0
    if not after(len(passes)):
        return None
    good, bad = 0, len(passes)
    while bad - good > 1:
        middle = (good + bad) // 2
        if after(middle):
            bad = middle
        else:
            good = middle
    return bad
