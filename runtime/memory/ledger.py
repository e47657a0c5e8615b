"""
The ledger: who uses which bytes, and what has to wait for whom.

A `Space` is memory with its users: one for each allocation of ours, and one for each device for all memory of other
libraries. While one timeline alone uses a space, and nothing holds it, the space remembers only that (`sole`), and a
lease is one comparison. Otherwise it keeps uses by byte range. An operation that touches bytes which another timeline
still writes, or which it writes while they are still read, makes its timeline wait; that is never an error.

What order cannot mend is refused: memory lent to the host is held (`Hold`); moved, freed and lost memory is gone. All
leases of an operation are taken at once or none, before anything is enqueued:

    enqueue(timeline, reads, writes, work, blame)   # calls `work` under the locks, once its place is known

There is nothing to release: a use is over when its timeline has passed its tick.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeVar, cast

from freehold.runtime.base import native
from freehold.runtime.base.locks import lock, under
from freehold.runtime.gpu.timeline import HostTimeline, Timeline, host_timeline, let_go
from freehold.runtime.memory.arguments import HOST

if TYPE_CHECKING:
    from freehold.runtime.base.call_site import CallSite

T = TypeVar("T")

MOST_USES: Final = 64
"""Uses of one space that are kept apart."""

PRUNING: Final = 16
"""How many operations on a space with several users pass before uses that are over are looked for."""

TURNS: Final = 8
"""
How often the time of a sole user may end before a space counts as one that several use in turns. Who uses it when is
then known exactly: of a sole user only that it may still be reading, so that a writer would wait for all it does.
"""

CALM: Final = 64
"""Operations on such a space after which one of them may be its sole user again."""


# --- Spaces and holds -------------------------------------------------------------------------------------------------


class Allocation(Protocol):
    """What a ledger asks of an allocation (`freehold.runtime.memory.storage`)."""

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
    """
    Memory with its users.

    A signal's handler may raise between any two steps here. So what is known is written down before what it replaces is
    forgotten: an access that is known twice is waited for once too often, and one that is forgotten never.
    """

    __slots__ = ("_age", "_ends", "_until", "counted", "device", "high", "holds", "low", "sole", "uses", "wrote")

    def __init__(self, device: int = HOST, low: int = 0, high: int = 1 << 64, counted: bool = True):
        self.device: Final = device
        """Whose lock is held while it changes."""
        self.counted: Final = counted
        """Whether all that its users do is told to the ledger. What other libraries do with their memory is not."""
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
        self._ends = 0
        """How often the time of a sole user has ended."""
        self._until = 0
        """The age before which there is none again."""

    def disturb(self) -> None:
        """Ends the time of the sole user: from here on leases are looked at one by one."""
        self._count()
        self._share()

    def _share(self) -> None:
        """Enters what the sole user did, as far as it is counted, as uses."""
        sole = self.sole
        if sole is None:
            return
        if self.wrote:
            self.uses[sole, self.low, self.high, True] = self.wrote
        if sole.now > self.wrote:
            self.uses[sole, self.low, self.high, False] = sole.now
        self.sole = None
        self._ends += 1
        if self.counted and self._ends >= TURNS:
            self._until = self._age + CALM

    def _count(self) -> None:
        """Counts what the sole user's library did and did not tell, as one operation that writes."""
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
        own = user, low, high, write
        self.uses[own] = tick
        if write:  # what comes after this access comes after all that it came after
            for key in [k for k in self.uses if low <= k[1] and k[2] <= high and k != own]:
                del self.uses[key]
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
            on_gpu = other.stream is not None and other.device == self.device  # whose lock is held
            if on_gpu and other is not user and not other.passed(tick):
                other.mark(tick)  # so that the next time finds out
        self.uses = {key: tick for key, tick in self.uses.items() if tick > key[0].finished}
        if len(self.uses) <= MOST_USES // 2:
            return
        merged: dict[tuple[Timeline, bool], tuple[int, int, int]] = {}
        for (other, low, high, write), tick in self.uses.items():
            first, last, most = merged.get((other, write), (low, high, tick))
            merged[other, write] = min(first, low), max(last, high), max(most, tick)
        self.uses = {(other, low, high, write): tick for (other, write), (low, high, tick) in merged.items()}

    def settle(self) -> None:
        """Finds out whether there is a sole user again."""
        if self.holds:
            self.holds = tuple([hold for hold in self.holds if not hold.over])
        if self.holds or self.sole is not None or self._age < self._until:
            return
        users = {key[0] for key in self.uses}
        if len(users) > 1:
            for user in [u for u in users if u.stream is None and u.finished == u.now]:  # a thread that is idle
                users.remove(user)
                self.uses = {key: tick for key, tick in self.uses.items() if key[0] is not user}
        if len(users) != 1:
            return
        self.wrote = max((tick for key, tick in self.uses.items() if key[3]), default=0)
        self.sole = next(iter(self.uses))[0]
        self.uses.clear()


