"""Launches that run beside one another, on streams of torch."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

_others: Final[dict[tuple[int, int], tuple[Any, ...]]] = {}
"""Three streams beside each, by device and handle. What is on the second one comes after what is on the others."""


def beside_one_another(launches: Iterator[Any], count: int, device: Any) -> None:
    """
    Enqueues up to four launches that need nothing of one another: the first on torch's current stream, and the others
    beside it, for the multiprocessors that it leaves idle in its last turn. The current stream waits for all.
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
    next(launches).on()
    for other in beside:
        with cuda.stream(other):  # a launch is for the stream that is current when it is made
            for launch in islice(launches, 1):
                launch.on()
    for other in beside:
        current.wait_stream(other)
