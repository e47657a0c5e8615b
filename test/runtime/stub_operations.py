"""Operations on the stub driver, whose streams are queues that run in random orders; run by test_stub_driver.py."""

from __future__ import annotations

import asyncio
import gc
import os
import tempfile
import threading
import warnings
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from mixing import mix, mixed
from stub import run_tests, the_stub

import freehold as fh
from freehold import Mut
from freehold.runtime.gpu import driver, transfers
from freehold.runtime.gpu.timeline import still_kept, timeline
from freehold.runtime.operations.operation import Operation

stub = the_stub()


N = 64


def tensor(seed: int) -> Any:
    """Random integers on the GPU."""
    return fh.from_numpy(numbers(seed), device=0).sync()


def numbers(seed: int) -> Any:
    return np.random.default_rng(seed).integers(-(2**31), 2**31, N, dtype=np.int32)


def step(y: Any, x: Any) -> Operation[Any]:
    return mix(fh.partition(y, 32), x)


def deferred(function: Callable[[], None]) -> None:
    """Runs a test with streams as queues, in several random orders."""
    for seed in range(1, 30):
        stub.stub_defer(seed)
        function()
        stub.stub_defer(0)


def test_kernels_here_mean_something() -> None:
    y, x = tensor(1), tensor(2)
    found = step(y, x).sync()
    assert found is y
    assert np.array_equal(y.numpy(), mixed(numbers(1), numbers(2)))


def test_streams_that_share_a_tensor_are_in_order() -> None:
    def check() -> None:
        a, b, c = tensor(1), tensor(2), tensor(3)
        first, second = driver.new_stream(0), driver.new_stream(0)
        step(a, b).on(first)
        step(c, a).on(second)  # after the first: it reads what that writes
        step(b, b2).on(first)
        step(a, c).on(second)
        expected_a = mixed(numbers(1), numbers(2))
        expected_c = mixed(numbers(3), expected_a)
        assert np.array_equal(c.numpy(), expected_c)
        assert np.array_equal(a.numpy(), mixed(expected_a, expected_c))
        assert np.array_equal(b.numpy(), mixed(numbers(2), numbers(9)))

    b2 = tensor(9)
    deferred(check)


def test_work_of_another_engine_is_in_order_with_what_it_names() -> None:
    def copies(target: Any, source: Any) -> fh.Work[Any]:
        def enqueue(execution: fh.Execution) -> None:
            transfers.copy(target.pointer, source.pointer, target.nbytes, execution.stream(0))

        return fh.Work("another engine's copy", enqueue, reads=[source], writes=[target])

    def check() -> None:
        a, b = tensor(1), tensor(2)
        first, second = driver.new_stream(0), driver.new_stream(0)
        step(a, b).on(first)
        copies(b, a).on(second)  # after the first, which writes what it reads
        step(a, b).on(first)  # after it in turn
        expected_b = mixed(numbers(1), numbers(2))
        assert np.array_equal(b.numpy(), expected_b)
        assert np.array_equal(a.numpy(), mixed(expected_b, expected_b))

    deferred(check)
    moved = tensor(3)
    kept = moved.move()
    with pytest.raises(fh.Rejected) as caught:
        copies(moved, kept).sync()
    assert caught.value.codes == ("O250",)


def test_chains_and_arguments() -> None:
    def check() -> None:
        a, b = tensor(1), tensor(2)
        found = step(step(a, b), b).then(lambda y: step(y, b)).sync()
        expected = numbers(1)
        for _ in range(3):
            expected = mixed(expected, numbers(2))
        assert found is a
        assert np.array_equal(a.numpy(), expected)

    deferred(check)


def test_awaiting() -> None:
    def check() -> None:
        async def one(seed: int) -> None:
            a, b = tensor(seed), tensor(seed + 100)
            for _ in range(5):
                await step(a, b)
                await step(b, a)
            x, y = numbers(seed), numbers(seed + 100)
            for _ in range(5):
                x = mixed(x, y)
                y = mixed(y, x)
            assert np.array_equal(a.numpy(), x)
            assert np.array_equal(b.numpy(), y)

        async def main() -> None:
            await asyncio.gather(*(one(seed) for seed in range(8)))

        asyncio.run(main())

    deferred(check)


