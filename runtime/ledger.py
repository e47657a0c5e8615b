"""
The ledger: who uses which bytes, and what has to wait for whom.

**Timelines.** A stream, or a thread of the host that works itself, is a `Timeline`: operations are enqueued on it one
after the other and run in that order. It counts them; the number of an operation is its tick. Nothing is recorded in
the driver when an operation is enqueued. Only when another timeline, or the host, has to wait is an event recorded
(`Timeline.mark`), and it serves everybody who asks for that tick or an earlier one.

**Uses.** A `Space` is memory with its users: one for each allocation of ours, and one for each device for all memory
of other libraries. While one timeline alone uses a space, and nothing holds it, the space remembers only that (`sole`),
and a lease is one comparison. Otherwise it keeps uses by byte range. An operation that touches bytes which another
timeline still writes, or which it writes while they are still read, makes its timeline wait; that is never an error.

**Holds.** What order cannot mend is refused: memory lent to the host is held (`Hold`); moved, freed and lost memory
is gone. All leases of an operation are taken at once or none, before
anything is enqueued.

    with leased(timeline, reads, writes, blame):
        ...  # enqueue the operation on the timeline's stream

There is nothing to release: a use is over when its timeline has passed its tick.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from threading import Condition, local
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, cast

from freehold.runtime import native
from freehold.runtime.arguments import HOST
from freehold.runtime.faults import logs

if TYPE_CHECKING:
    from freehold.runtime.call_site import CallSite

LOCK: Final = native.lock()
"""
Held while leases change, and on GPUs until the operation is enqueued, so that ticks are in the order of the stream.
Nothing waits for a GPU under it. Reentrant, because a collection of garbage may begin anywhere.
"""

MOST_USES: Final = 64
"""Uses of one space that are kept apart."""

PRUNING: Final = 16
"""How many operations on a space with several users pass before uses that are over are looked for."""


@contextmanager
def _unseen() -> Generator[None]:
    """Inside, what is asked of events ends no capture of another thread."""
    from freehold.runtime import driver

    before = driver.exchange_capture_mode()
    try:
        yield
    finally:
        driver.exchange_capture_mode(before)


# --- Timelines --------------------------------------------------------------------------------------------------------


class Timeline:
    """A stream of a GPU: what is enqueued on it runs in that order."""

    __slots__ = ("__weakref__", "device", "finished", "marks", "now", "seen", "stream")

    def __init__(self, device: int, stream: Any):
        self.device: Final = device
        """The number of the GPU, or `HOST`."""
        self.stream: Final = stream
        """Of cuda.core; None on the host."""
        self.now: int = 0
        """Operations enqueued so far: the tick of the last one."""
        self.finished: int = 0
        """The last tick that is known to be done."""
        self.marks: deque[tuple[int, Any]] = deque()
        """Events with the ticks that they stand for, the oldest first."""
        self.seen: dict[Timeline, int] = {}
        """The ticks of others that whatever is enqueued here next comes after."""

    def __repr__(self) -> str:
        return f"<timeline of {self.stream!r}, {self.finished} of {self.now} done>"

    def mark(self, tick: int | None = None) -> tuple[int, Any]:
        """
        An event that is done when the operation at `tick` is (all that is enqueued, unless given), and its tick.

        One that was recorded at that tick or later serves again.
        """
        with LOCK:
            wanted = self.now if tick is None else tick
            for found in self.marks:
                if found[0] >= wanted:
                    return found
            return self.record()

    def record(self) -> tuple[int, Any]:
        """A new event after all that is on the stream, with what other libraries enqueued there, and its tick."""
        from freehold.runtime import driver

        with LOCK:
            if len(self.marks) > MOST_USES:
                self.collect()
            with driver.on_device(self.device), _unseen():
                made = (self.now, driver.record(self.stream))
            self.marks.append(made)
        return made

    def passed(self, tick: int) -> bool:
        """Whether the operation at a tick is known to be done, without waiting."""
        if tick > self.finished and self.marks:
            self.collect()
        return tick <= self.finished

    def collect(self) -> None:
        """Finds out how far the stream is, and forgets events that are done."""
        from freehold.runtime import driver

        with LOCK, _unseen():
            marks = self.marks
            while marks and driver.is_done(marks[0][1]):
                self.finished = max(self.finished, marks.popleft()[0])

    def join(self, tick: int | None = None) -> None:
        """
        Waits until the operation at a tick is done; all that is enqueued, unless given.

        Raises `Rejected` (O241; O233 to O235 if a check failed in a kernel).
        """
        if tick is None or not self.passed(tick):
            self._wait(tick)
        if logs:
            from freehold.runtime import failures

            failures.look(int(self.stream.handle))

    def _wait(self, tick: int | None) -> None:
        from freehold.runtime import driver

        if self.is_capturing():
            return
        number, event = self.mark(tick)
        try:
            with _unseen():
                event.sync()
        except Exception as e:
            driver.failed("waiting for work in flight", e)
        with LOCK:
            self.finished = max(self.finished, number)
            while self.marks and self.marks[0][0] <= self.finished:
                self.marks.popleft()

    def after(self, other: Timeline, tick: int) -> None:
        """Makes what is enqueued here next wait for a tick of another stream."""
        if other is self or self.seen.get(other, 0) >= tick or other.passed(tick) or other.is_capturing():
            return
        number, event = other.mark(tick)
        self.after_event(event)
        self.seen[other] = number

    def is_capturing(self) -> bool:
        """Whether another library captures a graph on it: what is put there is not run, and nobody can wait for it."""
        from freehold.runtime import driver

        return driver.is_capturing(self.stream)

    def after_event(self, event: Any) -> None:
        """Makes what is enqueued here next wait for an event of any stream. Raises `Rejected` (O241)."""
        from freehold.runtime import driver

        try:
            with driver.on_device(self.device):  # the calling thread may have no GPU yet, or another one
                self.stream.wait(event)
        except Exception as e:
            driver.failed("ordering streams", e)


class HostTimeline(Timeline):
    """A thread that works itself: what it begins is done when it says so (`finish`)."""

    __slots__ = ("_changed", "_running")

    def __init__(self) -> None:
        super().__init__(HOST, None)
        self._changed = Condition()
        self._running: list[int] = []

    def __repr__(self) -> str:
        return f"<timeline of a thread, {self.finished} of {self.now} done>"

    def begin(self) -> int:
        """The tick of an operation that begins, also within another one. Under the lock."""
        self.now += 1
        self._running.append(self.now)
        return self.now

    def finish(self) -> None:
        """Says that the operation that began last is done."""
        with self._changed:
            self._running.pop()
            if not self._running:
                self.finished = self.now
            self._changed.notify_all()

    def passed(self, tick: int) -> bool:
        """Whether the operation at a tick is done."""
        return tick <= self.finished

    def join(self, tick: int | None = None) -> None:
        """Waits until the operation at a tick is done."""
        wanted = self.now if tick is None else tick
        with self._changed:
            self._changed.wait_for(lambda: self.finished >= wanted)


timelines: Final[defaultdict[int, dict[int, Timeline]]] = defaultdict(dict)
"""Of streams, by GPU and handle, as `timeline` made them."""

_THREAD: Final = local()


def timeline(device: int, handle: int = 0) -> Timeline:
    """The timeline of a GPU's stream by its driver handle; 0 is the default stream. Of `HOST`: that of this thread."""
    if device == HOST:
        return host_timeline()
    found = timelines[device].get(handle)
    if found is None:
        if handle == 1:  # the default stream's other name
            made = timeline(device)
        else:
            from freehold.runtime import driver

            made = Timeline(device, driver.stream(handle, device))
        found = timelines[device].setdefault(handle, made)
    return found


