"""Kernels that begin while the one in front of them ends, on a GPU: what they see of it, and what it sees of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import freehold as fh
from freehold import Out, Ref, i32
from freehold.backend import cubin
from freehold.runtime.gpu import captures

pytestmark = pytest.mark.cuda

TURNS = 20_000
"""Of a loop that takes milliseconds: whoever does not wait for its end is seen."""


@fh.kernel(overlap=True)
def late(y: Out["N"], x: Ref["N"], turns: i32):
    """y = turns * x, added up one by one, by a kernel that lets the one behind it begin at once."""
    total = x.load_like(y) * 0.0
    for _ in range(turns):
        total = total + x.load_like(y)
    y.store(total)


@fh.kernel(overlap=True)
def next_to(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) + 1.0)


@fh.kernel(overlap=("x",))
def reads_early(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) + 1.0)


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes these kernels for such as fill a multiprocessor: others do not begin early in torch's graphs."""

    def it_does(code: bytes) -> bool:
        return True

    monkeypatch.setattr(cubin, "fills_a_multiprocessor", it_does)


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.fixture
def early(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of the launches that were captured and might begin early: whether they did."""
    found: list[bool] = []
    asked = captures.follows_a_kernel

    def follows(handle: int) -> bool:
        found.append(asked(handle))
        return found[-1]

    monkeypatch.setattr(captures, "follows_a_kernel", follows)
    return found


def replayed(torch: Any, work: Callable[[], None]) -> Any:
    """A graph of torch's of some work, which was done before."""
    work()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return graph


def ours(kernel: Any, y: Any, *rest: Any) -> None:
    kernel(fh.partition(y, 128), *rest).on()


def run(*launches: tuple[Any, ...]) -> None:
    for launch in launches:
        ours(*launch)


def test_what_the_kernel_in_front_writes_late_is_seen(torch: Any, early: list[bool]) -> None:
    x, t, y = torch.ones(1024, device="cuda"), *(torch.zeros(1024, device="cuda") for _ in range(2))
    graph = replayed(torch, lambda: run((late, t, x, TURNS), (next_to, y, t)))
    assert early[-2:] == [False, True]
    for value in (1.0, 2.0, 3.0):
        x.fill_(value)
        t.zero_()
        y.zero_()
        graph.replay()
        assert (y == TURNS * value + 1.0).all().item()


def test_what_the_kernel_in_front_reads_late_is_not_yet_written(torch: Any, early: list[bool]) -> None:
    x, t, z = torch.ones(1024, device="cuda"), *(torch.zeros(1024, device="cuda") for _ in range(2))
    graph = replayed(torch, lambda: run((late, t, x, TURNS), (next_to, x, z)))
    assert early[-2:] == [False, True]
    for value in (1.0, 2.0, 3.0):
        x.fill_(value)
        z.fill_(100.0)
        graph.replay()
        assert (t == TURNS * value).all().item()
        assert (x == 101.0).all().item()


def test_a_kernel_between_that_has_nothing_to_do_with_it_hides_nothing(torch: Any, early: list[bool]) -> None:
    x, t, y, u, v = torch.ones(1024, device="cuda"), *(torch.zeros(1024, device="cuda") for _ in range(4))
    work = (late, t, x, TURNS), (next_to, u, v), (next_to, y, t)
    graph = replayed(torch, lambda: run(*work))
    assert early[-3:] == [False, True, True]
    for value in (1.0, 2.0, 3.0):
        x.fill_(value)
        t.zero_()
        y.zero_()
        graph.replay()
        assert (y == TURNS * value + 1.0).all().item()


def test_what_other_libraries_put_before_and_behind_is_in_order(torch: Any, early: list[bool]) -> None:
    x, t, y, z = torch.ones(1024, device="cuda"), *(torch.zeros(1024, device="cuda") for _ in range(3))
    side = torch.cuda.Stream()

    def work() -> None:
        torch.cuda._sleep(2_000_000)
        t.copy_(x * 2.0)
        ours(next_to, y, t)
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            z.copy_(y)
        torch.cuda.current_stream().wait_stream(side)
        ours(next_to, t, z)

    graph = replayed(torch, work)
    for value in (1.0, 2.0, 3.0):
        x.fill_(value)
        graph.replay()
        assert (y == 2.0 * value + 1.0).all().item()
        assert (t == 2.0 * value + 2.0).all().item()


@pytest.mark.parametrize("kernel", [next_to, reads_early])
def test_a_graph_of_ours_is_in_order_too(kernel: Any, torch: Any, early: list[bool]) -> None:
    x, t, y = torch.ones(1024, device="cuda"), *(torch.zeros(1024, device="cuda") for _ in range(2))
    with fh.graph() as graph:
        graph.record(late(fh.partition(t, 128), x, TURNS))
        graph.record(kernel(fh.partition(y, 128), t))
    assert (True in early) == (kernel is next_to)  # what the other reads early may still be written
    for value in (1.0, 2.0, 3.0):
        x.fill_(value)
        t.zero_()
        y.zero_()
        graph.replay().sync()
        assert (y == TURNS * value + 1.0).all().item()
    graph.close()
