"""Locks that are free in a forked process, whatever other threads were doing."""

from __future__ import annotations

import os
from threading import RLock
from typing import Any, Final
from weakref import WeakSet


def mutex() -> Any:
    """A lock to be taken by `with`, as `threading.RLock`. A forked process has none of the threads that held it."""
    made: Any = RLock()
    _ALL.add(made)
    return made


_ALL: Final[WeakSet[Any]] = WeakSet()


def _renew() -> None:
    for held in list(_ALL):
        if not held._is_owned():  # the forking thread goes on
            held._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