def timeline_of(stream: Any, device: int) -> Timeline:
    """The timeline of a stream of cuda.core."""
    from freehold.runtime import driver

    return timeline(device, driver.handle_of(stream))


def host_timeline() -> HostTimeline:
    """The timeline of the calling thread."""
    try:
        return _THREAD.timeline
    except AttributeError:
        _THREAD.timeline = made = HostTimeline()
        return made


# --- Spaces and holds -------------------------------------------------------------------------------------------------


class Allocation(Protocol):
    """What a ledger asks of an allocation (`freehold.runtime.storage`)."""

    epoch: int
    """How often handles of it were made invalid."""

    def lost_to(self, tensor: Leased) -> bool:
        """Whether a handle must not be used any more: it was moved from, or the memory was freed or lost."""
        ...


class Leased(Protocol):
    """What can be leased: a tensor, or memory of another library."""

    @property
    def space(self) -> Space: ...
    @property
    def low(self) -> int:
        """The address of its first byte."""
        ...

    @property
    def high(self) -> int:
        """The address behind its last byte."""
        ...

    @property
    def storage(self) -> Allocation: ...
    @property
    def epoch(self) -> int:
        """The epoch of the storage that the handle is valid for."""
        ...


class Space:
    """Memory with its users."""

    __slots__ = ("_age", "counted", "high", "holds", "low", "sole", "uses", "wrote")

    def __init__(self, low: int = 0, high: int = 1 << 64, counted: bool = True):
        self.counted: Final = counted
        """Whether the sole user's operations are told to the ledger. Those on other libraries' memory need not be."""
        self.low: Final = low
        self.high: Final = high
        self.sole: Timeline | None = None
        """The only timeline that uses it, where there is one and nothing holds any of it."""
        self.wrote = 0
        """The tick of the last write, while there is a sole user."""
        self.uses: dict[tuple[Timeline, int, int, bool], int] = {}
        """Ticks by timeline, first byte, byte behind the last, and whether it writes. Empty with a sole user."""
        self.holds: tuple[Hold, ...] = ()
        """What keeps operations away."""
        self._age = 0

    def disturb(self) -> None:
        """Ends the time of the sole user: from here on leases are looked at one by one."""
        self._count()
        self._share()

    def _share(self) -> None:
        """Enters what the sole user did, as far as it is counted, as uses."""
        sole, self.sole = self.sole, None
        if sole is None:
            return
        if self.wrote:
            self.uses[sole, self.low, self.high, True] = self.wrote
        if sole.now > self.wrote:
            self.uses[sole, self.low, self.high, False] = sole.now

    def _count(self) -> None:
        """Counts what the sole user did and did not tell, as one operation that writes."""
        if self.sole is not None and self.sole.stream is not None and not self.counted:
            self.sole.now += 1
            self.wrote = self.sole.now

    def conflicts(self, low: int, high: int, write: bool) -> list[tuple[Timeline, int]]:
        """What an access to these bytes has to come after."""
        sole = self.sole
        if sole is not None:
            self._count()
            return [(sole, sole.now if write else self.wrote)]
        return [
            (other, tick)
            for (other, first, last, wrote), tick in self.uses.items()
            if (write or wrote) and first < high and low < last
        ]

    def note(self, user: Timeline, low: int, high: int, write: bool, tick: int) -> None:
        """Enters an access that comes after its conflicts."""
        if self.sole is user:
            if write:
                self.wrote = tick
            return
        self._share()  # `conflicts` has counted
        if write:  # what comes after this access comes after all that it came after
            for key in [k for k in self.uses if low <= k[1] and k[2] <= high]:
                del self.uses[key]
        self.uses[user, low, high, write] = tick
        self._age += 1
        if not self._age % PRUNING or len(self.uses) > MOST_USES:
            self.prune(user)

    def prune(self, user: Timeline) -> None:
        """
        Forgets uses that are over. Where too many are not, each timeline's become one.

        `user` is about to enqueue an operation that has its tick already, so no event may be recorded for that.
        """
        latest: dict[Timeline, int] = {}
        for (other, *_), tick in self.uses.items():
            latest[other] = max(tick, latest.get(other, 0))
        for other, tick in latest.items():
            if other.stream is not None and other is not user and not other.passed(tick):
                other.mark(tick)  # so that the next time finds out
        self.uses = {key: tick for key, tick in self.uses.items() if not key[0].passed(tick)}
        if len(self.uses) <= MOST_USES // 2:
            return
        merged: dict[tuple[Timeline, bool], tuple[int, int, int]] = {}
        for (other, low, high, write), tick in self.uses.items():
            first, last, most = merged.get((other, write), (low, high, tick))
            merged[other, write] = min(first, low), max(last, high), max(most, tick)
        self.uses = {(other, low, high, write): tick for (other, write), (low, high, tick) in merged.items()}

    def settle(self) -> None:
        """Finds out whether there is a sole user again."""
        if self.holds or self.sole is not None:
            return
        users = {key[0] for key in self.uses}
        if len(users) > 1:
            for user in [u for u in users if u.stream is None and u.finished == u.now]:  # a thread that is idle
                users.remove(user)
                self.uses = {key: tick for key, tick in self.uses.items() if key[0] is not user}
        if len(users) != 1:
            return
        self.sole = next(iter(self.uses))[0]
        self.wrote = max((tick for key, tick in self.uses.items() if key[3]), default=0)
        self.uses.clear()


