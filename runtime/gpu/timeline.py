"""
Timelines: for each stream one record of all that is enqueued on it and not known to be done.

Operations are enqueued on a stream one after the other and run in that order. Its timeline counts them; the number of
an operation is its tick. Nothing is recorded in the driver when an operation is enqueued. Only when another timeline,
or the host, has to wait is an event recorded (`Timeline.mark`), and it serves everybody who asks for that tick or an
earlier one. What must live until a tick, and which launch it was, stand in the same record: whoever learns how far the
stream is, by whatever means, says so (`Timeline.reach`), and all that is behind is let go of.

A thread of the host that works itself is a timeline, too.
"""

from __future__ import annotations

import atexit
import os
from collections import defaultdict, deque
from collections.abc import Callable
from functools import cache
from threading import Condition, RLock, local
from time import monotonic, monotonic_ns, sleep
from types import CodeType
from typing import Any, Final, NoReturn

from freehold.runtime.base import native
from freehold.runtime.base.locks import HOST, lock, under
from freehold.runtime.gpu import driver, failures, flight
from freehold.runtime.gpu.driver import unseen
from freehold.runtime.gpu.flight import never_drop
from freehold.support.diagnostic import Rejected

MOST_MARKS: Final = 64
"""Events of one stream that wait to be looked at."""

MOST_KEPT: Final = 32
"""Things that are kept for a stream before it is looked how far that is."""

FOR_EVER: Final = 1 << 62
"""A tick after all others."""

PER_THREAD: Final = 2
"""The handle that means another stream in each thread."""


