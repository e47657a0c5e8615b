"""
What lives how long, who waits for whom, and what survives signals and forks, on the stub driver; run by
test_stub_driver.py in a process of its own.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import threading
import time
import types
import warnings
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from mixing import Foreign, mix
from stub import run_tests, the_stub

import freehold as fh
from freehold import Mut, i32
from freehold.runtime.base import locks
from freehold.runtime.gpu import driver
from freehold.runtime.gpu.flight import every, unfinished
from freehold.runtime.gpu.timeline import let_go, still_kept, timeline, timelines
from freehold.runtime.memory import storage
from freehold.runtime.operations import waiting

stub = the_stub()
N = 1024
LONGEST = 600.0
"""Seconds after which a thread or a process is taken to hang: the machine may have much else to do."""


@fh.kernel
def guarded(y: Mut["N"], limit: i32):
    assert limit < 5, "too large"
    y.store(y.load())


def tensor() -> Any:
    """Integers on the GPU."""
    return fh.from_numpy(np.arange(N, dtype=np.int32), device=0).sync()


def step(y: Any, x: Any) -> Any:
    return mix(fh.partition(y, 256), x)


def all_done() -> None:
    """Waits for all that was enqueued, so that it is known to be done."""
    for known in every():
        known.join()


def same(value: Any) -> Any:
    return value


def freed(refs: list[weakref.ref[Any]]) -> int:
    gc.collect()
    return sum(ref() is None for ref in refs)


def in_child(function: Callable[[], Any]) -> str:
    """What a forked process says; empty where it hangs."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Python 3.12, which warns of threads in forked processes
        child = os.fork()
    if not child:
        try:
            said = str(function())
        except BaseException as e:
            said = f"{type(e).__name__}: {e}"
        os.write(write, said.encode()[:1000])
        os._exit(0)
    os.close(write)
    deadline = time.monotonic() + LONGEST
    while not os.waitpid(child, os.WNOHANG)[0]:
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        time.sleep(0.01)
    with os.fdopen(read, "rb") as pipe:
        return pipe.read().decode()


# --- Arrays of other libraries ----------------------------------------------------------------------------------------


def test_an_array_lives_until_its_kernel_is_done() -> None:
    y, base = tensor(), tensor()
    for given in (None, 0):
        stub.stub_hold(1)
        array = Foreign(base)
        alive = weakref.ref(array)
        step(y, array).on(given)
        del array
        gc.collect()
        assert alive() is not None, f"on({given})"
        stub.stub_hold(0)
        stub.stub_defer(0)
        y.numpy()
        timeline(0).join()
        gc.collect()
        assert alive() is None


def test_an_array_lives_until_the_replay_of_a_closed_graph_is_done() -> None:
    y, base = tensor(), tensor()
    array = Foreign(base)
    alive = weakref.ref(array)
    with fh.graph() as graph:
        graph.record(step(y, array))
    stub.stub_hold(1)
    graph.replay().on()
    del array
    graph.close()
    gc.collect()
    assert alive() is not None
    stub.stub_hold(0)
    stub.stub_defer(0)
    timeline(0).join()
    gc.collect()
    assert alive() is None


def test_a_replay_comes_after_the_default_stream_where_an_array_only_describes_itself() -> None:
    y, base, producer = tensor(), tensor(), driver.new_stream(0)
    before = stub.stub_waits()
    with fh.graph() as graph:
        graph.record(step(y, Foreign(base, int(producer.handle))))
    assert stub.stub_waits() == before + 1, "what it names may be gone at a replay"
    stream = driver.new_stream(0)
    graph.replay().on(stream)  # which comes after other work on `y`, too
    before = stub.stub_waits()
    graph.replay().on(stream)
    assert stub.stub_waits() == before + 2, "before the replay, and of the default stream after it"


