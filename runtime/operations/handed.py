"""What operations are handed by rooms above them (`freehold.runtime` does so)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

copy: Callable[[Any, Any], Any]
"""`copy(target, source)`: an operation that copies arrays of any library, whose value is `target`."""

prepare: Callable[[Iterable[Any]], None]
"""`prepare(operations)` makes operations ready, beside one another."""