class Timeline:
    """A stream of a GPU: what is enqueued on it runs in that order."""

    __slots__ = (
        "__weakref__", "device", "eager", "finished", "kept", "lock", "log", "marks", "now", "remember", "seen",
        "stream", "trail",
    )  # fmt: skip

    def __init__(self, device: int, stream: Any, eager: bool = False):
        self.device: Final = device
        """The number of the GPU, or `HOST`."""
        self.stream: Any = stream
        """Of cuda.core; None on the host."""
        self.eager: Final = eager
        """Whether an event is recorded behind each operation: no other thread can record one there."""
        self.lock: Final = lock(device)
        """Under which it changes."""
        self.now: int = 0
        """Operations enqueued so far: the tick of the last one."""
        self.finished: int = 0
        """The last tick that is known to be done."""
        self.marks: deque[tuple[int, Any]] = deque()
        """Events with the ticks that they stand for, the oldest first."""
        self.seen: dict[Timeline, int] = {}
        """The ticks of others that whatever is enqueued here next comes after."""
        self.kept: deque[tuple[int, object]] = deque()
        """What is kept alive until a tick is done, the earliest first."""
        self.trail: deque[tuple[int, int, str, CodeType | None, int]] = deque(maxlen=4096)
        """Launches as `Trace`s, in order."""
        self.remember: Final = self.trail.append
        self.log: failures.Log | None = None
        """Where checks that fail in kernels here are written down (`runtime.gpu.failures`)."""
        flight.streams.add(self)

    def __repr__(self) -> str:
        return f"<timeline of {self.stream!r}, {self.finished} of {self.now} done>"

    # --- What is enqueued ---------------------------------------------------------------------------------------------

    def trace(self, what: str, code: CodeType | None, instruction: int) -> None:
        """Notes which launch was enqueued last, and where it was described."""
        self.remember((self.now, monotonic_ns(), what, code, instruction))

    def keep(self, what: object, tick: int | None = None) -> None:
        """Keeps something alive until the operation at a tick is done; all that is enqueued, unless given."""
        with self.lock:
            self.kept.append((self.now if tick is None else tick, what))
            self.enqueued()

    def keep_for_last(self, what: object) -> None:
        """Keeps something alive until the operation at the last tick, which comes next, is done. Under the lock."""
        self.kept.append((self.now, what))

    def enqueued(self) -> None:
        """Says that the operation at the last tick is in the stream. Under the lock."""
        if self.eager:
            self.record()
        elif self.kept and not len(self.kept) % MOST_KEPT and not self.is_capturing():
            self.mark()  # so that somebody finds out, if nobody waits
            self.collect()

    # --- How far it is ------------------------------------------------------------------------------------------------

    def reach(self, tick: int) -> None:
        """Says that the operation at a tick is done, and lets go of what was kept for it. Never under the lock."""
        with self.lock:
            self._reach(tick)
        let_go()

    def _reach(self, tick: int) -> None:
        self.finished = max(self.finished, tick)
        while self.marks and self.marks[0][0] <= self.finished:
            self.marks.popleft()
        if flight.watchers:
            while self.trail and self.trail[0][0] <= self.finished:
                done = self.trail.popleft()
                for watch in flight.watchers:
                    watch(self.device, self.stream, flight.Trace._make(done))
        elif self.trail and self.trail[-1][0] <= self.finished:  # otherwise those that are done stay till all are
            self.trail.clear()
        if self.kept:
            _LET_GO.extend([what for at, what in self.kept if at <= self.finished])
            left = [kept for kept in self.kept if kept[0] > self.finished]
            self.kept = deque(left)

    def mark(self, tick: int | None = None) -> tuple[int, Any]:
        """
        An event that is done when the operation at `tick` is (all that is enqueued, unless given), and its tick.

        One that was recorded at that tick or later serves again.
        """
        with self.lock:
            wanted = self.now if tick is None else tick
            for found in self.marks:
                if found[0] >= wanted:
                    return found
            return self.record()

    def record(self) -> tuple[int, Any]:
        """A new event after all that is on the stream, with what other libraries enqueued there, and its tick."""
        with self.lock:
            if len(self.marks) > MOST_MARKS:
                self.collect()
            with driver.on_device(self.device), unseen():
                made = (self.now, driver.record(self.stream))
            self.marks.append(made)
        return made

    def passed(self, tick: int) -> bool:
        """Whether the operation at a tick is known to be done, without waiting. Of a GPU that is lost, none is."""
        try:
            return self.has_passed(tick)
        except Exception as e:
            if not driver.is_of_driver(e):
                raise
            return False

    def has_passed(self, tick: int) -> bool:
        """As `passed`, but raises what the driver says of a GPU that is lost."""
        if tick > self.finished and self.marks:
            self._look()
        return tick <= self.finished

    def collect(self) -> None:
        """Finds out how far the stream is, and forgets events that are done."""
        self.passed(self.now)

    def _look(self) -> None:
        with self.lock, unseen():
            done = 0
            for tick, event in self.marks:
                if not event.is_done:
                    break
                done = tick
            if done:
                self._reach(done)

    def join(self, tick: int | None = None) -> None:
        """
        Waits until the operation at a tick is done; all that is enqueued, unless given. Never under a lock.

        Raises `Rejected` (O241; O233 to O235 if a check failed in a kernel).
        """
        if (tick is None or not self.passed(tick)) and not self.is_capturing():
            number, event = self.mark(tick)
            try:
                with unseen():
                    event.sync()
            except Exception as e:
                driver.failed("waiting for work in flight", e)
            self.reach(number)
        self.tell()

    def wait(self, what: str, owner: object = None) -> None:
        """
        Waits until the stream is empty. `what` is what runs there, for errors; `owner` is told what failed in it.

        Raises `Rejected` (O241, O280; O233 to O235 if a check failed in a kernel).
        """
        if self.eager:  # the calling thread may be another one, and its stream of this name, too
            self.join(self.now)
            return
        with self.lock:
            tick = self.now
        try:
            self.stream.sync()
        except Exception as e:
            driver.failed(what, e)
        self.reach(tick)
        self.tell(owner)

    def tell(self, owner: object = None) -> None:
        """Raises `Rejected` for checks that have failed on the stream, and on those that it came after."""
        if failures.logs:
            failures.tell([known.log for known in self.earlier() if known.log is not None], owner)

    # --- In which order -----------------------------------------------------------------------------------------------

    def after(self, other: Timeline, tick: int) -> None:
        """Makes what is enqueued here next wait for a tick of another stream. Under both locks."""
        if other is self or self.seen.get(other, 0) >= tick or other.passed(tick) or other.is_capturing():
            return
        number, event = other.mark(tick)
        self.after_event(event)
        self.seen[other] = number

    def follow(self, other: Timeline, tick: int) -> None:
        """As `after`, taking the locks."""
        under(sorted({self.device, other.device}), lambda: self.after(other, tick))

    def is_capturing(self) -> bool:
        """Whether another library captures a graph on it: what is put there is not run, and nobody can wait for it."""
        return driver.is_capturing(self.stream)

    def disturbs_a_capture(self) -> bool:
        """As `is_capturing`; or whether a capture by somebody else would fail, were anything put there now."""
        return driver.disturbs_a_capture(self.stream)

    def after_event(self, event: Any) -> None:
        """Makes what is enqueued here next wait for an event of any stream. Raises `Rejected` (O241)."""
        try:
            with driver.on_device(self.device):  # the calling thread may have no GPU yet, or another one
                self.stream.wait(event)
        except Exception as e:
            driver.failed("ordering streams", e)

    def earlier(self) -> list[Timeline]:
        """It, and those that it was made to wait for."""
        found: list[Timeline] = [self]
        for known in found:
            found += [other for other in list(known.seen) if other not in found]
        return found

    def renew(self) -> None:
        """In a forked process: the driver is not there. Nothing waits for what was enqueued, and no more can be."""
        never_drop((self.stream, self.marks, self.kept, self.log))
        self.stream, self.marks, self.kept, self.log = _Elsewhere(), deque(), deque(), None
        self.finished = FOR_EVER
        self.trail.clear()


class _Elsewhere:
    """Stands for a stream of the process that this one was forked from."""

    def __getattr__(self, name: str) -> NoReturn:
        driver.api()  # which says so
        raise AttributeError(name)