HoldKind = Literal["borrowed", "exported"]


class Hold:
    """Bytes that are kept from operations until `release`."""

    __slots__ = ("consumer", "exclusive", "kind", "over", "ranges", "site", "what")

    def __init__(
        self,
        tensors: Sequence[Leased],
        kind: HoldKind,
        what: str,
        exclusive: bool,
        site: CallSite | None,
        consumer: Timeline | None,
    ):
        self.kind: Final[HoldKind] = kind
        self.what: Final = what
        """Who holds it, in the user's words: `the host`, `another library`."""
        self.exclusive: Final = exclusive
        """Whether reads are kept away, too."""
        self.site: Final = site
        """Where it was lent."""
        self.consumer: Final = consumer
        """The stream of the library that it is exported to: what is on it comes before our operations."""
        self.ranges = tuple((t.space, t.low, t.high) for t in tensors)
        self.over = False
        """Whether it was released. It leaves its spaces when somebody looks at them next."""

    def stops(self, tensor: Leased, write: bool) -> bool:
        """Whether it keeps an access away. What is exported both sides may use; order is kept as far as it is known."""
        if self.kind == "exported" or not (write or self.exclusive):
            return False
        return self.touches(tensor)

    def touches(self, tensor: Leased) -> bool:
        """Whether it holds any of a tensor's bytes."""
        return any(s is tensor.space and first < tensor.high and tensor.low < last for s, first, last in self.ranges)

    def release(self) -> None:
        """Ends it. A second time does nothing. Takes no lock: a collection of garbage may do it."""
        self.over = True
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


def verify_there(reads: Iterable[Leased], writes: Iterable[Leased], blame: Blame) -> None:
    """Raises what `blame` makes of it where one of these was moved or freed."""
    for tensors, write in ((writes, True), (reads, False)):
        for tensor in tensors:
            if tensor.storage.lost_to(tensor):
                raise blame(Refusal(tensor, write, None))


