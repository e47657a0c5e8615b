"""Launches beside one another: which stream each is enqueued on, in which order, and which stream waits for which."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from freehold.kernels import streams

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

torch: Any = pytest.importorskip("torch")


@dataclass
class Stream:
    """As much of a stream of torch as is used."""

    told: list[str]
    name: str
    device_index: int = 0
    cuda_stream: int = 7

    def wait_stream(self, other: Stream) -> None:
        self.told.append(f"{self.name} waits for {other.name}")


@dataclass
class Cuda:
    """As much of `torch.cuda`, which notes what is asked of it."""

    told: list[str] = field(default_factory=list[str])
    made: int = 0

    def __post_init__(self) -> None:
        self.current = Stream(self.told, "current")

    def current_stream(self, device: Any) -> Stream:
        return self.current

    def Stream(self, device: Any, priority: int) -> Stream:
        self.made += 1
        self.told.append(f"stream {self.made} on {device} of priority {priority}")
        return Stream(self.told, f"stream {self.made}")

    @contextmanager
    def stream(self, stream: Stream) -> Generator[None]:
        outer, self.current = self.current, stream
        yield
        self.current = outer

    def step(self, number: int) -> Callable[[], None]:
        return lambda: self.told.append(f"launch {number} on {self.current.name}")


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> Cuda:
    made = Cuda()
    monkeypatch.setattr(streams, "_others", {})
    for name in ("current_stream", "Stream", "stream"):
        monkeypatch.setattr(torch.cuda, name, getattr(made, name))
    return made


MADE = [f"stream {n} on cuda of priority {p}" for n, p in ((1, -1), (2, 0), (3, -1))]


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_launches_on_streams(cuda: Cuda, count: int, last: bool) -> None:
    streams.beside_one_another(map(cuda.step, range(count)), count, "cuda", last)
    beside = range(1, count)
    first, others = ["launch 0 on current"], [f"launch {n} on stream {n}" for n in beside]
    waits = [f"stream {n} waits for current" for n in beside]
    back = [f"current waits for stream {n}" for n in beside]
    assert cuda.told == [*MADE, *waits, *(others + first if last else first + others), *back]


def test_streams_are_made_once_for_each_stream(cuda: Cuda) -> None:
    for handle, made in ((7, 3), (7, 3), (8, 6), (7, 6)):
        cuda.current.cuda_stream = handle
        streams.beside_one_another(map(cuda.step, range(2)), 2, "cuda")
        assert cuda.made == made
    cuda.current.device_index = 1
    streams.beside_one_another(map(cuda.step, range(2)), 2, "cuda")
    assert cuda.made == 9