class HostTimeline(Timeline):
    """A thread that works itself: what it begins is done when it says so (`finish`)."""

    __slots__ = ("_changed", "_mutex", "_running")

    def __init__(self) -> None:
        super().__init__(HOST, None)
        self._mutex = RLock()  # `with` is safe from signals for it, and not for the condition
        self._changed = Condition(self._mutex)
        self._running: set[object] = set()

    def __repr__(self) -> str:
        return f"<timeline of a thread, {self.finished} of {self.now} done>"

    def begin(self, running: object) -> int:
        """The tick of an operation that begins, also within another one; `running` stands for it. Under a lock."""
        self._running.add(running)
        self.now += 1
        return self.now

    def finish(self, running: object) -> None:
        """Says that an operation is done, if it has begun."""
        with self._mutex:
            self._running.discard(running)
            if not self._running:
                self.finished = self.now
            self._changed.notify_all()

    def passed(self, tick: int) -> bool:
        """Whether the operation at a tick is done."""
        return tick <= self.finished

    def join(self, tick: int | None = None) -> None:
        """Waits until the operation at a tick is done."""
        wanted = self.now if tick is None else tick
        with self._mutex:
            self._changed.wait_for(lambda: self.finished >= wanted)

    def renew(self) -> None:
        """In a forked process: what its thread was doing has ended, wherever it was."""
        self._mutex = RLock()
        self._changed = Condition(self._mutex)
        self._running = set()
        self.finished = self.now


# --- All of them ------------------------------------------------------------------------------------------------------

timelines: Final[defaultdict[int, dict[int, Timeline]]] = defaultdict(dict)
"""Of streams that are the same in all threads, by GPU and handle, as `timeline` made them."""

_LET_GO: Final[deque[object]] = deque()
"""What was kept for work that is done. Its destructors may do anything, so none runs under a lock."""
_LATER: Final[deque[Callable[[], object]]] = deque()


class _Own(local):
    """Of the calling thread."""

    host: HostTimeline | None = None

    def __init__(self) -> None:
        self.streams: dict[int, Timeline] = {}
        """By GPU: of the stream that is another one in each thread."""


_OWN: Final = _Own()


def timeline(device: int, handle: int = 0) -> Timeline:
    """The timeline of a GPU's stream by its driver handle; 0 is the default stream. Of `HOST`: that of this thread."""
    if device == HOST:
        return host_timeline()
    known = _OWN.streams if handle == PER_THREAD else timelines[device]
    key = device if handle == PER_THREAD else handle
    found = known.get(key)
    if found is None:
        if handle == 1:  # the default stream's other name
            made = timeline(device)
        else:
            _watch()
            made = Timeline(device, driver.stream(handle, device), handle == PER_THREAD)
        found = known.setdefault(key, made)
    return found


def host_timeline() -> HostTimeline:
    """The timeline of the calling thread."""
    found = _OWN.host
    if found is None:
        found = _OWN.host = HostTimeline()
    return found


POSTPONED: Final = object()
"""What was left to be done and could not be done yet."""


def later(work: Callable[[], object]) -> None:
    """
    Has something done by whoever looks at a timeline next: for what a collection of garbage must not do itself.

    It is a call of the driver, so a forked process never does it. What returns `POSTPONED` is tried again then.
    """
    (never_drop if driver.forked else _LATER.append)(work)


def let_go() -> None:
    """Drops what was kept for work that is done, and does what was left to be done. Never under a lock."""
    if not _LET_GO and not _LATER:
        return
    _LET_GO.clear()
    if _LATER:
        with driver.unseen():  # another library may be capturing a graph, and counts a free as an error
            _do_what_was_left()


def _do_what_was_left() -> None:
    postponed: list[Callable[[], object]] = []
    try:
        while _LATER:
            try:
                work = _LATER.popleft()
            except IndexError:
                return
            try:
                if work() is POSTPONED:
                    postponed.append(work)
            except Rejected:
                raise
            except BaseException:  # a signal's handler: whoever looks next does it again
                _LATER.append(work)
                raise
    finally:
        _LATER.extend(postponed)


PATIENCE: Final = 2.0
"""Seconds that the end of the interpreter waits for work in flight."""


@cache
def _watch() -> None:
    """Once a stream is in use: looks out for the end of the interpreter."""
    atexit.register(_end)


def _end() -> None:
    """Waits a little for work in flight. What is not done then is never taken down: it may still use its memory."""
    deadline = monotonic() + PATIENCE
    while (left := still_kept()) and monotonic() < deadline:
        sleep(1e-3)
    for kept in left:
        never_drop(kept)


def still_kept() -> list[object]:
    """What is kept for work that is not done."""
    found: list[object] = []
    for known in flight.every():
        if known.kept and not known.is_capturing():
            known.mark(known.kept[-1][0])
            known.collect()
            found += [what for _, what in known.kept]
    let_go()
    return found


def _forget() -> None:
    """In a forked process: there are no streams, and no threads but this one."""
    for of_device in timelines.values():
        of_device.clear()
    for queue in (_LET_GO, _LATER):
        never_drop([*queue])
        queue.clear()
    _OWN.streams.clear()
    for known in flight.every():
        known.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


native.learn("Timeline", Timeline(HOST, None))
