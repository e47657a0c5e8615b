"""What graphs record: work on one GPU, captured on a stream of its own, or work on the host; and what it uses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, Literal

from freehold.runtime.base import native
from freehold.runtime.errors.refusing import errors, refuse
from freehold.runtime.gpu import captures, driver, failures
from freehold.runtime.memory.arguments import HOST, ArrayView, UnknownDType, Unreadable, view
from freehold.runtime.memory.ledger import Leased
from freehold.runtime.memory.storage import outside


class Recording:
    """What is recorded, and what it uses."""

    def __init__(self) -> None:
        self.device = HOST
        """The GPU that it works on, or `HOST`."""
        self.captured: Any = None
        """A stream of that GPU, on which the work is recorded."""
        self.work: list[Callable[[], None]] = []
        """What is to be done on the host, in order."""
        self.reads: list[Leased] = []
        self.writes: list[Leased] = []
        """What a replay leases (`runtime.memory.ledger`)."""
        self.running: list[Leased] = []
        """What is written by kernels that may still run where the next one begins early."""
        self.unknown = False
        """Whether other libraries' work may still run then: it may write more than it is said to."""
        self.views: list[ArrayView] = []
        """All arrays that are used; they keep the memory."""
        self.changed: tuple[Any, ...] = ()
        """Torch's tensors that a replay writes, once it is recorded."""
        self.families: set[str] = set()
        """Libraries whose current streams a replay is ordered with. One without a name, whose arrays only describe
        themselves, has the default stream."""
        self.given: dict[int, ArrayView] = {}
        """Arrays of torch and NumPy, by identity, as they were recorded: these can put other memory in their place."""
        self._looks: object = None
        """What the native module saw of them when they were last as they were recorded."""
        self.checked: tuple[failures.Slot, ...] = ()
        """Where its kernels write down which of their checks failed (`runtime.gpu.failures`)."""

    def stream(self, device: int) -> Any:
        """The stream on which work for a GPU is recorded. Raises `Rejected` (O264)."""
        if self.captured is None:
            if self.work:
                refuse(errors.MixedGraph, f"on the host and on GPU {device}")
            self.captured, self.device = captures.begin_capture(device), device
        elif device != self.device:
            refuse(errors.MixedGraph, f"on GPU {self.device} and on GPU {device}")
        return self.captured

    def host_work(self, work: Callable[[], None]) -> None:
        """Records something that is done on the host. Raises `Rejected` (O264)."""
        if self.captured is not None:
            refuse(errors.MixedGraph, f"on GPU {self.device} and on the host")
        self.work.append(work)

    def uses(
        self,
        views: Iterable[ArrayView],
        reads: Iterable[Leased] = (),
        writes: Iterable[Leased] = (),
        early: Collection[Leased] = (),
    ) -> bool:
        """
        Notes what a launch or a copy uses that comes next: all arrays, those that are leased, and those that are read
        `early`. Returns whether nothing that may still run writes what is read early.
        """
        writes = [*writes]
        apart = not any(r.low < w.high and w.low < r.high for r in early for w in self.running)
        apart = apart and not (early and self.unknown)
        self.running += writes
        self.reads += reads
        self.writes += writes
        for found in views:
            self.views.append(found)
            if found.device != HOST and found.family != "freehold":
                self.families.add(found.family)
            if found.stream is not None:  # which may be gone at a replay: that comes after the default stream
                driver.order_after(driver.stream(0, found.device), found.stream, found.device)
            if found.family in ("torch", "numpy"):
                self.given.setdefault(id(found.owner), found)
        return apart

    def enqueued(
        self,
        writes: Iterable[Leased],
        kind: Literal["kernel that loads first", "kernel", "copy"],
        apart: bool = True,
    ) -> None:
        """
        Notes that a launch or a copy is in the graph, and what it writes; not of one that failed, behind which nothing
        has waited.

        A kernel that loads first, `apart` from what may still run, may let the next one begin while those in front of
        it run. Any other lets it begin when they have ended: it has waited for them, or came behind them. What follows
        a copy begins when that has ended, too. Of other work nothing is known.
        """
        if kind != "kernel that loads first" or not apart:
            self.unknown = False
            self.running = [] if kind == "copy" else [*writes]

    def touches(self, found: ArrayView) -> bool:
        """Whether it uses bytes of an array."""
        wanted = outside(found)
        used = (outside(v) for v in self.views if v.device == found.device)
        return any(u.low < wanted.high and wanted.low < u.high for u in used)

    def changed_array(self) -> str | None:
        """What to call an array that is not where it was recorded, or as it was; None where all of them are."""
        module = native.module() if self.given else None
        looks = None if module is None else module.looks(tuple([v.owner for v in self.given.values()]))
        if looks is not None and looks == self._looks:
            return None
        for found in self.given.values():
            if not _is_there(found):
                return f"an array of {found.family}, {found.dtype.name} of shape {found.shape}, that this graph uses"
        self._looks = looks
        return None

    def end(self) -> Any:
        """What the driver made of it; None on the host."""
        self.writes = [*{_bytes(t): t for t in self.writes}.values()]
        written = {_bytes(t) for t in self.writes}
        self.changed = tuple(v.owner for v in self.views if v.family == "torch" and _viewed(v) in written)
        self.reads = [*{b: t for t in self.reads if (b := _bytes(t)) not in written}.values()]
        if self.captured is None:
            return None
        if failures.logs:
            self.checked = failures.captured(int(self.captured.handle))
        return captures.end_capture(self.captured, self.device)

    def give_up(self) -> None:
        """Nothing is wanted of it."""
        if self.captured is not None:
            captures.give_up_capture(self.captured, self.device)


def _bytes(tensor: Leased) -> tuple[object, ...]:
    """Equal for tensors that are leased alike."""
    return tensor.space, tensor.low, tensor.high, tensor.storage, tensor.epoch


def _is_there(found: ArrayView) -> bool:
    """Whether an array is where it was when it was looked at, as it was."""
    try:
        now = view(found.owner)
    except (Unreadable, UnknownDType):
        return False
    return (now.pointer, now.shape, now.strides) == (found.pointer, found.shape, found.strides)


def _viewed(found: ArrayView) -> tuple[object, ...]:
    """The same of another library's array, which is leased by its bytes alone."""
    return _bytes(outside(found))
