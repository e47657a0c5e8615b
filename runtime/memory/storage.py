"""
Storage: allocations, ours and those of other libraries, what became of them, and how they are given back.

Memory of a GPU is freed in the order of streams: on one that first waits for all others with work in flight on it. No
call of the driver is made when Python collects an object; what is dropped is left to whoever looks at a timeline next.
Memory of another library is kept until the work on it is done.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from ctypes import memset
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import WeakSet

from freehold.runtime.base import native
from freehold.runtime.base.locks import lock, under
from freehold.runtime.gpu import driver, transfers
from freehold.runtime.gpu.faults import when_lost
from freehold.runtime.gpu.flight import never_drop
from freehold.runtime.gpu.timeline import POSTPONED, Timeline, later, let_go, timeline
from freehold.runtime.memory.arguments import HOST, ArrayView
from freehold.runtime.memory.ledger import Leased, Space
from freehold.runtime.memory.views import reach

if TYPE_CHECKING:
    from freehold.runtime.base.call_site import CallSite

ALIGNMENT: Final = 256
"""Allocations on the host begin at multiples of so many bytes, as the driver's do."""


class Move(NamedTuple):
    """Bytes that got a new owner."""

    epoch: int
    """Handles made before this one are no good."""
    low: int
    high: int
    site: CallSite | None
    """Where."""


class Gone(NamedTuple):
    """Why there is nothing to use any more."""

    how: str
    """`freed`, or `lost` by a fault."""
    site: CallSite | None
    """Where it was freed."""
    why: str = ""
    """The fault, as a sentence."""


class Storage:
    """One allocation. Tensors are handles of it; it lives as long as one of them, and what is in flight on it."""

    __slots__ = ("__weakref__", "address", "device", "epoch", "foreign", "gone", "moves", "nbytes", "owner", "space")

    def __init__(
        self, address: int, nbytes: int, device: int, owner: object, space: Space | None = None, foreign: bool = True
    ):
        """`space` is only given for another library's memory (`foreign_space`), or if not `foreign`, page-locked."""
        self.address: Final = address
        """Of the first byte."""
        self.nbytes: Final = nbytes
        self.device: Final = device
        """The number of the GPU, or `HOST`."""
        self.owner: Any = owner
        """What keeps the memory: a buffer of cuda.core, a NumPy array, another library's array."""
        self.foreign: Final = foreign and space is not None
        """Whether it is another library's."""
        self.space: Final = Space(device, address, address + nbytes) if space is None else space
        self.epoch = 0
        """How often handles were made invalid."""
        self.moves: tuple[Move, ...] = ()
        self.gone: Gone | None = None
        if owner is not None and (device != HOST or space is not None):
            _OWNERS[id(owner)] = owner
        _ALIVE.add(self)

    def lost_to(self, tensor: Leased) -> bool:
        """Whether a handle must not be used any more."""
        return self.gone is not None or (tensor.epoch != self.epoch and self.move_of(tensor) is not None)

    def move_of(self, tensor: Leased) -> Move | None:
        """The first move that a handle came before and that took any of its bytes."""
        for move in self.moves:
            if move.epoch > tensor.epoch and move.low < tensor.high and tensor.low < move.high:
                return move
        return None

    def move(self, tensor: Leased, site: CallSite | None) -> int:
        """Gives a handle's bytes to a new one, whose epoch is returned. Under the lock."""
        self.epoch += 1
        kept = [m for m in self.moves if not (tensor.low <= m.low and m.high <= tensor.high)]
        self.moves = (*kept, Move(self.epoch, tensor.low, tensor.high, site))
        return self.epoch

    def free(self, site: CallSite | None) -> None:
        """Gives the memory back, in the order of the work on it. Under the lock; the caller has verified a lease."""
        self._end(Gone("freed", site))
        self._drop()

    def lose(self, why: str) -> None:
        """Says that a fault destroyed what was in it. The memory is not given back: work may still be writing to it."""
        with lock(self.device):
            if self.gone is None:
                self._end(Gone("lost", None, why))
                _LEAKED.append(self.owner)
                self.owner = None

    def _end(self, gone: Gone) -> None:
        self.gone = gone
        self.epoch += 1
        self.space.disturb()

    def _drop(self) -> None:
        owner, self.owner = self.owner, None
        if owner is None:
            return
        if self.device == HOST:
            # A thread that works on it has it; only a copy to or from a GPU may still need it.
            users = [self.space.sole, *(user for user, *_ in list(self.space.uses))]
            if all(user is None or user.stream is None for user in users):
                _OWNERS.pop(id(owner), None)
                return
        kept = self.foreign or self.device == HOST
        later(partial(_give_back, owner, self.device, self.address, self.nbytes, self.space, kept))

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        if not ending():  # what a process has goes with it, and so have the functions that would give it back
            self._drop()

    def __repr__(self) -> str:
        place = "the host" if self.device == HOST else f"GPU {self.device}"
        return f"<storage of {self.nbytes} bytes on {place}>"


