"""
How far something is that may take long: a bar by tqdm where it is installed, else a line that is written over.

Nothing is shown of what takes less than two seconds, nor where nobody looks on: standard error is no terminal, and
there is no notebook. `FREEHOLD_PROGRESS=1` shows it all the same, in lines, and `FREEHOLD_PROGRESS=0` never.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, Final, TypeVar

T = TypeVar("T")

VARIABLE: Final = "FREEHOLD_PROGRESS"
SILENT: Final = 2.0
"""Seconds before anything is shown."""
BETWEEN: Final = 0.5
"""Seconds from one line to the next on a terminal; ten times as many elsewhere."""


def progress(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """The same items, and meanwhile it is shown how many there were of `total`, if that many are known, and of what."""
    if total is None:
        total = len(items) if hasattr(items, "__len__") else None  # pyright: ignore[reportArgumentType] -- it has one
    if not _shown():
        yield from items
        return
    step, close = _bar(what, total)
    try:
        for item in items:
            yield item
            step()
    finally:
        close()


def _shown() -> bool:
    asked = os.environ.get(VARIABLE, "")
    return asked != "0" and (bool(asked) or sys.stderr.isatty() or in_notebook())


def in_notebook() -> bool:
    """Whether this is the kernel of a notebook."""
    return "ipykernel" in sys.modules


def _bar(what: str, total: int | None) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """What counts an item, and what takes away what is shown."""
    if sys.stderr.isatty() or in_notebook():
        try:
            tqdm: Any = import_module("tqdm.auto").tqdm
        except ImportError:
            pass
        else:
            bar = tqdm(total=total, desc=what, delay=SILENT, leave=False)
            return bar.update, bar.close
    line = _Line(what, total)
    return line.step, line.close


class _Line:
    """A line of text: on a terminal the same one again and again, elsewhere a new one each time."""

    def __init__(self, what: str, total: int | None, clock: Callable[[], float] = time.monotonic):
        self.what = what
        self.total = total
        self.clock = clock
        self.done = 0
        self.began = clock()
        self.next = self.began + SILENT
        self.terminal = sys.stderr.isatty()
        self.length = 0

    def step(self) -> None:
        """One more is done."""
        self.done += 1
        now = self.clock()
        if now < self.next:
            return
        self.next = now + (BETWEEN if self.terminal else 10 * BETWEEN)
        of = "" if self.total is None else f" of {self.total}"
        text = f"{self.what}: {self.done}{of}, {now - self.began:.0f} s"
        if self.terminal:
            sys.stderr.write("\r" + text.ljust(self.length))
            self.length = len(text)
        else:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def close(self) -> None:
        """Leaves a terminal as it was."""
        if self.length:
            sys.stderr.write("\r" + " " * self.length + "\r")
            sys.stderr.flush()
