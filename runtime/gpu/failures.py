"""
Checks that fail in kernels: where the GPU writes them down, and who is told.

A kernel that checks something while it runs gets the address of a few words in page-locked memory of the host, which
the GPU writes to only when a check fails. For each stream there is a ring of such words (`Log`), so a launch costs no
allocation, and to ask whether anything on a stream has failed is to compare some bytes with zeros. Nobody waits for
room: where launches of a whole ring are in flight, another one is begun.

Each failure is told once: to the `sync` or `await` that ran the launch, and that of a launch that was only enqueued to
whoever first waits for its stream, or for one that was made to wait for it. Being told is an exception (O233 to O235).
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import get_ident
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

from freehold.runtime.base.call_site import CallSite
from freehold.runtime.errors.kernel_checks import IndexOutside, failure_in
from freehold.runtime.gpu import driver, transfers
from freehold.runtime.gpu.driver import unseen
from freehold.support.contract import FAILURE_SLOTS, FAILURE_WORDS, KernelCheck
from freehold.support.diagnostic import Rejected
from freehold.support.locks import mutex

if TYPE_CHECKING:
    from freehold.support.diagnostic import Error

_BYTES: Final = 8 * FAILURE_SLOTS
_NOTHING: Final = bytes(_BYTES)
LOCK: Final = mutex()


class CheckedLaunch:
    """A launch that checks something."""

    __slots__ = ("checks", "code", "errors", "failed", "instruction", "kernel", "owner")

    def __init__(self, kernel: str, checks: tuple[KernelCheck, ...], owner: object):
        self.kernel = kernel
        self.checks = checks
        self.owner = owner
        """Who is told: the number of the thread that has not said yet how it will wait; what an `await` waits with;
        None for whoever waits."""
        self.code: CodeType | None = None
        """Where it was described, of launches that were only enqueued."""
        self.instruction = 0
        self.failed = False
        """Whether it is known to have failed."""
        self.errors: tuple[Error, ...] = ()
        """What is to be told."""


@dataclass(slots=True, eq=False)
class Slot:
    """The words of one launch that a graph has captured."""

    words: Words
    number: int
    entry: CheckedLaunch


class CheckedReplay(CheckedLaunch):
    """A run of a graph."""

    __slots__ = ("event", "slots")

    def __init__(self, slots: tuple[Slot, ...], owner: object, event: Any):
        super().__init__("a graph", (), owner)
        self.slots = slots
        self.event = event
        """Behind it."""


class Words:
    """Page-locked memory for so many launches. It is never given back: a kernel in flight may write to it."""

    def __init__(self, device: int):
        size = _BYTES * FAILURE_WORDS
        self.base: Final = transfers.page_locked(size, device)
        self.all: Final = (ctypes.c_int64 * (FAILURE_SLOTS * FAILURE_WORDS)).from_address(self.base)
        ctypes.memset(self.base, 0, size)

    def error(self, number: int, entry: CheckedLaunch) -> Error | None:
        """What a launch has written down; None where that is nothing, or not yet all."""
        if self.all[number] <= 0:
            return None
        return failure_in(entry.kernel, entry.checks, self.all[number::FAILURE_SLOTS])


class Ring:
    """Words for the launches of one stream, which it takes one after the other."""

    def __init__(self, device: int):
        self.words: Final = Words(device)
        self.entries: Final[list[CheckedLaunch | None]] = [None] * FAILURE_SLOTS
        self.next = 0
        self.seen = _NOTHING
        """The first words when they were last looked at."""
        self.mark: Any = None
        """Once it is full: an event behind the last launch in it."""

    def failed(self) -> list[CheckedLaunch]:
        """Those of which it was not known before that they have failed."""
        now = ctypes.string_at(self.words.base, _BYTES)
        if now == self.seen:
            return []
        self.seen = now
        found: list[CheckedLaunch] = []
        for number, entry in enumerate(self.entries):
            if entry is not None and not entry.failed and (error := self.words.error(number, entry)) is not None:
                entry.failed = True
                entry.errors = (error,)
                found.append(entry)
        return found

    def clear(self) -> None:
        """Makes it as new."""
        ctypes.memset(self.words.base, 0, _BYTES)
        self.entries[:] = [None] * FAILURE_SLOTS
        self.seen, self.next = _NOTHING, 0


class Log:
    """The launches of one stream that check something."""

    def __init__(self, device: int, stream: Any):
        self._device: Final = device
        self._stream: Final = stream
        self.rings: Final[list[Ring]] = [Ring(device)]
        """The one in use, and before it those that are full, the oldest first."""
        self.replays: list[CheckedReplay] = []
        self.failed: list[CheckedLaunch] = []
        """Those that somebody has to be told of."""

    def enter(self, entry: CheckedLaunch) -> int:
        """The address of the words of a launch that comes next."""
        ring = self.rings[-1]
        if ring.next == FAILURE_SLOTS:
            ring = self._turn(ring)
        number = ring.next
        ring.entries[number] = entry
        ring.next = number + 1
        return ring.words.base + 8 * number

    def _turn(self, full: Ring) -> Ring:
        """An empty ring: the oldest one, if the launches are done that were there, or another one."""
        with unseen():
            # It is none of the timeline's: that has counted the launch that comes next.
            full.mark = driver.record(self._stream)
            oldest = self.rings[0]
            empty = oldest is not full and driver.is_done(oldest.mark)
        if empty:
            self.look()
            oldest.clear()
            self.rings.append(self.rings.pop(0))
        else:
            self.rings.append(Ring(self._device))
        return self.rings[-1]

    def look(self) -> None:
        """Finds out what has failed."""
        for ring in self.rings:
            self.failed += ring.failed()
        for replay in list(self.replays) if self.replays else ():
            done = driver.is_done(replay.event)
            _read(replay.slots)
            if replay.errors:
                self.failed.append(replay)
            if replay.errors or done:
                self.replays.remove(replay)


captures: Final[dict[int, list[Slot]]] = {}
"""By handle of a stream: the launches that are captured there, of graphs of other libraries or not yet complete."""

logs: Final[list[Log]] = []
"""Of all streams. Empty as long as no kernel that checks anything was launched."""

fresh: Final[list[CheckedLaunch]] = []
"""Launches of such kernels of which nobody has said yet how they are waited for."""


# --- For launches -----------------------------------------------------------------------------------------------------


def captured(handle: int) -> tuple[Slot, ...]:
    """The launches that were captured on a stream of ours, for the graph that they are in."""
    with LOCK:
        return tuple(captures.pop(handle, ()))


def publish(code: CodeType | None = None, instruction: int = 0) -> None:
    """Says that what the calling thread has launched is not waited for: whoever waits for its stream is told."""
    for entry in _own():
        entry.code, entry.instruction, entry.owner = code, instruction, None


def claim(owner: object) -> None:
    """Says that `owner` waits for what the calling thread has launched."""
    for entry in _own():
        entry.owner = owner


def disclaim(owner: object) -> None:
    """Says that `owner` does not wait any more: whoever waits for the streams is told."""
    with LOCK:
        for log in logs:
            rings = [entry for ring in log.rings for entry in ring.entries if entry is not None]
            for entry in (*rings, *log.replays, *log.failed):
                if entry.owner is owner:
                    entry.owner = None


def _own() -> list[CheckedLaunch]:
    thread = get_ident()
    with LOCK:
        if len(fresh) == 1 and fresh[0].owner == thread:
            return [fresh.pop()]
        own = [entry for entry in fresh if entry.owner == thread]
        fresh[:] = [entry for entry in fresh if entry.owner != thread]
    return own


# --- For those who have waited ----------------------------------------------------------------------------------------


def raise_failures() -> None:
    """
    Raises `Rejected` (O233 to O235) where checks have failed in kernels that were enqueued, and nobody was told yet.

    Waits for nothing: for those who wait by other means, such as `torch.cuda.synchronize()`.
    """
    tell(list(logs), None)


def tell(chosen: Iterable[Log], owner: object) -> None:
    """
    Raises `Rejected` (O233 to O236) for what these have written down and is to be told to the calling thread, to
    `owner`, or to anybody.
    """
    thread = get_ident()
    errors: list[Error] = []
    with LOCK:
        for log in chosen:
            log.look()
            if not log.failed:
                continue
            for entry in [e for e in log.failed if e.owner is None or e.owner in (thread, owner)]:
                log.failed.remove(entry)
                errors += _with_site(entry)
        for slots in captures.values():
            _read(slots)
            for slot in slots:
                errors += slot.entry.errors
                slot.entry.errors = ()
        if fresh:
            fresh[:] = [entry for entry in fresh if entry.owner != thread]
    if errors:
        raise Rejected(errors)


def _with_site(entry: CheckedLaunch) -> tuple[Error, ...]:
    """The errors of an entry, with the place where it was launched, if that is known."""
    if entry.code is not None:
        site = CallSite(entry.code, entry.instruction).span
        for error in entry.errors:
            if site is not None:
                error.add(IndexOutside.Launched(site))
    return entry.errors


def _read(slots: Sequence[Slot]) -> None:
    """Finds out which launches of a graph have failed, and makes room for the next failure."""
    for slot in slots:
        error = slot.words.error(slot.number, slot.entry)
        if error is None:
            continue
        slot.words.all[slot.number] = 0
        replays = [r for log in logs for r in log.replays if slot in r.slots]
        for entry in replays or [slot.entry]:  # the words are those of all runs in flight
            entry.errors += (error,)