_OWNERS: Final[dict[int, object]] = {}
"""
What keeps the memory of GPUs and of other libraries, by identity, until it was given back in the order of the work on
it. A signal whose handler raises may end `__del__`, or what it left to be done, at any place: then memory is lost, and
not freed under work that uses it.
"""
_ALIVE: Final[WeakSet[Storage]] = WeakSet()
_LEAKED: Final[list[object]] = []
"""What is never given back."""
_LOST: Final[set[int]] = set()
"""GPUs of which nothing is given back any more."""


def allocate(nbytes: int, user: Timeline) -> Storage:
    """Memory with anything in it, which a timeline uses first. Raises `Rejected` (O240, O241)."""
    if user.device == HOST:
        return _on_host(nbytes)
    let_go()
    buffer = transfers.allocate(nbytes, user.device, user.stream)
    made = Storage(int(buffer.handle), nbytes, user.device, buffer)
    with user.lock:
        user.now += 1
        made.space.sole = user
        made.space.wrote = user.now
    return made


def _on_host(nbytes: int) -> Storage:
    import numpy as np

    let_go()
    memory: Any = np.empty(nbytes + ALIGNMENT, np.uint8)
    start = memory.ctypes.data
    return Storage(start + -start % ALIGNMENT, nbytes, HOST, memory)


class _PageLocked:
    """Zeros in the host's memory that GPUs can access, given back some time after nobody has it any more."""

    def __init__(self, size: int, device: int):
        self.address: Final = transfers.page_locked(max(size, 1), device)
        self._back: Final = partial(transfers.unlock, self.address, device)
        memset(self.address, 0, size)

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        if hasattr(self, "_back") and not ending():
            later(self._back)


def allocate_page_locked(nbytes: int, device: int) -> Storage:
    """Zeros in the host's memory, from and to which a GPU copies by itself. Raises `Rejected` (O241)."""
    let_go()
    memory = _PageLocked(nbytes, device)
    space = Space(device, memory.address, memory.address + nbytes)
    return Storage(memory.address, nbytes, HOST, memory, space, foreign=False)


def foreign_space(device: int) -> Space:
    """The space of all memory of other libraries on a device, by address."""
    found = _FOREIGN.get(device)
    return _FOREIGN.setdefault(device, Space(device, counted=False)) if found is None else found


_FOREIGN: Final[dict[int, Space]] = {}


class Outside:
    """Another library's memory, leased for one operation without a tensor of ours."""

    __slots__ = ("epoch", "high", "low", "space", "storage")

    def __init__(self, device: int, low: int, high: int):
        self.space: Final = foreign_space(device)
        self.low: Final = low
        self.high: Final = high
        self.storage: Final = _OUTSIDE
        self.epoch: Final = 0


def outside(found: ArrayView) -> Outside:
    """Another library's array, from its first byte to its last, whichever elements these are of."""
    low, high = reach(found.shape, found.strides, found.dtype.itemsize)
    return Outside(found.device, found.pointer + low, found.pointer + high)


_OUTSIDE: Final = Storage(0, 0, HOST, None, Space())
"""Stands for allocations that only another library knows."""


def _give_back(owner: Any, device: int, address: int, nbytes: int, space: Space, kept: bool) -> object:
    """
    Gives back what nobody has a handle of any more: frees it, or if `kept` lets go of it once work on it is done.

    While a graph is captured where it would be freed, it is `POSTPONED`: the graph would free it each time it runs.
    """
    if device in _LOST:
        _LEAKED.append(owner)
        _OWNERS.pop(id(owner), None)
        return None
    with lock(space.device):  # what a thread does is done: it would have a handle
        conflicts = space.conflicts(address, address + nbytes, True)
    pending = [(user, tick) for user, tick in conflicts if user.stream is not None]

    def end() -> object:
        left = [(user, tick) for user, tick in pending if not user.passed(tick)]
        if not kept and not _free(owner, device, space, left):
            return POSTPONED
        for user, tick in left if kept else ():
            user.mark(tick)
            user.keep(owner, tick)
        _OWNERS.pop(id(owner), None)
        return None

    return under(sorted({device, space.device, *(user.device for user, _ in pending)} - {HOST}), end)


def _free(buffer: Any, device: int, space: Space, pending: list[tuple[Timeline, int]]) -> bool:
    """Frees a buffer of cuda.core on a stream that comes after all work on it; False where a capture is in the way."""
    user = space.sole or (pending[0][0] if pending else timeline(device))
    if user.device != device:  # a copy between GPUs was the last to use it
        user = timeline(device)
    with driver.on_device(device):
        if any(known.disturbs_a_capture() for known in (user, *(other for other, _ in pending))):
            return False
        for other, tick in pending:
            user.after(other, tick)
        buffer.close(driver.of_core(user.stream))
    return True


def lose(device: int, why: str) -> None:
    """Says that a fault destroyed everything that is on a GPU. Nothing there is ever given back."""
    _LOST.add(device)
    with lock(device):
        for storage in list(_ALIVE):
            if storage.device == device and not storage.foreign:
                storage.lose(why)


def _forget() -> None:
    """In a forked process: what is on a GPU is the other process's, and is never given back here."""
    for storage in list(_ALIVE):
        if storage.device != HOST:
            never_drop(storage.owner)
            storage.owner = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


when_lost.append(lose)
native.learn("Storage", _OUTSIDE)
