"""What work on large modules needs: room for regions in regions, and no search for garbage while millions are made."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import get_ident
from typing import Final

from freehold.support.locks import mutex

MAX_NESTING: Final = 1000
"""The most regions that may stand in one another: in text, and in bytecode that is read or written."""
_FRAMES: Final = 40 * MAX_NESTING
"""More calls than any parser, printer, verifier or pass has open for that many regions."""

_LOCK: Final = mutex()
_open: list[tuple[int, int, bool]] = []
"""
For each `large` that is open now: its thread, and what the first of them found, Python's limit on calls and whether it
collects.
"""


@contextmanager
def large() -> Generator[None]:
    """
    While it is open, as many calls may be open as `MAX_NESTING` regions take, and no garbage is looked for.

    Calls of Python by Python take none of the machine's stack, so that Python's limit on them is a matter of choice.
    A module is made of objects that all live on: looking for garbage among them would take half of the time.
    """
    with _LOCK:
        _, limit, collects = _open[0] if _open else (0, sys.getrecursionlimit(), gc.isenabled())
        own = (get_ident(), limit, collects)
        _open.append(own)
        sys.setrecursionlimit(max(limit, _FRAMES))
        gc.disable()
    try:
        yield
    finally:
        with _LOCK:
            _close([own])


def _close(which: list[tuple[int, int, bool]]) -> None:
    """Takes some of those that are open for closed."""
    if which and len(which) == len(_open):
        _, limit, collects = _open[0]
        sys.setrecursionlimit(limit)
        if collects:
            gc.enable()
    for one in which:
        _open.remove(one)


def _forget() -> None:
    """In a forked process: other threads are not there, so what they had open never ends."""
    _close([one for one in _open if one[0] != get_ident()])


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
