"""How long launches take: several of them timed in turns, by events on a GPU or by what the caller measures."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from random import Random
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
FINALS: Final = 8
"""How often those are timed again that are close to the best."""
CLOSE: Final = 1.1
"""So many times as long as the best takes what is close to it."""


def in_turns(runs: Sequence[Callable[[], object]], measure: Measure, ends: float) -> list[list[float]]:
    """
    The seconds of each run, in rounds: a GPU slows down as it warms, and does so for all of them. Each round has
    another order, for what ran before leaves the GPU warmer or cooler. Who has more samples was found to be faster.

    Ends at `ends` (of `time.monotonic`), when some may have no sample; the first has one in any case.
    """
    samples: list[list[float]] = [[] for _ in runs]
    for number in range(ROUNDS + FINALS):
        taking = list(range(len(runs))) if number == 0 else _still(samples, number)
        if number >= ROUNDS and len(taking) < 2:
            break
        if number:
            Random(number).shuffle(taking)
        round_: dict[int, float] = {}
        for n in taking:
            if (number or round_) and time.monotonic() > ends:
                break
            round_[n] = measure(runs[n])
        if number and len(round_) < len(taking):
            break  # a round counts for all or for none
        for n, seconds in round_.items():
            samples[n].append(seconds)
    return samples


def _still(samples: Sequence[Sequence[float]], number: int) -> list[int]:
    """Those that a round has: all that are not far behind, and in the end those of the ones before that are close."""
    if number < ROUNDS:
        best = min(min(s) for s in samples if s)
        return [n for n, s in enumerate(samples) if s and min(s) <= BEHIND * best]
    best = min(statistics.median(s) for s in samples if len(s) == number)
    return [n for n, s in enumerate(samples) if len(s) == number and statistics.median(s) <= CLOSE * best]


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
