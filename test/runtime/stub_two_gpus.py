"""
Two GPUs, and a program that switches between them as it likes, on the stub driver; run by test_stub_driver.py in a
process of its own.

The stub counts what a GPU does on another one's memory, streams and events, and what a real driver would refuse.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from mixing import Foreign, mix, mixed
from stub import run_tests, the_stub

import freehold as fh
from freehold.runtime.gpu import driver

stub = the_stub()
stub.stub_devices(2)
N = 1024
CONTEXTS = {None: 0, 0: 0x1000, 1: 0x1010, "part of a GPU": 0x2000}
"""What may be current: nothing, a GPU, or a part of the first one."""


def tensor(device: int, start: int = 0) -> Any:
    return fh.from_numpy(np.arange(start, start + N, dtype=np.int32), device=device).sync()


def step(y: Any, x: Any) -> Any:
    return mix(fh.partition(y, 256), x)


def current() -> int:
    return int(driver.api().cuCtxGetCurrent()[1])


def wherever(work: Callable[[int], None]) -> None:
    """Does work for each GPU, whatever is current, in this thread and in others. What is current stays."""
    bindings: Any = driver.api()
    before = current()
    failed: list[BaseException] = []

    def do(device: int, context: int) -> None:
        try:
            bindings.cuCtxSetCurrent(context)
            work(device)
            assert current() == context or not context, "another context is current"
        except BaseException as e:
            failed.append(e)

    for device in (0, 1):
        for context in CONTEXTS.values():
            do(device, context)
            thread = threading.Thread(target=do, args=(device, context))
            thread.start()
            thread.join()
    bindings.cuCtxSetCurrent(before)
    if failed:
        raise failed[0]
    assert stub.stub_misplaced() == 0


def test_launches() -> None:
    def work(device: int) -> None:
        y, x = tensor(device), tensor(device, 7)
        value = x.numpy()
        expected = np.arange(N, dtype=np.int32)
        bound = mix.bind(fh.partition(y, 256), x)
        ways: list[Callable[[], Any]] = [
            lambda: step(y, x).sync(),
            lambda: step(y, x).on(),
            lambda: step(y, x).on(driver.new_stream(device)),
            lambda: step(y, x).on(0),
            lambda: step(y, x).on(2),
            lambda: bound.on(),
            lambda: bound.on(driver.new_stream(device)),
            lambda: fh.value(None).then(lambda _: step(y, x)).sync(),
        ]
        for way in 2 * ways:
            way()
            expected = mixed(expected, value)
        assert np.array_equal(y.numpy(), expected)

    wherever(work)


def test_awaits_and_pools() -> None:
    async def wait(operation: Any) -> None:
        await operation

    def work(device: int) -> None:
        y, x = tensor(device), tensor(device, 7)
        with fh.stream_policy(fh.RoundRobin(2)):  # whose streams are made here
            for _ in range(5):
                asyncio.run(wait(step(y, x)))
        expected = np.arange(N, dtype=np.int32)
        for _ in range(5):
            expected = mixed(expected, x.numpy())
        assert np.array_equal(y.numpy(), expected)

    wherever(work)


def test_copies_fills_and_contents() -> None:
    def work(device: int) -> None:
        here, there = tensor(device), tensor(1 - device, 100)
        here.copy_from(there).sync()  # from another GPU
        assert np.array_equal(here.numpy(), there.numpy())
        here.copy_from(tensor(device, 5)).on()
        assert here.numpy()[0] == 5
        here[3:9].copy_from(tensor(device, 50)[:6]).on()
        assert here.numpy()[2:5].tolist() == [7, 50, 51]
        here.fill(3).on(driver.new_stream(device))
        assert (here.numpy() == 3).all()
        with here.borrow_mut() as inside:
            inside[...] = 4
        assert (here.copy().sync().numpy() == 4).all()
        here[::2].copy().sync()  # launches, which mean nothing on the stub
        here.astype(fh.f32).sync()
        assert fh.zeros((8,), device=device).sync().numpy().sum() == 0
        here.free()

    wherever(work)


def test_copies_between_gpus_of_what_is_not_alike() -> None:
    """A kernel makes it alike where it is, or takes it apart where it comes to: there is none for both memories."""

    def work(device: int) -> None:
        half = N // 2
        here, there = tensor(device), tensor(1 - device, 100)
        floats = fh.zeros((N,), fh.f32, device=device).sync()
        copies: list[tuple[Callable[[], Any], int]] = [
            (lambda: here[:half].copy_from(there[:half]), 0),
            (lambda: here[:half].copy_from(there[::2]), 1),
            (lambda: here[::2].copy_from(there[:half]), 1),
            (lambda: here[::2].copy_from(there[::2]), 2),
            (lambda: floats.copy_from(there), 1),
            (lambda: floats[::2].copy_from(there[:half]), 2),
        ]
        for copy, kernels in copies:
            before = stub.stub_launches()
            copy().sync()
            assert stub.stub_launches() - before == kernels

    wherever(work)


def test_memory_of_other_libraries() -> None:
    def work(device: int) -> None:
        y, base = tensor(device), tensor(device, 9)
        expected = np.arange(N, dtype=np.int32)
        for stream in (None, 0, driver.new_stream(device)):
            step(y, Foreign(base)).on(stream)
            expected = mixed(expected, base.numpy())
        assert np.array_equal(y.numpy(), expected)
        adopted = fh.from_dlpack(Foreign(base))
        assert adopted.device == device
        step(adopted, y).sync()
        y.copy_from(Foreign(base)).on()
        assert np.array_equal(y.numpy(), adopted.numpy())

    wherever(work)


def test_graphs() -> None:
    def work(device: int) -> None:
        y, x = tensor(device), tensor(device, 7)
        with fh.graph() as graph:
            graph.record(step(y, x))
        graph.replay().sync()
        graph.update(x, np.ones(N, np.int32)).then(lambda _: graph.replay()).sync()
        graph.replay().on(driver.new_stream(device))
        expected = np.arange(N, dtype=np.int32)
        for value in (np.arange(7, 7 + N, dtype=np.int32), np.ones(N, np.int32), np.ones(N, np.int32)):
            expected = mixed(expected, value)
        assert np.array_equal(y.numpy(), expected)
        graph.close()

    wherever(work)


def test_what_is_dropped_goes_back_to_its_gpu() -> None:
    def work(device: int) -> None:
        for _ in range(4):
            step(tensor(device), tensor(device)).on(driver.new_stream(device))
        driver.synchronize(device)

    wherever(work)


def test_the_stub_sees_what_is_misplaced() -> None:
    before = stub.stub_misplaced()
    bindings: Any = driver.api()
    stream = driver.new_stream(1)
    with driver.on_device(0):
        assert not bindings.cuMemsetD8Async(tensor(0).pointer, 0, 4, driver.handle_of(stream))[0]
    assert stub.stub_misplaced() > before


if __name__ == "__main__":
    run_tests(globals())
