"""What work on large modules needs: room for regions in regions, and no search for garbage while millions are made."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from functools import wraps
from threading import get_ident
from typing import Any, Final, Generic, ParamSpec, TypeVar

from freehold.support.locks import mutex

MAX_NESTING: Final = 1000
"""The most regions that may stand in one another: in text, and in bytecode that is read or written."""
_FRAMES: Final = 40 * MAX_NESTING
"""More calls than any parser, printer, verifier or pass has open for that many regions."""

_LOCK: Final = mutex()

Before = TypeVar("Before")
T = TypeVar("T")
P = ParamSpec("P")


class _Changed(Generic[Before]):
    """Something of the process that is otherwise as long as somebody, in any thread, needs it so."""

    def __init__(self, change: Callable[[], Before], restore: Callable[[Before], None]):
        self.change = change
        """Changes it, and says how it was."""
        self.restore = restore
        self.users: list[tuple[int, Before]] = []
        """The threads of those who need it now, each with what the first of them found."""

    def __call__(self) -> _Open:
        return _Open(self)

    def during(self, function: Callable[P, T]) -> Callable[P, T]:
        """A function that has it so. The frame around it is one of ours, which errors leave out of their tracebacks."""

        @wraps(function)
        def changed(*args: P.args, **kwargs: P.kwargs) -> T:
            with _Open(self):
                return function(*args, **kwargs)

        return changed

    def enter(self) -> tuple[int, Before]:
        """One more needs it, in this thread."""
        own = get_ident(), self.users[0][1] if self.users else self.change()
        self.users.append(own)
        return own

    def forget(self) -> None:
        """In a forked process: other threads are not there, so what they needed is needed no more."""
        self.leave([user for user in self.users if user[0] != get_ident()])

    def leave(self, which: list[tuple[int, Before]]) -> None:
        """Some of the users need it no more."""
        if which and len(which) == len(self.users):
            self.restore(self.users[0][1])
        for one in which:
            self.users.remove(one)


class _Open:
    """While it is open, all of these are changed. A generator would take several times as long."""

    __slots__ = ("changed", "own")

    def __init__(self, *changed: _Changed[Any]):
        self.changed = changed

    def __enter__(self) -> None:
        with _LOCK:
            self.own = [each.enter() for each in self.changed]

    def __exit__(self, *_: object) -> None:
        with _LOCK:
            for each, own in zip(self.changed, self.own, strict=True):
                each.leave([own])


def _collect_nothing() -> bool:
    collects = gc.isenabled()
    gc.disable()
    return collects


def _allow_calls() -> int:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _FRAMES))
    return limit


uncollected: Final = _Changed(_collect_nothing, lambda collects: gc.enable() if collects else None)
"""
`with uncollected():` while it is open, no garbage is looked for.

A module is made of objects that all live on: looking for garbage among them would take half of the time where they are
millions, and a twentieth of that of a small kernel.
"""
_deep: Final = _Changed(_allow_calls, sys.setrecursionlimit)


def large() -> _Open:
    """
    While it is open, as many calls may be open as `MAX_NESTING` regions take, and no garbage is looked for.

    Calls of Python by Python take none of the machine's stack, so that Python's limit on them is a matter of choice.
    """
    return _Open(uncollected, _deep)


def during(function: Callable[P, T]) -> Callable[P, T]:
    """A function during which it is `large()`."""
    return uncollected.during(_deep.during(function))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=uncollected.forget)
    os.register_at_fork(after_in_child=_deep.forget)
