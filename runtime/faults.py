"""
What goes wrong on a GPU while nobody looks: faults in kernels, forked processes, the end of the interpreter.

A fault is reported by whatever call of the driver comes next, and it ends the use of the GPU in this process. To say
which launch it was, the launches that may be in flight are remembered.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from freehold.runtime.launch import Launch

trail: Final[deque[tuple[Any, Launch | None]]] = deque(maxlen=4096)
"""Launches with their streams, in order; None where all before it on that stream was seen to be done."""


def unfinished() -> list[Launch]:
    """The launches that are not known to be done, the oldest first. Only so many are remembered."""
    found: list[tuple[Any, Launch]] = []
    for stream, launch in list(trail):
        if launch is None:
            found = [entry for entry in found if entry[0] is not stream]
        else:
            found.append((stream, launch))
    return [launch for _, launch in found]
