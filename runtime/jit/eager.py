"""`freehold.eager`: kernels that run as they are called, for notebooks and for those who look for a fault."""

from __future__ import annotations

from threading import get_ident
from typing import Final

from freehold.runtime.jit.launchable import eager_threads, kernels
from freehold.runtime.operations.finished import eagerly
from freehold.support.locks import mutex

_lock: Final = mutex()


class Eager:
    """What `freehold.eager` returns: a block, at whose end all is as it was before."""

    __slots__ = ("_before",)

    def __init__(self, before: bool):
        self._before = before

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        _turn(self._before)


def eager(on: bool = True) -> Eager:
    """
    Runs kernels when they are called, `saxpy(y, x)`, and waits for them; without `.sync()`. A call then returns the
    operation done: its `value` is what the kernel wrote, and `sync()`, `on()` and `await` give that at once.

    `fh.eager()` holds from there on, for the thread that says so, until `fh.eager(False)`; `with fh.eager():` holds for
    a block. It costs what waiting does: each launch takes as long as its kernel and the wait together, and nothing
    overlaps. Graphs record no launch that was made so (O243), and a package is built of none.
    """
    before = eagerly.on
    _turn(on)
    return Eager(before)


def _turn(on: bool) -> None:
    with _lock:
        eagerly.on = on
        (eager_threads.add if on else eager_threads.discard)(get_ident())
        for kernel in list(kernels.values()):
            kernel.call_plainly()