def test_awaiting_what_is_soon_done_records_no_event() -> None:
    a, b = tensor(0), tensor(1)

    async def main() -> int:
        await step(a, b)
        records = stub.stub_records()
        for _ in range(20):
            await step(a, b)
        return stub.stub_records() - records

    assert asyncio.run(main()) == 0


def test_awaiting_one_tensor_on_many_streams() -> None:
    def check() -> None:
        shared, expected = tensor(0), numbers(0)
        others = [tensor(n) for n in range(1, 9)]

        async def main() -> None:
            await asyncio.gather(*(awaited(step(shared, other)) for other in others))

        asyncio.run(main())
        for n in range(1, 9):
            expected = mixed(expected, numbers(n))
        assert np.array_equal(shared.numpy(), expected)  # in the order in which they were enqueued

    deferred(check)


async def awaited(operation: Operation[Any]) -> Any:
    return await operation


def test_the_loop_is_never_blocked() -> None:
    a, b = tensor(1), tensor(2)
    stub.stub_hold(1)

    async def main() -> None:
        turns = 0

        async def ticks() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0.001)

        task = asyncio.create_task(ticks())
        waiting = asyncio.create_task(awaited(step(a, b)))
        while turns < 20:  # never, were the loop blocked until the driver goes on
            await asyncio.sleep(0.001)
        assert not waiting.done()
        stub.stub_hold(0)
        assert await waiting is a
        task.cancel()

    asyncio.run(main())
    stub.stub_defer(0)
    assert np.array_equal(a.numpy(), mixed(numbers(1), numbers(2)))


def test_a_cancelled_wait_changes_nothing() -> None:
    for seconds in (0.0, 50e-6, 0.05):
        a, b = tensor(1), tensor(2)
        stub.stub_hold(1)

        async def main(a: Any = a, b: Any = b, seconds: float = seconds) -> None:
            waiting = asyncio.create_task(awaited(step(a, b)))
            await asyncio.sleep(0)
            await asyncio.sleep(seconds)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting

        asyncio.run(main())
        later = step(b, a).on()
        freed = b
        del b
        gc.collect()
        stub.stub_hold(0)
        later.wait()
        expected = mixed(numbers(1), numbers(2))
        assert np.array_equal(a.numpy(), expected)
        assert np.array_equal(freed.numpy(), mixed(numbers(2), expected))
        stub.stub_defer(0)


def test_dropping_everything_frees_nothing_in_use() -> None:
    def check() -> None:
        result = tensor(5)
        expected = numbers(5)
        for n in range(6):
            a, b = tensor(n), tensor(n + 50)
            step(a, b).on(driver.new_stream(0))
            step(result, a).on(driver.new_stream(0))
            expected = mixed(expected, mixed(numbers(n), numbers(n + 50)))
            del a, b
            gc.collect()
        assert np.array_equal(result.numpy(), expected)

    before = stub.stub_stray()
    deferred(check)
    assert stub.stub_stray() == before


def test_graphs() -> None:
    def check() -> None:
        a, b, c = tensor(1), tensor(2), tensor(3)
        before = stub.stub_launches()
        with fh.graph() as g:
            g.record(step(a, b))
            g.record(step(c, a))
        assert stub.stub_launches() == before + 2
        x, y, z = numbers(1), numbers(2), numbers(3)
        assert np.array_equal(c.numpy(), z)
        first, second = driver.new_stream(0), driver.new_stream(0)
        for stream in (first, second, None):
            g.replay().on(stream)
            x = mixed(x, y)
            z = mixed(z, x)
            step(b, c).on(second)  # between replays
            y = mixed(y, z)
        g.update(b, numbers(7)).then(lambda _: g.replay()).sync()
        x = mixed(x, numbers(7))
        z = mixed(z, x)
        assert np.array_equal(c.numpy(), z)
        g.update(b, tensor(8)).on(first)
        asyncio.run(awaited(g.replay()))
        x = mixed(x, numbers(8))
        assert np.array_equal(c.numpy(), mixed(z, x))
        replay = g.replay().on(first)
        g.close()
        del a, b
        gc.collect()
        replay.wait()

    before = stub.stub_stray()
    deferred(check)
    assert stub.stub_stray() == before


