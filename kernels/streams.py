"""Launches that run beside one another, on streams of torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final

_others: Final[dict[tuple[int, int], tuple[Any, ...]]] = {}
"""Three streams beside each, by device and handle. What is on the second one comes after what is on the others."""


def beside_one_another(steps: Iterator[Callable[[], Any]], count: int, device: Any, last: bool = False) -> None:
    """
    Enqueues up to four launches that need nothing of one another, each by a call of a step: the first on torch's
    current stream, and the others beside it, for the multiprocessors that it leaves idle in its last turn. The current
    stream waits for all.

    With `last` the first is enqueued behind the others: where these read what a launch on the current stream wrote,
    they wait for all that is there by then.
    """
    import torch  # pyright: ignore[reportMissingImports] -- it may not be installed

    cuda: Any = torch.cuda
    current = cuda.current_stream(device)
    key = current.device_index, current.cuda_stream
    if key not in _others:
        _others[key] = tuple(cuda.Stream(device, priority=priority) for priority in (-1, 0, -1))
    beside = _others[key][: count - 1]
    for other in beside:
        other.wait_stream(current)
    first = next(steps)
    if not last:
        first()
    for other in beside:
        with cuda.stream(other):  # a launch is for the stream that is current when it is made
            for step in islice(steps, 1):
                step()
    if last:
        first()
    for other in beside:
        current.wait_stream(other)