def hold(
    tensors: Sequence[Leased],
    kind: HoldKind,
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

    def begin() -> None:
        for tensor in tensors:
            verify(tensor, exclusive)
        for space in {space for space, _, _ in made.ranges}:
            space.disturb()
            space.holds = (*[held for held in space.holds if not held.over], made)

    try:
        under(_devices(tensors), begin)
    except BaseException:
        made.release()  # also where it is held in part
        raise
    return made


def join(tensors: Iterable[Leased], *, write: bool) -> None:
    """Waits for work in flight that writes tensors' bytes, and if `write` for what reads them, too."""
    own = host_timeline()
    for tensor in tensors:
        with lock(tensor.space.device):
            pending = tensor.space.conflicts(tensor.low, tensor.high, write)
        for user, tick in pending:
            if user is not own:
                user.join(tick)


def _devices(tensors: Iterable[Leased], *more: int) -> list[int]:
    """Whose locks are needed for tensors, in order."""
    return sorted({*(tensor.space.device for tensor in tensors), *more})


# --- Leases -----------------------------------------------------------------------------------------------------------


class Busy(Exception):
    """A lease cannot be had at once, under the locks that are held: `enqueue` knows what to do."""

    def __init__(self, devices: Iterable[int]):
        super().__init__()
        self.devices = frozenset(devices)
        """Whose locks are needed, too."""


def enqueue(
    user: Timeline,
    reads: Sequence[Leased],
    writes: Sequence[Leased],
    work: Callable[[], T],
    blame: Blame | None = None,
    through: Hold | None = None,
    kept: object = None,
) -> T:
    """
    Leases tensors for one operation of a timeline, and calls `work`, which enqueues it (on the host: does it).

    The timeline waits for work of others that the operation must come after. All holds but `through` are respected.
    What is refused raises what `blame` makes of the `Refusal`, or the `Refusal`; nothing was done then. `kept` lives
    until the operation is done. `work` is called under the locks, but on the host.
    """
    if user.stream is None:
        return _on_host(cast(HostTimeline, user), reads, writes, work, blame, through)
    devices = _devices((*reads, *writes), user.device)
    waited = False

    def attempt() -> tuple[list[tuple[Timeline, int]], T | None]:
        pending: list[tuple[Timeline, int]] = []
        if not _alone(user, reads, writes):
            pending = _lease(user, reads, writes, blame, through, devices, waited)
        if pending:
            return pending, None
        if kept is not None:
            user.keep_for_last(kept)
        done = work()
        user.enqueued()
        return pending, done

    while True:
        try:
            pending, done = under(devices, attempt)
        except Busy as e:
            devices = sorted({*devices, *e.devices})
            continue
        if not pending:
            let_go()
            return cast(T, done)
        for other, tick in pending:
            other.join(tick)
        waited = True


def lease(user: Timeline, reads: Sequence[Leased], writes: Sequence[Leased]) -> None:
    """
    As `enqueue` for tensors on the timeline's own GPU, for those who hold its lock and enqueue the operation next.

    Raises `Busy` where the host has to wait first, and `Refusal`; nothing was leased then.
    """
    if not _alone(user, reads, writes) and _lease(user, reads, writes, None, None, (user.device,), waited=False):
        raise Busy(())


def _alone(user: Timeline, reads: Sequence[Leased], writes: Sequence[Leased]) -> bool:
    """Enters an operation, if its timeline alone uses all of its tensors: then there is nothing to order it with."""
    tick = user.now + 1
    for tensor in reads:
        if tensor.space.sole is not user or tensor.epoch != tensor.storage.epoch:
            return False
    for tensor in writes:
        space = tensor.space
        if space.sole is not user or tensor.epoch != tensor.storage.epoch:
            return False
        space.wrote = tick  # also where another one is refused: then its readers wait for too much
    user.now = tick
    return True


def _lease(
    user: Timeline,
    reads: Sequence[Leased],
    writes: Sequence[Leased],
    blame: Blame | None,
    through: Hold | None,
    devices: Sequence[int],
    waited: bool,
) -> list[tuple[Timeline, int]]:
    """
    Takes the leases one by one, under the locks of some devices; or takes none, and returns what the host has to wait
    for first. Raises `Busy` where other locks are needed, too.
    """
    own = [t.space for t in writes if _is_alone(user, t)]
    reads, writes = _shared(user, reads), _shared(user, writes)
    pending = _pending(user, reads, writes, blame, through)
    needed = {other.device for other, _ in pending if other.stream is not None and other.device not in devices}
    if needed:
        raise Busy(needed)
    pending = [(other, tick) for other, tick in pending if not other.passed(tick)]
    # In a graph that another library captures no event from outside has a place. What the graph comes after is waited
    # for on the host, once; its replays are that library's to order.
    capturing = user.is_capturing()
    joined = [(other, tick) for other, tick in pending if capturing or other.stream is None]
    if joined and not (capturing and waited):
        return joined
    if not capturing:
        for other, tick in pending:
            user.after(other, tick)
        user.now += 1
        for space in own:
            space.wrote = user.now
        _note(user, reads, writes, user.now)
    return []


def _is_alone(user: Timeline, tensor: Leased) -> bool:
    """Whether nobody but a timeline uses a tensor, which is as valid as it was."""
    return tensor.space.sole is user and tensor.epoch == tensor.storage.epoch


def _shared(user: Timeline, tensors: Sequence[Leased]) -> list[Leased]:
    """Those of which it takes a look at who else uses them: a graph has hundreds, and few of them are."""
    return [t for t in tensors if t.space.sole is not user or t.epoch != t.storage.epoch]


def _on_host(
    user: HostTimeline,
    reads: Sequence[Leased],
    writes: Sequence[Leased],
    work: Callable[[], T],
    blame: Blame | None,
    through: Hold | None,
) -> T:
    """Does work of this thread, once it may begin. Other work may begin meanwhile, and comes after it where it must."""
    running = object()

    def begin() -> list[tuple[Timeline, int]]:
        pending = _pending(user, reads, writes, blame, through)
        _note(user, reads, writes, user.begin(running))
        return pending

    try:
        for other, tick in under(_devices((*reads, *writes)), begin):
            other.join(tick)
        return work()
    finally:
        user.finish(running)
        let_go()


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
                    if other is not user and user.seen.get(other, 0) < tick and other.finished < tick:
                        found[other] = max(tick, found.get(other, 0))
                for hold in tensor.space.holds:
                    consumer = hold.consumer
                    if consumer is None or hold.over:
                        continue
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


native.learn("Space", Space())