Kind = Literal["borrowed", "exported"]


class Hold:
    """Bytes that are kept from operations until `release`."""

    __slots__ = ("consumer", "exclusive", "kind", "ranges", "site", "what")

    def __init__(
        self,
        tensors: Sequence[Leased],
        kind: Kind,
        what: str,
        exclusive: bool,
        site: CallSite | None,
        consumer: Timeline | None,
    ):
        self.kind: Final[Kind] = kind
        self.what: Final = what
        """Who holds it, in the user's words: `the host`, `another library`."""
        self.exclusive: Final = exclusive
        """Whether reads are kept away, too."""
        self.site: Final = site
        """Where it was lent."""
        self.consumer: Final = consumer
        """The stream of the library that it is exported to: what is on it comes before our operations."""
        self.ranges = tuple((t.space, t.low, t.high) for t in tensors)

    def stops(self, tensor: Leased, write: bool) -> bool:
        """Whether it keeps an access away. What is exported both sides may use; order is kept as far as it is known."""
        if self.kind == "exported" or not (write or self.exclusive):
            return False
        return self.touches(tensor)

    def touches(self, tensor: Leased) -> bool:
        """Whether it holds any of a tensor's bytes."""
        return any(s is tensor.space and first < tensor.high and tensor.low < last for s, first, last in self.ranges)

    def release(self) -> None:
        """Ends it. A second time does nothing."""
        with LOCK:
            for space, _, _ in self.ranges:
                space.holds = tuple(h for h in space.holds if h is not self)
            self.ranges = ()

    def __repr__(self) -> str:
        return f"<held by {self.what}{' exclusively' if self.exclusive else ''}>"


