"""
Adversarial mode: whatever a program may not depend on is decided by a seed, and differently from what is usual.

Several blocks are under way at once, and at each access to memory another one may go on. So a block that reads,
computes and writes without an atomic update loses what others wrote in between. Only one of them runs at any time, and
a seed decides which, so that a run can be repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from threading import Semaphore, Thread
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from freehold.runtime.interpreter.compile import Step
    from freehold.runtime.interpreter.elements import Array

WIDTH: Final = 8
"""Blocks that are under way at once, as long as they end."""

PATIENCE: Final = 10_000
"""Changes of block after which one more is started, should those under way wait for it."""

ACCESSES: Final = frozenset(
    f"ownership.{name}"
    for name in (
        "load",
        "store",
        "gather",
        "load_from",
        "accumulate",
        "accumulate_at",
        "unsafe_load",
        "unsafe_store",
        "unsafe_update",
        "unsafe_swap",
    )
) | frozenset(
    f"cuda_tile.{name}"
    for name in (
        "load_ptr_tko",
        "store_ptr_tko",
        "atomic_rmw_tko",
        "atomic_cas_tko",
        "load_view_tko",
        "store_view_tko",
        "atomic_red_view_tko",
        "multimem_load_reduce_view_tko",
        "multimem_store_view_tko",
        "multimem_reduce_view_tko",
    )
)
"""The operations at which another block may go on."""


class _Stopped(BaseException):
    """Ends a block that is not needed any more."""


class _Block:
    """A block that is under way, in a thread of its own, which runs only when it is told to."""

    def __init__(self, work: Callable[[], None], back: Semaphore):
        self.work = work
        self.go = Semaphore(0)
        self.back = back
        self.done = False
        self.stopped = False
        self.error: BaseException | None = None
        self.thread = Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        self.go.acquire()
        try:
            if not self.stopped:
                with np.errstate(all="ignore"):  # of a thread
                    self.work()
        except _Stopped:
            pass
        except BaseException as e:  # the run's thread raises it
            self.error = e
        self.done = True
        self.back.release()

    def advance(self) -> None:
        """Lets it run until it pauses or ends."""
        self.go.release()
        self.back.acquire()

    def stop(self) -> None:
        """Ends it where it is."""
        self.stopped = True
        while not self.done:
            self.advance()


class Adversary:
    """Decides by a seed which block goes on, and in which order the elements of one access are written."""

    def __init__(self, seed: int):
        self._random = Random(seed)
        self._back = Semaphore(0)
        self._running: _Block | None = None

    def run(self, works: Iterable[Callable[[], None]]) -> None:
        """Runs blocks, each a function, started in the order in which they come. Raises what one of them raises."""
        waiting = iter(works)
        under_way: list[_Block] = []
        width, changes = WIDTH, 0
        try:
            while True:
                while len(under_way) < width and (work := next(waiting, None)) is not None:
                    under_way.append(_Block(work, self._back))
                if not under_way:
                    return
                self._running = block = self._random.choice(under_way)
                block.advance()
                changes += 1
                if block.done:
                    under_way.remove(block)
                    width, changes = WIDTH, 0
                    if block.error is not None:
                        raise block.error
                elif changes == PATIENCE:
                    width, changes = width + 1, 0
        finally:
            for block in under_way:
                block.stop()

    def pause(self) -> None:
        """Lets another block go on, perhaps. Called by the block that runs."""
        block = self._running
        if block is None or self.flips():
            return
        self._back.release()
        block.go.acquire()
        if block.stopped:
            raise _Stopped

    def flips(self) -> bool:
        """A coin."""
        return self._random.random() < 0.5

    def shuffled(self, count: int) -> Array:
        """The numbers below `count`, in some order."""
        return self.numbers().permutation(count)

    def numbers(self) -> np.random.Generator:
        """Where other numbers come from."""
        return np.random.default_rng(self._random.getrandbits(32))


def pausing(step: Step) -> Step:
    """An access before which other blocks may go on, and may see what this one has stored so far."""

    def access(v: list[Any]) -> int | None:
        machine = v[0]
        machine.adversary.pause()
        if machine.late and machine.adversary.flips():
            machine.settle()
        return step(v)

    return access
