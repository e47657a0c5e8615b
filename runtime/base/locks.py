"""
Locks: one for each device, for who uses which bytes there and for the order of what is enqueued.

A lock is held while something is enqueued, and nothing waits for a GPU under one; so it is held for microseconds. It is
taken by `with` alone: its `__enter__` is written in C, and up to CPython 3.13 no signal is handled between that and the
block, so no exception leaves a lock behind. From 3.14 on one may be, so the native module's locks handle signals
themselves once they are taken; those without it do not. It is reentrant. Who needs several takes them in the order of
devices (`under`). What a collection of garbage runs takes none.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from freehold.runtime.base import native

T = TypeVar("T")

HOST: Final = -1
"""The device number of the host's memory."""

_LOCKS: Final[dict[int, Any]] = {}
"""By the number of a GPU, or `HOST`. They live as long as the process."""


def lock(device: int) -> Any:
    """The lock of a device: `with lock(0):`."""
    found = _LOCKS.get(device)
    return _LOCKS.setdefault(device, native.lock()) if found is None else found


def under(devices: Sequence[int], function: Callable[[], T]) -> T:
    """What a function returns that is called under the locks of some devices, which are in order and differ."""
    if not devices:
        return function()
    with lock(devices[0]):
        return under(devices[1:], function)


def _renew() -> None:
    """In a forked process: the threads that held them are not there."""
    for held in _LOCKS.values():
        native.renew(held)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
