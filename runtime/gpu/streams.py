"""
Streams of ours: where awaited operations run.

Which stream an awaited operation gets is a policy's to say: by default four streams a GPU take turns, so operations
that are awaited at the same time may run at the same time. Operations on one tensor are in order whatever the streams.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from typing import Any, Final, Protocol

from freehold.runtime.gpu import driver
from freehold.support.locks import mutex
from freehold.support.public import public

_LOCK: Final = mutex()


class Policy(Protocol):
    """Says which stream work runs on that asks for none."""

    def stream(self, device: int) -> Any:
        """A stream of cuda.core on a GPU. May be called by several threads at once."""
        ...


class RoundRobin:
    """Some streams a GPU, which take turns."""

    @public
    def __init__(self, streams: int = 4):
        """`streams` is how many, at least 1."""
        if streams < 1:
            raise ValueError(f"a policy needs a stream, and {streams} were asked for")
        self._count: Final = streams
        self._turn = count()
        self._made: dict[int, list[Any]] = {}

    @public
    def stream(self, device: int) -> Any:
        """The next one."""
        made = self._made.get(device)
        if made is None:
            driver.require_gpu("streams are a GPU's: on the host there is nothing to order")
            with _LOCK:
                made = self._made.get(device)
                if made is None:
                    made = self._made[device] = [driver.new_stream(device) for _ in range(self._count)]
        return made[next(self._turn) % self._count]

    def __repr__(self) -> str:
        return f"RoundRobin({self._count})"


class SingleStream(RoundRobin):
    """One stream a GPU: awaited operations run one after the other."""

    def __init__(self) -> None:
        super().__init__(1)

    def __repr__(self) -> str:
        return "SingleStream()"


_policy: Policy = RoundRobin()

pooled: Final[set[int]] = set()
"""Identities of streams that a policy has given out. They live as long as the process."""


def next_stream(device: int) -> Any:
    """A stream of the policy's."""
    found = _policy.stream(device)
    pooled.add(id(found))
    return found


@contextmanager
def stream_policy(chosen: Policy) -> Generator[Policy]:
    """`with stream_policy(SingleStream()):` awaited operations run where this policy says, in all threads."""
    global _policy
    before, _policy = _policy, chosen
    try:
        yield chosen
    finally:
        _policy = before
