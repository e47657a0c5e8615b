"""Streams where there are several GPUs: the one that a stream is of is current whenever the driver asks which is."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest

from freehold.runtime.gpu import driver


class Stream:
    """Stands for one of cuda.core; notes what is done, and on which GPU."""

    handle = 1

    def __init__(self, done: list[Any], current: list[int]):
        self.done = done
        self.current = current

    def sync(self) -> None:
        self.done.append(("sync", self.current[-1]))

    def wait(self, other: Any) -> None:
        self.done.append(("wait", self.current[-1], other))

    def record(self, event: Any = None, options: Any = None) -> Any:
        self.done.append(("record", self.current[-1], event, options))
        return "event"


@pytest.fixture
def current(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    found = [0]

    @contextmanager
    def on_device(device: int) -> Generator[None]:
        found.append(device)
        yield
        found.pop()

    monkeypatch.setattr(driver, "on_device", on_device)
    return found


def test_what_is_done_is_done_on_its_gpu(current: list[int]) -> None:
    done: list[Any] = []
    here, there = (driver.HomedStream(Stream(done, current), device) for device in (0, 1))
    there.sync()
    there.wait("another event")
    assert there.record() == "event"
    there.record("used before")
    there.record(options="blocking")
    here.wait(there)
    assert done == [
        ("sync", 1),
        ("wait", 1, "another event"),
        ("record", 1, None, None),
        ("record", 1, "used before", None),
        ("record", 1, None, "blocking"),
        ("record", 1, None, None),
        ("wait", 0, "event"),
    ]
    assert current == [0]
    assert there.__cuda_stream__() == (0, 1)
    assert driver.of_core(there) is there.inner
    assert driver.of_core(there.inner) is there.inner
    assert repr(there) == "<stream 0x1 of GPU 1>"
