"""Checks that fail in kernels, on the stub driver: who is told; run by test_stub_driver.py in a process of its own."""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stub import run_tests, the_stub

import freehold as fh
from freehold import Mut, Ref, i32
from freehold.runtime.arrays.adoption import copy
from freehold.runtime.gpu import captures, driver, failures
from freehold.runtime.operations.operation import Operation
from freehold.support.contract import FAILURE_SLOTS

stub = the_stub()
stub.stub_meaning(b"guarded", 2)


@fh.kernel
def guarded(y: Mut["N"], x: Ref[32], limit: i32):
    k = x.load((0,), (32,)).max()
    assert k < limit, "too large"
    y.store(y.load() + 1)


@fh.kernel
def plain(y: Mut["N"], x: Ref["N"]):
    y.store(x.load_like(y) + y.load())


def on_gpu(value: int = 0) -> Any:
    """Equal integers in the driver's memory."""
    return fh.from_numpy(np.full(32, value, np.int32), device=0).sync()


def step(y: Any, x: Any, limit: int = 10) -> Operation[Any]:
    return guarded(fh.partition(y, 32), x, limit)


def told(function: Callable[[], Any], times: int = 1, contains: str = "`k` = 99, `limit` = 10") -> str:
    """Calls something that has to raise that checks failed, so many of them; returns the text."""
    with pytest.raises(fh.Rejected) as caught:
        function()
    text = str(caught.value)
    assert caught.value.codes == ("O234",) * times, text
    assert contains in text
    return text


def deferred(function: Callable[[], None]) -> None:
    """Runs a test with streams as queues, in several random orders."""
    for seed in range(1, 20):
        stub.stub_defer(seed)
        function()
        stub.stub_defer(0)


GOOD, BAD = on_gpu(3), on_gpu(99)


def test_a_kernel_without_checks_knows_nothing_of_them() -> None:
    y = on_gpu()
    plain(fh.partition(y, 32), GOOD).sync()
    compiled = plain.compile(fh.partition(y, 32), GOOD)
    assert not compiled.contract.kernel_checks
    assert all(e.kind != "failures" for e in compiled.contract.entry)
    data = bytearray(8 * len(compiled.contract.entry))
    compiled.layout.pack(data, (y.pointer, GOOD.pointer))  # asks for no room for any
    assert not failures.logs
    assert not failures.fresh


def test_sync_raises_and_the_next_launch_works() -> None:
    y = on_gpu()
    text = told(step(y, BAD).sync)
    assert 'assert k < limit, "too large"' in text
    assert "in block 5" in text
    assert step(y, GOOD).sync() is y
    assert y.numpy()[0] == 1
    told(step(y, BAD).sync)
    assert step(y, GOOD).then(lambda y: step(y, GOOD)).sync() is y
    assert y.numpy()[0] == 3
    told(step(y, GOOD).then(lambda y: step(y, BAD)).then(lambda y: step(y, GOOD)).sync)


def test_what_was_only_enqueued_is_told_once() -> None:
    def check() -> None:
        y, z = on_gpu(), on_gpu()
        flight = step(y, BAD).on()
        text = told(step(z, GOOD).sync)
        assert "launched here" in text
        assert "flight = step(y, BAD).on()" not in text  # the kernel is called in `step`
        assert "return guarded(fh.partition(y, 32), x, limit)" in text
        flight.wait()
        flight = step(y, BAD).on()
        told(flight.wait)
        step(y, BAD).on()
        told(y.numpy)
        assert y.numpy()[0] == 0
        step(y, BAD).on()
        told(step(z, BAD).on().wait)  # both, at one place: shown once
        step(y, BAD).on()
        stub.stub_run(1000)
        told(failures.raise_failures)
        failures.raise_failures()

    deferred(check)


def test_streams_are_apart_unless_one_waits_for_the_other() -> None:
    def check() -> None:
        y, z, w = on_gpu(), on_gpu(), on_gpu()
        first, second, third = driver.new_stream(0), driver.new_stream(0), driver.new_stream(0)
        one, other = step(y, BAD).on(first), step(z, BAD, 20).on(second)
        told(other.wait, contains="`limit` = 20")
        told(one.wait)
        step(y, BAD).on(first)
        step(z, GOOD).on(second).wait()  # another stream's affair
        told(step(w, y, 20).on(third).wait)  # reads what the first writes
        step(y, GOOD).on(first).wait()

    deferred(check)


