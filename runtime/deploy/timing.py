"""How long launches take: several of them timed in turns, by events on a GPU or by what the caller measures."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from freehold.runtime.memory.arguments import ArrayView

Measure = Callable[[Callable[[], object]], float]
"""`measure(run)`: the seconds that a launch takes; each call of `run` enqueues one."""

ROUNDS: Final = 5
"""How often each configuration is timed that is not left behind."""
BATCH: Final = 2e-3
"""Seconds that are timed at once."""
BEHIND: Final = 1.5
"""A configuration that takes so many times as long as the best is timed once."""


def in_turns(runs: Sequence[Callable[[], object]], measure: Measure, ends: float) -> list[list[float]]:
    """
    The seconds of each run, in rounds: a GPU slows down as it warms, and does so for all of them.

    Ends at `ends` (of `time.monotonic`), when some may have no sample; the first has one in any case.
    """
    samples: list[list[float]] = [[] for _ in runs]
    for _ in range(ROUNDS):
        best = min((min(s) for s in samples if s), default=math.inf)
        for run, own in zip(runs, samples, strict=True):
            if any(samples) and time.monotonic() > ends:
                return samples
            if not own or min(own) <= BEHIND * best:
                own.append(measure(run))
    return samples


def by_events(views: Sequence[ArrayView]) -> Measure:
    """Timing by events on the stream that launches on these arrays use."""
    from freehold.runtime.gpu import driver, transfers
    from freehold.runtime.launch.plan import family_of

    device = views[0].device
    handle = driver.current_handle(family_of(views), device)

    def measure(run: Callable[[], object]) -> float:
        stream = driver.stream(handle, device)
        run()  # it is loaded then
        once = max(transfers.seconds(stream, run), 1e-7)
        count = max(1, math.ceil(BATCH / once))
        return transfers.seconds(stream, lambda: [run() for _ in range(count)]) / count

    return measure
