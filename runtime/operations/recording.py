"""What graphs record: work on one GPU, captured on a stream of its own, or work on the host; and what it uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from freehold.runtime.errors.refusing import errors, refuse
from freehold.runtime.gpu import captures, failures
from freehold.runtime.memory.arguments import HOST, ArrayView
from freehold.runtime.memory.ledger import Leased
from freehold.runtime.memory.storage import Outside


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
        self.views: list[ArrayView] = []
        """All arrays that are used; they keep the memory."""
        self.changed: tuple[Any, ...] = ()
        """Torch's tensors that a replay writes, once it is recorded."""
        self.families: set[str] = set()
        """Libraries whose current streams a replay is ordered with."""
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
        early: Iterable[Leased] = (),
        kind: Literal["kernel that loads first", "kernel", "copy", "other"] = "other",
    ) -> bool:
        """
        Notes what a launch or a copy uses: all arrays, those that are leased, and those that are read `early`. Returns
        whether nothing that may still run writes what is read early.

        Where that is so, a kernel that loads first may let the next one begin while those in front of it run. Any other
        lets it begin when they have ended: it has waited for them, or came behind them. What follows a copy begins when
        that has ended, too. Of other work nothing is known.
        """
        writes = [*writes]
        apart = not any(r.low < w.high and w.low < r.high for r in early for w in self.running)
        if kind in ("kernel", "copy") or not apart:
            self.running = []
        if kind != "copy":
            self.running += writes
        self.reads += reads
        self.writes += writes
        for found in views:
            self.views.append(found)
            if found.family in ("torch", "cupy"):
                self.families.add(found.family)
        return apart

    def touches(self, found: ArrayView) -> bool:
        """Whether it uses bytes of an array."""
        low, high = found.pointer, found.pointer + found.size
        return any(v.device == found.device and v.pointer < high and low < v.pointer + v.size for v in self.views)

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


def _viewed(found: ArrayView) -> tuple[object, ...]:
    """The same of another library's array, which is leased by its bytes alone."""
    return _bytes(Outside(found.device, found.pointer, found.pointer + found.size))
