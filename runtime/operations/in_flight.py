"""Operations that were enqueued, for who waits for them."""

from __future__ import annotations

from collections.abc import Generator
from itertools import zip_longest
from typing import Any, Generic, Protocol, Self, TypeVar

from freehold.runtime.gpu.timeline import Timeline
from freehold.runtime.operations.waiting import empty

T_co = TypeVar("T_co", covariant=True)


class Described(Protocol):
    """An operation, as errors know it."""

    @property
    def what(self) -> str: ...


class InFlight(Generic[T_co]):
    """
    An operation that was enqueued. Keeps what it uses alive as long as it lives itself.

    `await` waits for it as for an operation.
    """

    __slots__ = ("_kept", "_operation", "_ticks", "_timelines", "value")

    def __init__(self, value: T_co, timelines: tuple[Timeline, ...], operation: Described, kept: object = None):
        self.value = value
        """What the operation's value will be; others may be enqueued behind it."""
        self._timelines = timelines
        self._operation = operation
        self._kept = kept
        self._ticks: tuple[int, ...] = ()
        """Of its timelines, where it was marked."""

    def wait(self) -> T_co:
        """
        Waits until it, and whatever was enqueued on its streams up to here (or until it was `marked`), is done.

        Raises `Rejected` (O241; O233 to O235 if a check failed in a kernel).
        """
        for user, tick in zip_longest(self._timelines, self._ticks):
            if tick is None:
                user.wait(self._operation.what)
            else:
                user.join(tick)
        self._done()
        return self.value

    def marked(self) -> Self:
        """Lets `wait` (not `await`) wait for nothing that is enqueued from here on. Returns itself."""
        self._ticks = tuple([user.mark()[0] for user in self._timelines])
        return self

    def __await__(self) -> Generator[Any, None, T_co]:
        yield from empty(self._timelines, self._operation.what, self._kept)
        self._done()
        return self.value

    def _done(self) -> None:
        self._timelines = self._ticks = ()
        self._kept = None

    def __repr__(self) -> str:
        return f"<{self._operation.what}, {'enqueued' if self._timelines else 'done'}>"