def test_the_stream_that_an_array_names_is_waited_for() -> None:
    y, base, producer = tensor(), tensor(), driver.new_stream(0)
    counts: list[int] = []
    for given in (None, 0):
        before = stub.stub_waits()
        step(y, Foreign(base, int(producer.handle))).on(given)
        counts.append(stub.stub_waits() - before)
    assert counts[0] == counts[1] == 2, "before the launch, and of the producer's stream after it"


def test_adopted_memory_goes_back() -> None:
    y, base = tensor(), tensor()
    refs: list[weakref.ref[Any]] = []

    def array() -> Foreign:
        made = Foreign(base)
        refs.append(weakref.ref(made))
        return made

    for _ in range(50):
        step(y, fh.from_dlpack(array())).sync()
    assert freed(refs) >= 49
    for _ in range(50):
        y.copy_from(array()).sync()
    assert freed(refs) >= 99
    with fh.graph() as graph:
        graph.record(step(y, base))
    for _ in range(50):
        graph.update(y, array()).then(lambda _: graph.replay()).sync()
    assert freed(refs) >= 149
    for _ in range(200):  # also where nobody waits
        step(y, array()).on()
    assert freed(refs) >= 300


def test_an_address_of_nowhere_is_refused() -> None:
    y, base = tensor(), tensor()
    array = Foreign(base)
    array.__cuda_array_interface__["data"] = (0, False)
    before = stub.stub_launches()
    with pytest.raises(fh.Rejected) as caught:
        step(y, array).on()
    assert "address is 0" in str(caught.value)
    assert stub.stub_launches() == before


# --- Shared operations and graphs -------------------------------------------------------------------------------------


def test_what_was_recorded_was_not_run() -> None:
    y, x, z = tensor(), tensor(), tensor()
    shared = step(y, x).shared()
    graph = shared.then(partial(step, z)).graph()
    with pytest.raises(fh.Rejected) as caught:
        shared.map(same).sync()
    assert caught.value.codes == ("O268",)
    before = stub.stub_launches()
    graph.replay().sync()
    run = step(y, x).shared()
    run.sync()
    graph = run.then(partial(step, z)).graph()  # its value is there
    graph.replay().sync()
    assert not np.array_equal(z.numpy(), np.arange(N))
    assert stub.stub_launches() == before + 2  # what is recorded counts, what is replayed does not


def test_an_operation_that_needs_itself() -> None:
    y, x = tensor(), tensor()
    shared: Any = None

    def again(value: Any) -> Any:
        return shared.map(same)

    shared = step(y, x).then(again).shared()
    with pytest.raises(fh.Rejected) as caught:
        shared.sync()
    assert caught.value.codes == ("O267",)
    # And two that need one another, from two threads.
    one: Any = None
    two: Any = None
    meet = threading.Barrier(2)

    def then(other: Callable[[], Any], value: Any) -> Any:
        meet.wait(LONGEST)
        return other().map(same)

    one = step(y, x).then(partial(then, lambda: two)).shared()
    two = step(tensor(), tensor()).then(partial(then, lambda: one)).shared()
    codes: list[Any] = []

    def run(operation: Any) -> None:
        try:
            operation.sync()
        except fh.Rejected as e:
            codes.extend(e.codes)

    threads = [threading.Thread(target=run, args=(o,), daemon=True) for o in (one, two)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONGEST)
    assert not any(thread.is_alive() for thread in threads)
    assert codes == ["O267", "O267"]


def test_graphs_leave_nothing() -> None:
    y, x = tensor(), tensor()

    def make() -> Any:
        with fh.graph() as graph:
            graph.record(step(y, x))
        graph.replay().sync()
        return graph

    gc.collect()
    make().close()
    streams, dropped = len(driver.streams[0]), stub.stub_dropped_graphs()
    for _ in range(20):
        make().close()
        make()
    gc.collect()
    timeline(0).join()
    assert len(driver.streams[0]) == streams
    assert stub.stub_dropped_graphs() - dropped == 40, stub.stub_dropped_graphs() - dropped