class Refusal(Exception):
    """An access that is refused, before it is known how to call the tensor and what the access was for."""

    def __init__(self, tensor: Leased, write: bool, hold: Hold | None):
        super().__init__(tensor, hold)
        self.tensor = tensor
        self.write = write
        self.hold = hold
        """What holds it; None where the storage says why (moved, freed, lost)."""


Blame = Callable[[Refusal], Exception]
"""Makes the user's error of a refusal: it knows where the tensor was given, and for what."""


def verify(tensor: Leased, write: bool, through: Hold | None = None) -> None:
    """Raises `Refusal` where a tensor must not be read, or written if `write`. Under the lock."""
    if tensor.storage.lost_to(tensor):
        raise Refusal(tensor, write, None)
    for found in tensor.space.holds:
        if found is not through and found.stops(tensor, write):
            raise Refusal(tensor, write, found)


def hold(
    tensors: Sequence[Leased],
    kind: Kind,
    what: str,
    *,
    exclusive: bool,
    site: CallSite | None = None,
    consumer: Timeline | None = None,
) -> Hold:
    """
    Keeps operations away from tensors' bytes: from writing them, and if `exclusive` from reading them, too.

    Work in flight goes on; `join` waits for it. Raises `Refusal` where another hold or the state of a tensor is in the
    way; nothing is held then.
    """
    made = Hold(tensors, kind, what, exclusive, site, consumer)
    with LOCK:
        for tensor in tensors:
            verify(tensor, exclusive)
        for space in {space for space, _, _ in made.ranges}:
            space.disturb()
            space.holds += (made,)
    return made


def join(tensors: Iterable[Leased], *, write: bool) -> None:
    """Waits for work in flight that writes tensors' bytes, and if `write` for what reads them, too."""
    own = host_timeline()
    for tensor in tensors:
        with LOCK:
            pending = tensor.space.conflicts(tensor.low, tensor.high, write)
        for user, tick in pending:
            if user is not own:
                user.join(tick)


# --- Leases -----------------------------------------------------------------------------------------------------------


