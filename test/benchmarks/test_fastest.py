"""Which of several ways is the rival: the one that is fastest on the GPU, whatever the host takes to ask for it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import pytest
from benchmarks.attention_works import fastest
from benchmarks.gpu import repeats


class Machine:
    """As much of torch as is used: a clock, which calls move by what a host or a GPU takes, and graphs of calls."""

    def __init__(self) -> None:
        self.cuda = self
        self.now = 0.0
        self.recording: list[float] | None = None

    def way(self, host: float, device: float) -> Callable[..., Any]:
        """What keeps the host and the GPU busy for so many seconds."""

        def function(*_: Any) -> None:
            if self.recording is not None:
                self.recording.append(device)
            else:
                self.now += max(host, device)

        return function

    def Event(self, enable_timing: bool) -> Any:
        assert enable_timing
        return Event(self)

    def Stream(self) -> Any:
        return self

    current_stream = Stream

    def wait_stream(self, stream: Any) -> None:
        assert stream is self

    @contextmanager
    def stream(self, stream: Any) -> Generator[None]:
        assert stream is self
        yield

    def CUDAGraph(self) -> Any:
        return Graph(self)

    @contextmanager
    def graph(self, graph: Any) -> Generator[None]:
        self.recording = graph.calls
        try:
            yield
        finally:
            self.recording = None


class Event:
    """When the clock was asked."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.at = machine, 0.0

    def record(self) -> None:
        self.at = self.machine.now

    def synchronize(self) -> None:
        assert self.machine.recording is None

    def elapsed_time(self, other: Any) -> float:
        return (other.at - self.at) * 1e3


class Graph:
    """Calls that the GPU does one after another."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.calls = machine, list[float]()

    def replay(self) -> None:
        assert self.calls
        self.machine.now += sum(self.calls)


def refuses(*_: Any) -> None:
    raise RuntimeError("no kernel for this")


def test_what_the_host_takes_does_not_count() -> None:
    torch = Machine()
    ways = {"dear to ask for": torch.way(9e-3, 1e-4), "slow": torch.way(1e-6, 2e-4), "slower": torch.way(1e-6, 3e-4)}
    name, way = fastest(torch, ways, ())
    assert (name, way) == ("dear to ask for", ways["dear to ask for"])


def test_graphs_of_other_lengths_are_told_by_the_call() -> None:
    """A way that takes long to ask for has fewer calls in its graph, which is no merit."""
    torch = Machine()
    assert repeats(5e-3) == 2
    assert repeats(1e-4) == 40
    assert fastest(torch, {"short": torch.way(5e-3, 2e-4), "long": torch.way(1e-6, 1e-4)}, ())[0] == "long"


def test_ways_are_given_the_tensors() -> None:
    torch, given = Machine(), list[Any]()
    spend = torch.way(0.0, 1e-3)

    def way(*tensors: Any) -> None:
        given.append(tensors)
        spend()

    assert fastest(torch, {"alone": way}, (1, 2))[0] == "alone"
    assert set(given) == {(1, 2)}


def test_what_does_not_run_is_left_out() -> None:
    torch = Machine()
    assert fastest(torch, {"none": refuses, "some": torch.way(1e-6, 1e-3)}, ())[0] == "some"


def test_what_cannot_be_recorded_is_left_out() -> None:
    torch = Machine()
    spend = torch.way(0.0, 1e-6)

    def waits(*_: Any) -> None:
        if torch.recording is not None:
            raise RuntimeError("operation not permitted when stream is capturing")
        spend()

    assert fastest(torch, {"waits": waits, "some": torch.way(1e-6, 1e-3)}, ())[0] == "some"


def test_that_none_runs_is_said() -> None:
    with pytest.raises(ValueError, match="none of one, other runs"):
        fastest(Machine(), {"one": refuses, "other": refuses}, ())


def test_other_errors_are_not_hidden() -> None:
    def wrong(*_: Any) -> None:
        raise TypeError("a mistake")

    with pytest.raises(TypeError, match="a mistake"):
        fastest(Machine(), {"one": wrong}, ())


@pytest.mark.parametrize(("once", "count"), [(1e-6, 50), (1e-4, 40), (3e-3, 2), (7.9e-3, 2), (8e-3, 1), (1.0, 1)])
def test_a_graph_has_some_milliseconds(once: float, count: int) -> None:
    assert repeats(once) == count
