"""Launches that check something while they run: where each of them writes what fails (`runtime.gpu.failures`)."""

from __future__ import annotations

import os
from functools import cache
from threading import get_ident
from typing import Final

from freehold.runtime.gpu import driver
from freehold.runtime.gpu.driver import unseen
from freehold.runtime.gpu.failures import LOCK, CheckedLaunch, CheckedReplay, Log, Slot, Words, captures, fresh, logs
from freehold.runtime.gpu.flight import never_drop
from freehold.runtime.gpu.timeline import Timeline, timeline
from freehold.support.contract import FAILURE_SLOTS, KernelCheck

_room: Final[dict[int, tuple[Words, int]]] = {}
"""By GPU: memory for launches that graphs capture, and how much of it is taken."""


def enter(device: int, handle: int, kernel: str, checks: tuple[KernelCheck, ...]) -> int:
    """The address that a launch on a stream passes to its kernel. The launch comes next."""
    entry = CheckedLaunch(kernel, checks, get_ident())
    try:
        with LOCK:
            if driver.captures(handle):
                return _capture(device, handle, entry)
            address = _log(timeline(device, handle)).enter(entry)
            fresh.append(entry)
            return address
    except Exception as e:
        driver.failed("making room for what a kernel checks", e)


def _capture(device: int, handle: int, entry: CheckedLaunch) -> int:
    """The words of a launch that is captured: it may run any number of times, so they are its own for ever."""
    with unseen():
        words, number = _room.get(device) or (Words(device), 0)
        _log(timeline(device))  # from here on whoever waits looks
    _room[device] = (words, number + 1)
    if number + 1 == FAILURE_SLOTS:
        del _room[device]
    captures.setdefault(handle, []).append(Slot(words, number, entry))
    return words.base + 8 * number


def replayed(slots: tuple[Slot, ...], user: Timeline) -> None:
    """Says that a graph with these launches was enqueued on a stream."""
    with LOCK:
        entry = CheckedReplay(slots, get_ident(), driver.record(user.stream))
        _log(user).replays.append(entry)
        fresh.append(entry)


def _log(user: Timeline) -> Log:
    if user.log is None:
        _watch()
        user.log = Log(user.device, user.stream)
        logs.append(user.log)
    return user.log


@cache
def _watch() -> None:
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_forget)


def _forget() -> None:
    """In a forked process: the driver is gone, and so is its memory."""
    for known in (logs, fresh, captures, _room):
        never_drop(known.copy())
        known.clear()
