"""Limits on how long a part of a benchmark may take."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Generator


class TooLong(Exception):
    """Something that takes longer than it may."""


@contextlib.contextmanager
def limited(seconds: int) -> Generator[None]:
    """Raises `TooLong` in the block after some time. Limits may stand in one another; the inner one adds its time."""

    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    left = signal.alarm(seconds)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, before)
        signal.alarm(left)
