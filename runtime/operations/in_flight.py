"""Operations that were enqueued, for who waits for them."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Generic, Protocol, TypeVar

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

    __slots__ = ("_kept", "_operation", "_timelines", "value")

    def __init__(self, value: T_co, timelines: tuple[Timeline, ...], operation: Described, kept: object = None):
        self.value = value
        """What the operation's value will be; others may be enqueued behind it."""
        self._timelines = timelines
        self._operation = operation
        self._kept = kept

    def wait(self) -> T_co:
        """Waits until it, and whatever was enqueued on its streams since, is done. Raises `Rejected` (O241)."""
        for user in self._timelines:
            user.wait(self._operation.what)
        self._done()
        return self.value

    def __await__(self) -> Generator[Any, None, T_co]:
        yield from empty(self._timelines, self._operation.what, self._kept)
        self._done()
        return self.value

    def _done(self) -> None:
        self._timelines = ()
        self._kept = None

    def __repr__(self) -> str:
        return f"<{self._operation.what}, {'enqueued' if self._timelines else 'done'}>"