class Described:
    """Memory of nobody's, as far as its interface tells."""

    def __init__(self, base: Any):
        self.base = base
        self.__cuda_array_interface__ = {
            "version": 3, "shape": base.shape, "strides": None, "typestr": "<i4", "data": (base.pointer, False),
        }  # fmt: skip


def test_memory_of_others_is_ordered_both_ways() -> None:
    def check() -> None:
        a, b, c, d = (tensor(n) for n in range(1, 5))
        for t in (a, b, c, d):
            t.numpy()
        theirs = driver.stream(0, 0)
        transfers.copy(a.pointer, d.pointer, 4 * N, theirs)  # what nobody tells Freehold of
        step(Described(a), Described(b)).on(driver.new_stream(0))
        transfers.copy(c.pointer, a.pointer, 4 * N, theirs)
        theirs.sync()
        assert np.array_equal(c.numpy(), mixed(numbers(4), numbers(2)))

    deferred(check)


def test_uvloop() -> None:
    uvloop = pytest.importorskip("uvloop", reason="no dependency of the tests")
    a, b = tensor(1), tensor(2)
    expected = numbers(1)

    async def main() -> None:
        nonlocal expected
        for seconds in (0.0, 0.02):
            stub.stub_hold(1)
            waiting = asyncio.ensure_future(awaited(step(a, b)))
            await asyncio.sleep(seconds)
            stub.stub_hold(0)
            assert await waiting is a
            expected = mixed(expected, numbers(2))

    uvloop.new_event_loop().run_until_complete(main())
    stub.stub_defer(0)
    assert np.array_equal(a.numpy(), expected)


def test_bound_launches_are_operations() -> None:
    def check() -> None:
        a, b = tensor(1), tensor(2)
        bound = mix.bind(fh.partition(a, 32), b)
        expected = numbers(1)
        fh.gather([bound] * 5).sync()
        bound.then(lambda y: step(y, b)).on(driver.new_stream(0))
        asyncio.run(awaited(bound))
        for _ in range(8):
            expected = mixed(expected, numbers(2))
        assert np.array_equal(a.numpy(), expected)
        g = bound.graph()
        g.replay().sync()
        bound.on(driver.new_stream(0))
        assert bound.sync() is a
        for _ in range(3):
            expected = mixed(expected, numbers(2))
        assert np.array_equal(a.numpy(), expected)
        with b.borrow_mut():
            refused("O251", lambda: fh.gather([bound]).sync())

    deferred(check)


def test_graphs_refuse() -> None:
    a, b, c = tensor(1), tensor(2), tensor(3)
    g = step(a, b).graph()
    refused("O265", lambda: g.update(c, numbers(1)))
    refused("O263", lambda: fh.zeros(8, fh.f32).graph())
    refused("O263", lambda: a.copy().graph())

    def mixes() -> None:
        with fh.graph() as g:
            g.record(step(a, b))
            host = np.zeros(N, np.int32)
            g.record(mix(fh.partition(host, 32), numbers(1)))

    refused("O264", mixes)
    assert step(a, b).sync() is a  # the stream of the failed graph disturbs nobody


def test_moved_and_freed_tensors_are_refused_by_a_replay() -> None:
    a, b = tensor(1), tensor(2)
    g = step(a, b).graph()
    g.replay().sync()
    with b.borrow():
        g.replay().sync()  # it only reads
    with b.borrow_mut():
        refused("O251", lambda: g.replay().sync())
    b.free()
    refused("O254", lambda: g.replay().sync())


def test_policies() -> None:
    used: set[int] = set()

    async def main() -> None:
        for n in range(8):
            await step(tensor(n), tensor(n + 1))
            used.add(stub.stub_stream())

    with fh.stream_policy(fh.RoundRobin(3)):
        asyncio.run(main())
    assert len(used) == 3
    used.clear()
    with fh.stream_policy(fh.SingleStream()):
        asyncio.run(main())
    assert len(used) == 1


