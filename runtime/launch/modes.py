"""
Where kernels run: on the GPU, or on the interpreter in one of its modes, by the environment or by `with interpreting`.

The block decides for what is run in it by its thread, or its task of asyncio. Launches look for it only once a process
has used one: until then they cost nothing more.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, Final, Literal, NamedTuple, Protocol, get_args
from weakref import WeakSet

from freehold.runtime.errors.refusing import errors, reject

VARIABLE: Final = "FREEHOLD_INTERPRET"
"""The environment variable that runs everything on the interpreter, in the mode that it names."""

Kind = Literal["fast", "adversarial", "checked"]
"""What the interpreter does besides computing: docs/interpreter.md."""


class Mode(NamedTuple):
    """A mode of the interpreter."""

    kind: Kind = "fast"
    seed: int | None = None
    """Of what is left open: the order of blocks, and in adversarial mode all else. None: blocks in increasing order."""


FAST: Final = Mode()


class Guarded(Protocol):
    """What launches without asking where to, as long as there was no `interpreting`."""

    def guard(self) -> None:
        """Asks from here on."""


_mode: ContextVar[Mode | None] = ContextVar("freehold_mode", default=None)
_guarded: Final[WeakSet[Any]] = WeakSet()
_used: Final[list[Mode]] = []
"""The first mode of a block, once there was one."""


def current() -> Mode | None:
    """The mode in which kernels run; None where they run on the GPU, if their arrays are there. Raises `Rejected`."""
    return _mode.get() or environment()


@cache
def environment() -> Mode | None:
    """What the environment says. Raises `Rejected` (O245) where it says nothing that there is."""
    text = os.environ.get(VARIABLE, "").strip()
    if text in ("", "0"):
        return None
    kind, comma, rest = text.partition(",")
    name, _, number = rest.partition("=")
    if comma and (name.strip() != "seed" or not number.strip().isdecimal()):
        _refuse(f"{VARIABLE}={text}")
    return _of(FAST.kind if kind.strip() == "1" else kind.strip(), int(number) if comma else None, f"{VARIABLE}={text}")


@contextmanager
def interpreting(mode: Kind = "fast", *, seed: int | None = None) -> Generator[None]:
    """
    Runs what is launched in the block on the interpreter, also where arrays are on a GPU: `with interpreting():`.

    "fast" computes. "adversarial" runs tile blocks in an order that `seed` (0 unless given) decides, and lets them take
    turns at their accesses. "checked" finds races, accesses out of bounds and reads of what was never written, and
    raises `Rejected` with the lines of both accesses; with `seed`, tile blocks run in a random order there, too. It
    holds for the thread, or task of asyncio, that enters it; an inner block takes the place of an outer one.

    Raises `Rejected` (O245) for a mode that there is not.
    """
    chosen = _of(mode, seed, f"interpreting({mode!r}{'' if seed is None else f', seed={seed!r}'})")
    if not _used:
        _used.append(chosen)
        for launches in list(_guarded):
            launches.guard()
    with running(chosen):
        yield


@contextmanager
def running(mode: Mode | None) -> Generator[None]:
    """Runs what is launched in the block in a mode, or as it is done outside of all such blocks."""
    token = _mode.set(mode)
    try:
        yield
    finally:
        _mode.reset(token)


def _of(kind: str, seed: object, given: str) -> Mode:
    for known in get_args(Kind):
        if kind == known:
            if seed is None:
                return Mode(known, 0 if known == "adversarial" else None)
            if type(seed) is int and seed >= 0 and known != "fast":
                return Mode(known, seed)
    return _refuse(given)


def _refuse(given: str) -> Mode:
    reject(errors.ModeUnknown(None, given))


# --- Launches ---------------------------------------------------------------------------------------------------------


def watch(launches: Guarded) -> None:
    """Has launches asked to look, once there is something to look for."""
    _guarded.add(launches)
    if _used:
        launches.guard()


def chosen() -> Mode | None:
    """The mode of the block that is running; None outside of all."""
    return _mode.get()