def test_each_await_is_told_of_its_own() -> None:
    async def wait(operation: Any) -> bool:
        gather: Any = asyncio.gather
        answers: list[Any] = await gather(operation, return_exceptions=True)
        found = answers[0]
        return not (isinstance(found, fh.Rejected) and found.codes == ("O234",))

    async def several() -> None:
        tensors = [on_gpu() for _ in range(8)]
        found = await asyncio.gather(*(wait(step(y, BAD if n % 3 == 1 else GOOD)) for n, y in enumerate(tensors)))
        assert found == [n % 3 != 1 for n in range(8)]
        assert await wait(step(tensors[0], GOOD).on()) is True
        assert await wait(step(tensors[0], BAD).on()) is False

    async def cancelled() -> None:
        y = on_gpu()
        stub.stub_hold(1)
        task = asyncio.ensure_future(wait(step(y, BAD)))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        stub.stub_hold(0)
        told(y.numpy)

    with fh.stream_policy(fh.SingleStream()):
        deferred(lambda: asyncio.run(several()))
        asyncio.run(cancelled())


def test_threads_are_told_of_their_own() -> None:
    wrong: list[BaseException] = []

    def work(x: Any, fails: bool) -> None:
        y = on_gpu()
        try:
            for _ in range(200):
                if fails:
                    told(step(y, x).sync)
                else:
                    step(y, x).sync()
        except BaseException as e:
            wrong.append(e)

    threads = [threading.Thread(target=work, args=case) for case in ((GOOD, False), (BAD, True), (GOOD, False))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong[0]


def test_more_launches_than_there_is_room_for() -> None:
    y = on_gpu()
    for failing in (0, FAILURE_SLOTS // 2 - 1, FAILURE_SLOTS // 2, FAILURE_SLOTS - 1, FAILURE_SLOTS, 3 * FAILURE_SLOTS):
        for n in range(3 * FAILURE_SLOTS + 1):
            step(y, BAD if n == failing else GOOD).on()
        told(y.numpy)
        step(y, GOOD).sync()


def test_bound_launches() -> None:
    y, x = on_gpu(), on_gpu(3)
    bound = guarded.bind(fh.partition(y, 32), x, 10)
    bound.sync()
    bound.on().wait()
    copy(x, BAD).sync()
    told(bound.sync)
    told(bound.on().wait)
    copy(x, GOOD).sync()
    bound.sync()
    assert y.numpy()[0] == 3


def test_graphs() -> None:
    def check() -> None:
        y, z, x = on_gpu(), on_gpu(), on_gpu(3)
        with fh.graph() as g:
            g.record(step(z, GOOD))
            g.record(step(y, x))
        g.replay().sync()
        g.update(x, BAD).then(lambda _: g.replay()).map(lambda _: None).on()
        told(y.numpy)
        told(g.replay().sync)
        told(g.replay().on().wait)
        g.update(x, GOOD).sync()
        g.replay().sync()
        assert y.numpy()[0] == 2
        assert z.numpy()[0] == 5

        async def both() -> None:
            copy(x, BAD).sync()
            found = await asyncio.gather(g.replay(), g.replay(), return_exceptions=True)
            assert all(isinstance(f, fh.Rejected) for f in found), found

        asyncio.run(both())
        g.close()

    deferred(check)


def test_a_graph_that_another_library_captures() -> None:
    y, x = on_gpu(), on_gpu(3)
    stream = driver.new_stream(0)
    stream = captures.begin_capture(0)
    step(y, x).on(stream)
    graph = captures.end_capture(stream, 0)
    captures.run_graph(graph, driver.handle_of(stream), 0)
    stream.sync()
    failures.raise_failures()
    copy(x, BAD).sync()
    for _ in range(2):
        captures.run_graph(graph, driver.handle_of(stream), 0)
        stream.sync()
        told(failures.raise_failures)
    failures.raise_failures()


def test_packages_bring_their_lines_with_them() -> None:
    y = on_gpu()
    with tempfile.TemporaryDirectory() as folder:
        fh.build([guarded(fh.partition(y, 32), GOOD, 10)], ["sm_90"], Path(folder, "kernels"))
        loaded = fh.load(Path(folder, "kernels"), strict=True)
        loaded.guarded(fh.partition(y, 32), GOOD, 10).sync()
        text = told(loaded.guarded(fh.partition(y, 32), BAD, 10).sync)
        assert "stub_checks.py" in text
        assert 'assert k < limit, "too large"' in text
    assert y.numpy()[0] == 1


def test_a_forked_process_forgets() -> None:
    pid = os.fork()
    if not pid:
        os._exit(0 if not failures.logs and not failures.fresh else 1)
    assert os.waitpid(pid, 0)[1] == 0


if __name__ == "__main__":
    run_tests(globals())
