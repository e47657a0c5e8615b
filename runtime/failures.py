"""
Checks that fail in kernels: where the GPU writes them down, and who is told.

A kernel that checks something while it runs gets the address of a few words in page-locked memory of the host, which
the GPU writes to only when a check fails. For each stream there is a ring of such words (`Log`), so a launch costs no
allocation, and to ask whether anything on a stream has failed is to compare some bytes with zeros.

Each failure is told once: to the `sync` or `await` that ran the launch, and that of a launch that was only enqueued to
whoever first waits for its stream, or for one that was made to wait for it. Being told is an exception (O233 to O235).
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock, get_ident
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

from freehold.runtime import driver
from freehold.runtime.faults import fresh, logs
from freehold.runtime.ledger import timelines
from freehold.support.contract import FAILURE_SLOTS, FAILURE_WORDS, KernelCheck

if TYPE_CHECKING:
    from freehold.runtime.plan import Plan
    from freehold.support.diagnostic import Error

_HALF: Final = FAILURE_SLOTS // 2
_BYTES: Final = 8 * FAILURE_SLOTS
_NOTHING: Final = bytes(_BYTES)
_LOCK: Final = Lock()


class Entry:
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
    entry: Entry


class Replay(Entry):
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
        self.base: Final = driver.page_locked(size, device)
        self.all: Final = (ctypes.c_int64 * (FAILURE_SLOTS * FAILURE_WORDS)).from_address(self.base)
        ctypes.memset(self.base, 0, size)

    def error(self, number: int, entry: Entry) -> Error | None:
        """What a launch has written down; None where that is nothing, or not yet all."""
        if self.all[number] <= 0:
            return None
        from freehold.runtime.errors.kernel_checks import failure_in

        return failure_in(entry.kernel, entry.checks, self.all[number::FAILURE_SLOTS])


class Log:
    """The launches of one stream: a ring of entries, with their words."""

    def __init__(self, device: int, handle: int):
        self.device: Final = device
        self.handle: Final = handle
        self.words: Final = Words(device)
        self.entries: Final[list[Entry | None]] = [None] * FAILURE_SLOTS
        self.next = 0
        self.seen = _NOTHING
        """The first words when they were last looked at."""
        self.marks: Final[list[Any]] = [None, None]
        """Events behind the launches of each half of the ring."""
        self.replays: list[Replay] = []
        self.failed: list[Entry] = []
        """Those that somebody has to be told of."""

    def enter(self, entry: Entry) -> int:
        """The address of the words of a launch that comes next."""
        number = self.next
        if not number % _HALF:
            self._turn(number // _HALF)
        self.entries[number] = entry
        self.next = (number + 1) % FAILURE_SLOTS
        return self.words.base + 8 * number

    def _turn(self, half: int) -> None:
        """Makes room in a half of the ring: waits until the launches are done that were there."""
        stream = driver.stream(self.handle, self.device)
        self.marks[1 - half] = driver.record(stream)
        mark, self.marks[half] = self.marks[half], None
        if mark is None:
            return
        mark.sync()
        self.look()
        first = 8 * half * _HALF
        ctypes.memset(self.words.base + first, 0, 8 * _HALF)
        self.seen = self.seen[:first] + bytes(8 * _HALF) + self.seen[first + 8 * _HALF :]

    def look(self) -> None:
        """Finds out what has failed."""
        now = ctypes.string_at(self.words.base, _BYTES)
        if now != self.seen:
            self.seen = now
            for number, entry in enumerate(self.entries):
                if entry is not None and not entry.failed and (error := self.words.error(number, entry)) is not None:
                    entry.failed = True
                    entry.errors = (error,)
                    self.failed.append(entry)
        for replay in list(self.replays) if self.replays else ():
            done = driver.is_done(replay.event)
            _read(replay.slots)
            if replay.errors:
                self.failed.append(replay)
            if replay.errors or done:
                self.replays.remove(replay)


_captured: Final[dict[int, list[Slot]]] = {}
"""By handle of a stream: the launches that are captured there, of graphs of other libraries or not yet complete."""

_room: Final[dict[int, tuple[Words, int]]] = {}
"""By GPU: memory for launches that graphs capture, and how much of it is taken."""


_places: Final[dict[tuple[int, int], Log]] = {}
"""By GPU and handle of a stream."""


def _log(device: int, handle: int) -> Log:
    found = _places.get((device, handle))
    if found is None:
        if not logs:
            os.register_at_fork(after_in_child=_forget)
        if handle == 1:  # the default stream's other name
            return _places.setdefault((device, 1), _log(device, 0))
        found = _places[device, handle] = Log(device, handle)
        logs[handle] = [*logs.get(handle, ()), found]
    return found


def _forget() -> None:
    """In a forked process: the driver is gone, and so is its memory."""
    for known in (logs, fresh, _places, _captured, _room):
        known.clear()


# --- For launches -----------------------------------------------------------------------------------------------------


def enter(plan: Plan, handle: int) -> int:
    """The address that a launch on a stream passes to its kernel. The launch comes next."""
    device = plan.device
    entry = Entry(plan.name, plan.contract.kernel_checks, get_ident())
    try:
        with _LOCK:
            if driver.captures(handle):
                return _capture(device, handle, entry)
            address = _log(device, handle).enter(entry)
            fresh.append(entry)
            return address
    except Exception as e:
        driver.failed("waiting for work in flight", e)


def _capture(device: int, handle: int, entry: Entry) -> int:
    """The words of a launch that is captured: it may run any number of times, so they are its own for ever."""
    words, number = _room.get(device) or (Words(device), 0)
    _room[device] = (words, number + 1)
    if number + 1 == FAILURE_SLOTS:
        del _room[device]
    _log(device, 0)  # from here on whoever waits looks
    _captured.setdefault(handle, []).append(Slot(words, number, entry))
    return words.base + 8 * number


def captured(handle: int) -> tuple[Slot, ...]:
    """The launches that were captured on a stream of ours, for the graph that they are in."""
    with _LOCK:
        return tuple(_captured.pop(handle, ()))


def replayed(slots: tuple[Slot, ...], device: int, stream: Any) -> None:
    """Says that a graph with these launches was enqueued on a stream."""
    with _LOCK:
        entry = Replay(slots, get_ident(), driver.record(stream))
        _log(device, int(stream.handle)).replays.append(entry)
        fresh.append(entry)


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
    with _LOCK:
        entries = [e for found in logs.values() for log in found for e in (*log.entries, *log.replays, *log.failed)]
        for entry in entries:
            if entry is not None and entry.owner is owner:
                entry.owner = None


def _own() -> list[Entry]:
    thread = get_ident()
    with _LOCK:
        if len(fresh) == 1 and fresh[0].owner == thread:
            return [fresh.pop()]
        own = [entry for entry in fresh if entry.owner == thread]
        fresh[:] = [entry for entry in fresh if entry.owner != thread]
    return own


# --- For those who have waited ----------------------------------------------------------------------------------------


def look(handle: int, owner: object = None) -> None:
    """
    Raises `Rejected` (O233 to O236) for what has failed on a stream, or on one that it was made to wait for, and is to
    be told to the calling thread, to `owner`, or to anybody.
    """
    handles = _before(handle) if len(logs) > 1 or _captured else [handle]
    _tell([log for h in handles for log in logs.get(h if h != 1 else 0, ())], owner)


def raise_failures() -> None:
    """
    Raises `Rejected` (O233 to O235) where checks have failed in kernels that were enqueued, and nobody was told yet.

    Waits for nothing: for those who wait by other means, such as `torch.cuda.synchronize()`.
    """
    _tell([log for found in list(logs.values()) for log in found], None)


def _tell(chosen: Iterable[Log], owner: object) -> None:
    thread = get_ident()
    errors: list[Error] = []
    with _LOCK:
        for log in chosen:
            log.look()
            if not log.failed:
                continue
            for entry in [e for e in log.failed if e.owner is None or e.owner in (thread, owner)]:
                log.failed.remove(entry)
                errors += _with_site(entry)
        for slots in _captured.values():
            _read(slots)
            for slot in slots:
                errors += slot.entry.errors
                slot.entry.errors = ()
        if fresh:
            fresh[:] = [entry for entry in fresh if entry.owner != thread]
    if errors:
        from freehold.support.diagnostic import Rejected

        raise Rejected(errors)


def _with_site(entry: Entry) -> tuple[Error, ...]:
    """The errors of an entry, with the place where it was launched, if that is known."""
    if entry.code is not None:
        from freehold.runtime.call_site import CallSite
        from freehold.runtime.errors.kernel_checks import IndexOutside

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
        replays = [r for found in logs.values() for log in found for r in log.replays if slot in r.slots]
        for entry in replays or [slot.entry]:  # the words are those of all runs in flight
            entry.errors += (error,)


def _before(handle: int) -> list[int]:
    """A stream, and those that it was made to wait for, by their handles."""
    found = [0 if handle == 1 else handle]
    for known in found:
        for of_device in list(timelines.values()):
            if (timeline := of_device.get(known)) is not None:
                found += [h for other in list(timeline.seen) if (h := int(other.stream.handle)) not in found]
    return found
