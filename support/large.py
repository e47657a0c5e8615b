"""What work on large modules needs: room for regions in regions, and no search for garbage while millions are made."""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock
from typing import Final

MAX_NESTING: Final = 1000
"""The most regions that may stand in one another: in text, and in bytecode that is read or written."""
_FRAMES: Final = 40 * MAX_NESTING
"""More calls than any parser, printer, verifier or pass has open for that many regions."""

_LOCK: Final = Lock()
_open: list[tuple[int, bool]] = []
"""For each `large` that is open now: what the first of them found, Python's limit on calls and whether it collects."""


@contextmanager
def large() -> Generator[None]:
    """
    While it is open, as many calls may be open as `MAX_NESTING` regions take, and no garbage is looked for.

    Calls of Python by Python take none of the machine's stack, so that Python's limit on them is a matter of choice.
    A module is made of objects that all live on: looking for garbage among them would take half of the time.
    """
    with _LOCK:
        limit, collects = before = _open[0] if _open else (sys.getrecursionlimit(), gc.isenabled())
        _open.append(before)
        sys.setrecursionlimit(max(limit, _FRAMES))
        gc.disable()
    try:
        yield
    finally:
        with _LOCK:
            _open.pop()
            if not _open:
                sys.setrecursionlimit(limit)
                if collects:
                    gc.enable()
