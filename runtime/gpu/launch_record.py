"""A record of launches: what was enqueued on which stream, when, and when the host knew that it was done."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from time import monotonic_ns
from typing import Any, NamedTuple

from freehold.runtime.gpu import driver, flight


class Launched(NamedTuple):
    """One launch of a record. Times are in nanoseconds, by `time.monotonic_ns`."""

    device: int
    """The number of the GPU."""
    stream: int
    """The driver's handle of the stream; 0 is the default stream."""
    what: str
    """What was launched."""
    enqueued: int
    """When the host put it into the stream."""
    done: int | None
    """When the host knew that it was done, some time after it was; None if it did not while the record was made."""


@contextmanager
def record_launches() -> Generator[list[Launched]]:
    """
    Records the launches on GPUs that are made in a block: `with freehold.record_launches() as launches: ...`.

    The list is complete at the end of the block: a `Launched` for each launch, in the order of enqueueing, by whatever
    thread. Nothing is measured on the GPU, and launches take as long as ever: `done` is when the host found
    out, because it waited or looked. Of launches that are not known to be done, the last 4096 of each stream are there.
    Replays of graphs are not in it, nor are launches on the interpreter. `plot_timeline` draws it.
    """
    launches: list[Launched] = []
    began = monotonic_ns()

    def note(device: int, stream: Any, trace: flight.Trace) -> None:
        if trace.when >= began:
            launches.append(Launched(device, _handle(stream), trace.what, trace.when, monotonic_ns()))

    flight.watchers.append(note)
    try:
        yield launches
    finally:
        left = [
            Launched(line.device, _handle(line.stream), trace[2], trace[1], None)
            for line in flight.every()
            for trace in list(line.trail)
            if trace[1] >= began
        ]
        flight.watchers.remove(note)
        known = {launched[:4] for launched in launches}  # one may have ended while we looked
        launches += [launched for launched in left if launched[:4] not in known]
        launches.sort(key=lambda launched: launched.enqueued)


def _handle(stream: Any) -> int:
    """A stream's handle; the default one's is always 0, though the driver knows it by 1, too."""
    handle = driver.handle_of(stream)
    return 0 if handle == 1 else handle