def test_a_bound_launch_dies_with_its_last_reference() -> None:
    y, x = tensor(), tensor()
    host_y, host_x = np.zeros(N, np.int32), np.ones(N, np.int32)
    gc.disable()
    try:
        for arrays in ((y, x), (host_y, host_x)):
            bound = mix.bind(fh.partition(arrays[0], 256), arrays[1])
            bound.on().wait()
            alive = weakref.ref(bound)
            del bound
            assert alive() is None
    finally:
        gc.enable()


# --- Streams, threads and contexts ------------------------------------------------------------------------------------


class ndarray:
    """A CuPy array, as far as launches see it."""

    def __init__(self, base: Any):
        self.base, self.shape, self.strides, self.dtype = base, base.shape, base.strides, np.dtype(np.int32)
        self.data = types.SimpleNamespace(ptr=base.pointer)
        self.device = types.SimpleNamespace(id=0)


ndarray.__module__ = "cupy"


def test_a_launch_that_slips_in_is_counted() -> None:
    current = threading.local()
    cupy: Any = types.ModuleType("cupy")
    cupy.ndarray = ndarray

    def current_stream(device: object = None) -> Any:
        return types.SimpleNamespace(ptr=getattr(current, "handle", 0))

    cupy.cuda = types.SimpleNamespace(get_current_stream=current_stream)
    sys.modules["cupy"] = cupy
    try:
        first, second = (int(driver.new_stream(0).handle) for _ in range(2))
        x, y, z, w = (ndarray(tensor()) for _ in range(4))
        storage._FOREIGN.clear()  # pyright: ignore[reportPrivateUsage] -- as in a new process
        current.handle = first
        for _ in range(3):
            step(x, y).on()
        plan: Any = next(p for p in gc.get_objects() if type(p).__name__ == "Plan" and p.family == "cupy")
        others: list[threading.Thread] = []

        def other() -> None:
            current.handle = second
            step(z, w).on()

        class Hook(dict[int, Any]):
            """Lets another thread launch where this one has found itself alone."""

            def get(self, key: int, default: Any = None) -> Any:
                if not others:
                    others.append(threading.Thread(target=other))
                    others[0].start()
                    others[0].join(0.3)
                return super().get(key, default)

        plan.configs = Hook(plan.configs)
        stub.stub_hold(1)
        step(x, y).on()
        for thread in others:
            thread.join(LONGEST)
        current.handle = second
        step(w, x).on()  # after what was written on the first stream
        assert stub.stub_interleave(200) == 0
        stub.stub_hold(0)
        stub.stub_defer(0)
    finally:
        del sys.modules["cupy"]


def test_each_thread_has_its_own_per_thread_stream() -> None:
    found = [timeline(0, 2)]
    thread = threading.Thread(target=lambda: found.append(timeline(0, 2)))
    thread.start()
    thread.join()
    assert found[0] is timeline(0, 2)
    assert found[0] is not found[1]
    y, x, z = tensor(), tensor(), tensor()
    step(y, x).on(2)
    assert found[0].marks, "nobody else can record an event there"
    before = stub.stub_waits()
    step(z, y).on(driver.new_stream(0))
    assert stub.stub_waits() == before + (found[0].finished < found[0].now)


def test_what_a_thread_left_on_its_own_stream_is_still_looked_after() -> None:
    """The thread has ended, and its kernel has not: the array that it reads stays, and it is known that it runs."""
    y, base = tensor(), tensor()
    alive: list[weakref.ref[Any]] = []

    def work() -> None:
        array = Foreign(base)
        alive.append(weakref.ref(array))
        step(y, array).on(2)

    all_done()
    stub.stub_defer(1)
    stub.stub_hold(1)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    gc.collect()
    assert alive[0]() is not None
    assert [trace.what for trace in unfinished()] == ["`mix`"]
    stub.stub_hold(0)
    stub.stub_defer(0)
    assert still_kept() == []
    assert alive[0]() is None
    assert unfinished() == []