def test_threads() -> None:
    def check() -> None:
        shared = tensor(0)
        failed: list[BaseException] = []

        def work(seed: int) -> None:
            try:
                own, expected = tensor(seed), numbers(seed)
                stream = driver.new_stream(0)
                other = tensor(seed + 1)
                for n in range(20):
                    if n % 3 == 0:
                        step(own, other).on(stream)
                    elif n % 3 == 1:
                        step(own, other).sync()
                    else:
                        asyncio.run(awaited(step(own, other)))
                    expected = mixed(expected, numbers(seed + 1))
                    step(shared, other).on(stream)
                assert np.array_equal(own.numpy(), expected)
            except BaseException as e:
                failed.append(e)

        threads = [threading.Thread(target=work, args=(10 * n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed, failed
        shared.numpy()

    stub.stub_defer(7)
    check()
    stub.stub_defer(0)


def test_shared_operations_order_those_who_use_them() -> None:
    def check() -> None:
        a, b = tensor(1), tensor(2)
        shared = step(a, b).shared()
        results = [tensor(n) for n in range(3, 6)]
        for result in results:
            mix(fh.partition(result, 32), shared).on(driver.new_stream(0))
        for n, result in enumerate(results, 3):
            assert np.array_equal(result.numpy(), mixed(numbers(n), mixed(numbers(1), numbers(2))))

    deferred(check)


def test_waiting_for_what_is_in_flight() -> None:
    async def main() -> None:
        a, b = tensor(1), tensor(2)
        flying = step(a, b).on()
        assert "enqueued" in repr(flying)
        assert await flying is a
        assert "done" in repr(flying)

    stub.stub_defer(3)
    asyncio.run(main())
    stub.stub_defer(0)


def test_forked_processes_are_told() -> None:
    a, b = tensor(1), tensor(2)
    step(a, b).sync()
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Python 3.12, which warns of threads in forked processes
        child = os.fork()
    if not child:
        found: list[str] = []
        for use in (
            lambda: step(a, b).sync(),
            lambda: step(a, b).on(),
            lambda: asyncio.run(awaited(step(a, b))),
            lambda: fh.zeros(8, fh.f32, device=0).sync(),
            lambda: a.numpy(),
            lambda: step(a, b).graph(),
        ):
            try:
                use()
                found.append("nothing")
            except fh.Rejected as e:
                found += e.codes
            except BaseException as e:
                found.append(type(e).__name__)
        os.write(write, " ".join(found).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 1000).decode().split() == ["O281"] * 6
    os.close(read)
    os.close(write)
    step(a, b).sync()


def test_what_is_held_is_let_go() -> None:
    stub.stub_defer(5)
    user = timeline(0)
    for _ in range(50):
        user.now += 1
        user.keep(object())
    stub.stub_defer(0)
    assert still_kept() == []


def test_waits_are_few() -> None:
    a, b = tensor(1), tensor(2)
    step(a, b).sync()
    records, waits = stub.stub_records(), stub.stub_waits()
    for _ in range(100):
        step(a, b).on()
    assert (stub.stub_records(), stub.stub_waits()) == (records, waits)  # one stream needs no event
    other = driver.new_stream(0)
    for _ in range(100):
        step(a, b).on(other)
    assert stub.stub_waits() == waits + 1


def test_a_fault_names_the_oldest_launch_and_loses_the_gpu() -> None:  # the last one: nothing works after it
    a, b = tensor(1), tensor(2)
    stub.stub_defer(1)
    step(a, b).on()
    step(b, a).on()
    stub.stub_fail(700)
    with pytest.raises(fh.Rejected) as caught:
        step(a, b).sync()
    text = str(caught.value)
    assert caught.value.codes == ("O280",), text
    assert "the oldest launch that was not known to be done is of `mix`" in text
    assert "mix(fh.partition(y, 32), x)" in text
    assert a.state == "lost"
    refused("O253", lambda: asyncio.run(awaited(step(b, a))))
    refused("O280", lambda: fh.zeros(N, fh.i32, device=0).sync().numpy())
    stub.stub_fail(0)
    stub.stub_defer(0)
    refused("O253", lambda: a.numpy())
    refused("O253", lambda: step(b, a).sync())


def refused(code: str, function: Callable[[], Any]) -> None:
    """Calls something that must be refused with one error of this code."""
    with pytest.raises(fh.Rejected) as caught:
        function()
    assert caught.value.codes == (code,), str(caught.value)


def test_what_is_gathered_is_compiled_by_processes() -> None:
    """They leave it in the cache on disk, where it is found; and what they cannot compile is compiled here."""
    from freehold.backend import cache
    from freehold.kernels.embeddings import embedding_rows
    from freehold.runtime.variants import build

    @fh.kernel
    def own(y: Mut["N"]):
        y.store(y.load() + 1)

    if cache.identity() is None:
        pytest.skip("there is no assembler")
    y, table, ids = (
        fh.zeros(shape, kind, device=0).sync() for shape, kind in (((8, 64), fh.f32), ((9, 64), fh.f32), (8, fh.i32))
    )
    here: list[str] = []

    def assembled(code: bytes, arch: str, kernel: str, *_: Any) -> bytes:
        here.append(kernel)
        return b"\x7fELF" + arch.encode() + bytes(64)

    def prepare() -> None:
        launches = [embedding_rows(fh.partition(y, (tile, 64)), table, ids) for tile in (1, 2, 4, 8)]
        twice = [embedding_rows(fh.partition(y, (1, 64)), table, ids)]
        fh.gather([*launches, *twice, own(fh.partition(tensor(1), 16))]).prepare()

    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(build, "assembled", assembled),
        patch.dict(os.environ, {cache.VARIABLE: folder}),
        patch("os.cpu_count", return_value=2),
    ):
        prepare()
        assert here == ["own"]  # of this program, which other processes do not find
        launched = stub.stub_launches()
        prepare()
        assert (here, stub.stub_launches()) == (["own"], launched)
        x = tensor(1)
        launched = stub.stub_launches()
        for _ in range(2):
            own(fh.partition(x, 8)).prepare()  # one by itself, which is kept as well
            assert (here, stub.stub_launches()) == (["own", "own"], launched)
        embedding_rows(fh.partition(y, (2, 64)), table, ids).sync()
        assert (here, stub.stub_launches()) == (["own", "own"], launched + 1)


def test_page_locked_memory_is_copied_when_it_is_the_copys_turn() -> None:
    sent, told = (fh.page_locked(N, fh.i32, device=0).sync() for _ in range(2))
    assert sent.device == fh.HOST
    assert not sent.numpy().any()
    there, other = tensor(1), tensor(2)
    with fh.graph() as g:
        for op in (there.copy_from(sent), mix(fh.partition(there, 32), other), told.copy_from(there)):
            g.record(op)
    for seed in range(1, 9):
        stub.stub_defer(seed)
        for n in range(3):
            with sent.borrow_mut() as array:  # waits for the replay before
                array[:] = numbers(seed * n)
            g.replay().on(1 + n)
            assert (told.numpy() == mixed(numbers(seed * n), numbers(2))).all()
        stub.stub_defer(0)
    with sent.borrow_mut(), pytest.raises(fh.Rejected, match="lent"):
        g.replay().on()
    told[: N // 2].copy_from(other[N // 2 :]).sync()
    assert (told[: N // 2].numpy() == numbers(2)[N // 2 :]).all()
    as_floats = fh.zeros(N, fh.f32, device=0).sync()
    as_floats.copy_from(sent).sync()  # converted, and so by the thread
    assert (as_floats.numpy() == sent.numpy().astype(np.float32)).all()
    del sent, told, there, g
    gc.collect()
    fh.zeros(1, device=0).sync()


def test_who_is_marked_is_waited_for_without_what_came_after() -> None:
    x, y = tensor(1), tensor(2)
    user = timeline(0)
    with fh.graph() as g:
        g.record(mix(fh.partition(y, 32), x))
    g.replay().on().wait()
    for begin in (lambda: mix(fh.partition(y, 32), x).on(), lambda: g.replay().on()):
        stub.stub_defer(1)
        first = begin().marked()
        here = user.now
        begin()
        first.wait()
        assert here <= user.finished < user.now
        stub.stub_defer(0)


if __name__ == "__main__":
    run_tests(globals())
