"""
What is in flight: for each stream the launches that were enqueued there, and how far it is.

For those who have to say what a GPU was doing. Timelines (`runtime.gpu.timeline`) keep these records.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable
from types import CodeType
from typing import Any, Final, NamedTuple, Protocol
from weakref import WeakSet


class Trace(NamedTuple):
    """A launch that may be running. Holds nothing that a collection of garbage has to look at: there are thousands."""

    tick: int
    when: int
    """In nanoseconds, by `time.monotonic_ns`."""
    what: str
    """What it is, in an error's words."""
    code: CodeType | None
    instruction: int
    """Where it was described."""


class Stream(Protocol):
    """A record of what was enqueued on one stream."""

    finished: int
    """The last tick that is known to be done."""
    trail: deque[tuple[int, int, str, CodeType | None, int]]
    """Launches as `Trace`s, in order."""


streams: Final[WeakSet[Any]] = WeakSet()
"""Each once, whatever it is called: those of single threads, too. Timelines enter themselves, as a `Stream` each."""


def every() -> list[Any]:
    """All streams, while other threads may enter theirs."""
    while True:
        try:
            return list(streams)
        except RuntimeError:  # one was entered meanwhile
            continue


watchers: Final[list[Callable[[int, Any, Trace], object]]] = []
"""Called with a GPU, its stream and a launch that is now known to be done. Under the timeline's lock."""


def unfinished() -> list[Trace]:
    """The launches that are not known to be done, the oldest first. Only so many of each stream are remembered."""
    found = [trace for known in every() for trace in map(Trace._make, list(known.trail)) if trace.tick > known.finished]
    return sorted(found, key=lambda trace: trace.when)


def never_drop(what: object) -> None:
    """Keeps something beyond the end of the process."""
    ctypes.PYFUNCTYPE(None, ctypes.py_object)(("Py_IncRef", ctypes.pythonapi))(what)