def test_a_launch_is_recorded_once_whatever_its_stream_is_called() -> None:
    bound = mix.bind(fh.partition(tensor(), 256), tensor())
    for names, wanted in (((0, 1), 0), ((1, 0), 0), ((2, 2), 2)):
        all_done()
        with fh.record_launches() as launches:
            for name in names:
                bound.on(name)
            assert len(unfinished()) == 2
        assert [launch[:3] for launch in launches] == [(0, wanted, "`mix`")] * 2
        assert [launch.done for launch in launches] == [None] * 2
        with fh.record_launches() as launches:
            for name in names:
                bound.on(name).wait()
            bound.sync()
        assert [launch[:3] for launch in launches] == [(0, wanted, "`mix`")] * 2 + [(0, 0, "`mix`")]
        assert all(launch.done for launch in launches)


def test_a_context_of_part_of_a_gpu_stays() -> None:
    bindings: Any = driver.api()
    y, x = tensor(), tensor()
    bindings.cuCtxSetCurrent(0x2000)
    try:
        step(y, x).sync()
        y.copy_from(x).sync()
        tensor()
        assert int(bindings.cuCtxGetCurrent()[1]) == 0x2000
    finally:
        bindings.cuCtxSetCurrent(0x1000)


def test_nobody_waits_for_a_gpu_under_a_lock() -> None:
    y, other_y, other_x, stream = tensor(), tensor(), tensor(), driver.new_stream(0)
    guarded(fh.partition(y, 256), 1).sync()
    step(other_y, other_x).on(stream).wait()
    stub.stub_hold(1)
    enqueued: list[int] = []

    def many() -> None:
        for n in range(2500):
            guarded(fh.partition(y, 256), 1).on()
            enqueued.append(n)

    thread = threading.Thread(target=many, daemon=True)
    thread.start()
    thread.join(LONGEST)
    assert len(enqueued) == 2500
    second = threading.Thread(target=lambda: step(other_y, other_x).on(stream), daemon=True)
    second.start()
    second.join(LONGEST)
    assert not second.is_alive()
    stub.stub_hold(0)
    stub.stub_defer(0)
    y.numpy()


def test_a_signal_leaves_no_lock_behind() -> None:
    y, x = tensor(), tensor()
    interrupted_at(lambda: step(y, x).on())  # which native code does
    interrupted_at(lambda: y.copy_from(x).on())  # and Python, which takes the same lock by `with`