def take(
    user: Timeline,
    reads: Sequence[Leased],
    writes: Sequence[Leased],
    blame: Blame | None = None,
    through: Hold | None = None,
) -> None:
    """
    Leases tensors for one operation of a timeline, which is enqueued next (on the host: done); then comes `leave`.

    The timeline waits for work of others that the operation must come after. All holds but `through` are respected.
    What is refused raises what `blame` makes of the `Refusal`, or the `Refusal`: nothing was taken then, and there is
    nothing to leave. On GPUs the lock is held until `leave`.
    """
    LOCK.acquire()
    tick = user.now + 1
    if user.stream is None:
        _take_on_host(user, reads, writes, blame, through)
        return
    for tensor in reads:
        if tensor.space.sole is not user or tensor.epoch != tensor.storage.epoch:
            _take_thoroughly(user, reads, writes, blame, through)
            return
    for tensor in writes:
        space = tensor.space
        if space.sole is not user or tensor.epoch != tensor.storage.epoch:
            _take_thoroughly(user, reads, writes, blame, through)
            return
        space.wrote = tick  # also where another one is refused: then its readers wait for too much, which is no harm
    user.now = tick


def leave(user: Timeline) -> None:
    """Ends what `take` began: the operation is enqueued (on the host: done)."""
    if user.stream is None:
        cast(HostTimeline, user).finish()
    else:
        LOCK.release()


@contextmanager
def leased(
    user: Timeline,
    reads: Sequence[Leased],
    writes: Sequence[Leased],
    blame: Blame | None = None,
    through: Hold | None = None,
) -> Generator[Timeline]:
    """`take` and `leave` around a block that enqueues the operation."""
    take(user, reads, writes, blame, through)
    try:
        yield user
    finally:
        leave(user)


def _take_thoroughly(
    user: Timeline, reads: Sequence[Leased], writes: Sequence[Leased], blame: Blame | None, through: Hold | None
) -> None:
    """Takes the leases one by one. Leaves the lock held, unless it raises."""
    try:
        # In a graph that another library captures no event from outside has a place. What the graph comes after is
        # waited for here, once; its replays are that library's to order.
        capturing = user.is_capturing()
        while True:
            pending = _pending(user, reads, writes, blame, through)
            joined = [(other, tick) for other, tick in pending if capturing or other.stream is None]
            if not joined:
                break
            LOCK.release()
            try:
                for other, tick in joined:
                    other.join(tick)
            finally:
                LOCK.acquire()
            if capturing:
                break
        if capturing:
            return
        for other, tick in pending:
            user.after(other, tick)
        user.now += 1
        _note(user, reads, writes, user.now)
    except BaseException:
        LOCK.release()
        raise


def _take_on_host(
    user: Timeline, reads: Sequence[Leased], writes: Sequence[Leased], blame: Blame | None, through: Hold | None
) -> None:
    """Takes the leases for what this thread does, gives the lock back, and waits until it may begin."""
    own = cast(HostTimeline, user)
    try:
        pending = _pending(user, reads, writes, blame, through)
        _note(user, reads, writes, own.begin())
    finally:
        LOCK.release()
    try:
        for other, tick in pending:
            other.join(tick)
    except BaseException:
        own.finish()
        raise


def _pending(
    user: Timeline, reads: Sequence[Leased], writes: Sequence[Leased], blame: Blame | None, through: Hold | None
) -> list[tuple[Timeline, int]]:
    """What an operation has to come after. Raises where a lease is refused."""
    found: dict[Timeline, int] = {}
    try:
        for tensors, write in ((writes, True), (reads, False)):
            for tensor in tensors:
                verify(tensor, write, through)
                for other, tick in tensor.space.conflicts(tensor.low, tensor.high, write):
                    if other is not user and user.seen.get(other, 0) < tick and not other.passed(tick):
                        found[other] = max(tick, found.get(other, 0))
                for consumer in [h.consumer for h in tensor.space.holds if h.consumer is not None]:
                    consumer.now += 1  # whatever its library enqueued there is not counted
                    if consumer is not user:
                        found[consumer] = consumer.now
    except Refusal as e:
        if blame is None:
            raise
        raise blame(e) from None
    return list(found.items())


def _note(user: Timeline, reads: Sequence[Leased], writes: Sequence[Leased], tick: int) -> None:
    """Enters an operation as a user of all of its tensors."""
    for tensor in writes:
        tensor.space.note(user, tensor.low, tensor.high, True, tick)
    for tensor in reads:
        tensor.space.note(user, tensor.low, tensor.high, False, tick)
    for tensor in (*writes, *reads):
        tensor.space.settle()
