"""Errors of GPUs, forks and graphs that need a GPU, on stand-ins for one: what their author sees."""

from __future__ import annotations

import sys
import time
import types
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import freehold as fh
from freehold.runtime.gpu import captures, driver, faults
from freehold.runtime.gpu.timeline import timelines

REJECTED = Path(__file__).parent / "rejected"

FAULT = """
from freehold.runtime.gpu import driver
from freehold.runtime.gpu.timeline import Timeline, timelines

class CUDAError(Exception):
    pass

first = scale(fh.partition(y, 64), x, 2.0)
second = scale(fh.partition(b.reshape(-1), 64), a.reshape(-1), 2.0)
user = timelines[0][9] = Timeline(0, "a stream")
for launch in (first, second):
    launch.sync()
    user.now += 1
    launch.leave_trace(user)
driver.failed("waiting for work in flight", CUDAError("CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access"))
"""

Refused = Callable[[str], str]
Golden = Callable[[Path, str], None]


@pytest.fixture(autouse=True)
def a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU that does not answer."""
    monkeypatch.setattr(driver, "_problem", lambda: None)
    monkeypatch.setattr(driver, "current_device", lambda: 0)
    monkeypatch.setattr(faults, "_lost", {})
    timelines[0].clear()


def test_a_fault_names_the_oldest_launch(refused: Refused, golden: Golden) -> None:
    golden(REJECTED / "O280_launch.err", refused(FAULT))
    timelines[0].clear()


def test_a_fault_of_another_library(refused: Refused, golden: Golden) -> None:
    seen = FAULT.replace("driver.failed", "user.reach(user.now)\ndriver.failed")
    golden(REJECTED / "O280_foreign.err", refused(seen))
    timelines[0].clear()


def test_a_lost_gpu_stays_lost(refused: Refused) -> None:
    text = refused(FAULT)
    assert refused(FAULT) == text
    timelines[0].clear()


def test_a_forked_process(refused: Refused, golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "forked", True)
    driver.cuda_core.cache_clear()  # what `forget` does
    golden(REJECTED / "O281.err", refused("t = fh.zeros((64,), fh.f32, device=0).sync()\n"))


def test_a_shared_operation_of_another_thread_in_a_forked_process(refused: Refused, golden: Golden) -> None:
    program = """
shared = scale(fh.partition(y, 64), x, 2.0).shared()
shared._runner, shared._source = -1, shared._source.spend() and None  # another thread's
shared.left_behind()
shared.sync()
"""
    golden(REJECTED / "O269.err", refused(program))


def test_a_graph_in_two_places(refused: Refused, golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_: object) -> None: ...

    monkeypatch.setattr(captures, "give_up_capture", nothing)
    stream = types.SimpleNamespace(handle=48)
    monkeypatch.setitem(driver.streams[0], stream.handle, stream)
    monkeypatch.setitem(timelines, 0, {})
    monkeypatch.setattr(captures, "begin_capture", lambda device: stream)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] -- a stand-in
    program = """
with fh.graph() as g:
    g.record(fh.Work("an all-reduce", lambda execution: execution.stream(0)))
    g.record(scale(fh.partition(y, 64), x, 2.0))
"""
    golden(REJECTED / "O264.err", refused(program))


def test_what_is_raised_can_be_caught_by_kind() -> None:
    from freehold.runtime.errors.every import GpuLost, OperationRun, OutOfMemory
    from freehold.support.diagnostic import Error

    def raised(error: Error) -> type[fh.Rejected]:
        with pytest.raises(fh.Rejected) as caught:
            raise fh.Rejected([error])
        return caught.type

    assert raised(OutOfMemory(None, "allocating", 0)) is fh.OutOfMemory
    assert raised(GpuLost(None, 0, "a fault", "a launch")) is fh.GpuLost
    assert raised(OperationRun(None, "a chain")) is fh.LaunchError
    assert issubclass(fh.OutOfMemory, MemoryError)
    assert issubclass(fh.OutOfMemory, fh.LaunchError)

    @fh.kernel
    def wrong(y: fh.Mut["N"]):
        y.store(missing)  # pyright: ignore[reportUndefinedVariable, reportUnknownArgumentType] -- refused

    with pytest.raises(fh.CompileError):
        wrong.verify(fh.partition(np.zeros(8, np.float32), 8))


def test_threads_that_need_the_driver_at_once_import_it_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    inside, most = [0], [0]

    class Slow(types.ModuleType):
        def __getattr__(self, name: str) -> object:
            if name != "core":
                raise AttributeError(name)
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            time.sleep(0.02)
            inside[0] -= 1
            return "the package"

    monkeypatch.setitem(sys.modules, "cuda", Slow("cuda"))
    driver.cuda_core.cache_clear()
    try:
        with ThreadPoolExecutor(4) as pool:
            assert {work.result() for work in [pool.submit(driver.cuda_core) for _ in range(4)]} == {"the package"}
    finally:
        driver.cuda_core.cache_clear()
    assert most == [1]