def interrupted_at(work: Callable[[], object]) -> None:
    """Does something again and again until a signal comes while the lock is waited for; others can take it then."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background ignores it
    work()
    begun = threading.Event()

    def hold() -> None:
        with locks.lock(0):
            begun.set()
            time.sleep(0.3)

    holder = threading.Thread(target=hold)
    holder.start()
    begun.wait()
    timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))

    def many() -> None:
        timer.start()
        while True:
            work()

    def again(_: Any) -> None:  # what it raises in a finaliser goes no further
        os.kill(os.getpid(), signal.SIGINT)

    before, sys.unraisablehook = sys.unraisablehook, again
    try:
        with pytest.raises(KeyboardInterrupt):
            many()
    finally:
        sys.unraisablehook = before
    holder.join()
    timer.join()
    other = threading.Thread(target=work, daemon=True)
    other.start()
    other.join(LONGEST)
    assert not other.is_alive()


def test_blame_falls_on_what_may_be_running() -> None:
    y, x, z = tensor(), tensor(), tensor()
    all_done()

    async def main() -> None:
        async def run(operation: Any) -> None:
            await operation

        # What awaits the first looks itself: a waiter's event would stand behind it, and is not to be run.
        with fh.stream_policy(fh.SingleStream()), pytest.MonkeyPatch.context() as patched:
            patched.setattr(waiting, "TURNS", 3600.0)
            stub.stub_hold(1)
            first = asyncio.create_task(run(step(y, x)))
            second = asyncio.create_task(run(step(z, x)))
            await asyncio.sleep(0)
            while len(unfinished()) > 1:  # one step at a time: the loop may be told of the first when it pleases
                stub.stub_run(1)
                for known in list(timelines[0].values()):
                    known.collect()
            while not first.done():
                await asyncio.sleep(0.001)
            assert not second.done()
            assert [trace.what for trace in unfinished()] == ["`mix`"], unfinished()
            stub.stub_hold(0)
            await second

    asyncio.run(main())
    stub.stub_defer(0)
    assert unfinished() == []


# --- Forks ------------------------------------------------------------------------------------------------------------


def test_a_forked_process_works_on_the_host() -> None:
    y, x, dropped = tensor(), tensor(), [tensor(), fh.from_dlpack(Foreign(tensor()))]
    step(y, x).on()

    def child() -> Any:
        dropped.clear()
        gc.collect()
        host = np.zeros(N, np.int32)
        step(host, host + 1).sync()
        return fh.ones((8,), fh.i32, device=fh.HOST).sync().numpy().sum(), host[0]

    assert in_child(child) == "(np.int64(8), np.int32(1013916568))"


def test_a_fork_under_another_thread_s_lock() -> None:
    y, x = np.zeros(N, np.int32), np.ones(N, np.int32)
    working, begun, stop = threading.Event(), threading.Event(), threading.Event()

    def write() -> None:
        working.set()
        stop.wait()

    def hold() -> None:
        with locks.lock(0), locks.lock(fh.HOST):
            begun.set()
            stop.wait()

    def work() -> None:
        from freehold.runtime.gpu.timeline import host_timeline
        from freehold.runtime.memory.ledger import enqueue

        enqueue(host_timeline(), [], [shared], write)  # what it writes is not done when the process forks

    shared = fh.zeros((8,), fh.i32, device=fh.HOST).sync()
    threads = [threading.Thread(target=work), threading.Thread(target=hold)]
    threads[0].start()
    working.wait()
    threads[1].start()
    begun.wait()

    def child() -> Any:
        step(y, x).sync()
        return shared.numpy().sum()

    said = in_child(child)
    stop.set()
    for thread in threads:
        thread.join()
    assert said == "0"


def captured_by_others(stream: Any, work: Callable[[], object]) -> Any:
    """The driver's answer at the end of a capture as torch begins them, which unsafe calls of any thread end."""
    bindings = driver.api()
    strict = bindings.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL
    driver.checked("capturing", bindings.cuStreamBeginCapture(stream.handle, strict))
    work()
    error, graph = bindings.cuStreamEndCapture(stream.handle)
    if not error:
        bindings.cuGraphDestroy(graph)
    return error


def launch_and_let_go(y: Any, x: Any, stream: Any) -> None:
    """A launch that gives back what was dropped, as the first one of a kernel does."""
    step(y, x).on(stream)
    let_go()


def test_memory_that_was_dropped_is_given_back_during_a_capture_without_ending_it() -> None:
    y, x, dropped = tensor(), tensor(), tensor()
    stream = driver.new_stream(0)
    buffer = weakref.ref(dropped.storage.owner)
    del dropped
    assert not captured_by_others(stream, lambda: launch_and_let_go(y, x, stream))
    assert freed([buffer]) == 1


def test_memory_last_used_on_a_stream_that_is_captured_is_given_back_behind_the_capture() -> None:
    y, x, dropped = tensor(), tensor(), tensor()
    stream = driver.new_stream(0)
    step(dropped, x).on(stream).wait()
    buffer = weakref.ref(dropped.storage.owner)
    kept: list[int] = []

    def work() -> None:
        nonlocal dropped
        del dropped
        for _ in range(3):
            launch_and_let_go(y, x, stream)
            kept.append(1 - freed([buffer]))

    assert not captured_by_others(stream, work)
    assert kept == [1, 1, 1]
    let_go()
    assert freed([buffer]) == 1


if __name__ == "__main__":
    run_tests(globals())
