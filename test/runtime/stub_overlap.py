"""Launches that begin while the kernel in front of them ends, on the stub driver; run by test_stub_driver.py."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from stub import expect, run_tests, the_stub

import freehold as fh
from freehold import Mut, Out, Ref
from freehold.backend import cubin
from freehold.runtime.base import native
from freehold.runtime.gpu import captures, driver
from freehold.runtime.launch.plan import MOST_EARLY

stub = the_stub()


fills = True
"""Whether kernels are so large that no two of their blocks share a multiprocessor."""


def it_does(code: bytes) -> bool:
    """Says of what stands for a cubin that it waits."""
    return True


def it_fills(code: bytes) -> bool:
    """Says so of what stands for a cubin."""
    return fills


cubin.waits_for_grids, cubin.fills_a_multiprocessor = it_does, it_fills


def add(y: Mut["N"], x: Ref["N"]):
    y.store(x.load_like(y) + y.load())


def scale(y: Out["N"], w: Ref["N"]):
    y.store(w.load_like(y) * 2.0)


waiting, plain = fh.kernel(overlap=True)(add), fh.kernel(add)
early = fh.kernel(overlap=("w",))(scale)


def vector(length: int = 512) -> Any:
    return fh.to_device(np.zeros(length, np.float32))


def run(kernel: Any, y: Any, x: Any, stream: Any = None) -> bool:
    """Whether a launch was allowed to begin early."""
    expect("QQ")
    tile = max(64, 1 << (y.shape[0] // 128).bit_length())  # few blocks, so that each waits by itself
    kernel(fh.partition(y, tile), x).on(stream)
    return bool(stub.stub_early())


def captured(*launches: tuple[Any, Any, Any]) -> list[bool]:
    """Of launches on a stream that somebody else captures: whether they were allowed to begin early."""
    for kernel, y, x in launches:  # so that the native module knows them, where it is
        run(kernel, y, x)
    stream = captures.begin_capture(0)
    try:
        return [run(kernel, y, x, stream) for kernel, y, x in launches]
    finally:
        captures.give_up_capture(stream, 0)


def test_where_nothing_is_captured_nothing_begins_early() -> None:
    y, x = vector(), vector()
    stream = driver.new_stream(0)
    assert not any(run(waiting, y, x, where) for where in (None, None, stream, stream))


def test_behind_one_kernel_a_kernel_that_waits_begins_early() -> None:
    y, x = vector(), vector()
    assert captured((waiting, y, x), (waiting, y, x), (plain, y, x), (waiting, x, y)) == [False, True, False, True]


def test_what_reads_before_it_has_waited_does_not_where_nobody_knows_what_runs() -> None:
    y, x = vector(), vector()
    assert captured((waiting, y, x), (early, y, x), (waiting, y, x)) == [False, False, True]


def test_light_blocks_do_where_a_multiprocessor_has_one_and_else_only_where_it_is_known_what_runs() -> None:
    global fills
    y, x, few, other = vector(), vector(), vector(4 * 64), vector(4 * 64)  # the stub has four multiprocessors
    fills = False
    try:
        light = fh.kernel(overlap=True)(add)
        assert captured((light, y, x), (light, y, x)) == [False, False]
        assert captured((light, y, x), (light, few, other), (light, y, x)) == [False, True, False]
        assert recorded([(light, y, x), (light, y, x)]) == [False, True]
    finally:
        fills = True


def test_launches_with_much_to_read_do_not_either() -> None:
    few, one, other, x = vector(), vector(MOST_EARLY // 8 + 64), vector(MOST_EARLY // 8 + 64), vector()
    assert captured((waiting, few, x), (waiting, one, other), (waiting, few, x)) == [False, False, True]


def test_a_hint_says_of_a_kernel_whether_it_gains_by_it() -> None:
    global fills
    few, one, other, x = vector(), vector(MOST_EARLY // 8 + 64), vector(MOST_EARLY // 8 + 64), vector()
    always, never = waiting.with_hints(begin_early=True), waiting.with_hints(begin_early=False)
    assert captured((waiting, few, x), (always, one, other), (never, few, x)) == [False, True, False]
    assert captured((plain, few, x), (plain.with_hints(begin_early=True), few, x)) == [False, False]
    assert recorded([(waiting, few, x), (never, few, x)]) == [False, True]
    fills = False
    try:
        light = fh.kernel(overlap=True)(add).with_hints(begin_early={"sm_90": True})
        assert captured((light, few, x), (light, few, x)) == [False, True]
    finally:
        fills = True


def test_what_lies_between_elements_is_not_read() -> None:
    few, x = vector(), vector(MOST_EARLY // 2)[:: MOST_EARLY // 1024]
    assert x.shape == (513,)
    assert captured((waiting, few, vector()), (waiting, few, x[:512]), (waiting, few, x[:512])) == [False, True, True]


def test_behind_something_else_nothing_begins_early() -> None:
    y, x = vector(), vector()
    run(waiting, y, x)
    stream = captures.begin_capture(0)
    run(waiting, y, x, stream)
    driver.api().cuMemsetD32Async(driver.api().CUdeviceptr(x.pointer), 0, 512, stream.handle)
    assert not run(waiting, y, x, stream)
    assert run(waiting, y, x, stream)
    event = driver.record(driver.new_stream(0))
    stream.wait(event)
    assert not run(waiting, y, x, stream)
    assert run(waiting, y, x, stream)
    captures.give_up_capture(stream, 0)


def test_a_bound_launch_does_so_too() -> None:
    y, x = vector(), vector()
    expect("QQ")
    bound = waiting.bind(fh.partition(y, 64), x)
    bound.sync()
    assert not stub.stub_early()
    stream = captures.begin_capture(0)
    found: list[int] = []
    for _ in range(3):
        bound.on(stream)
        found.append(stub.stub_early())
    captures.give_up_capture(stream, 0)
    assert found == [0, 1, 1]


def test_behind_a_kernel_of_another_gpu_nothing_begins_early() -> None:
    y, x = vector(), vector()
    several = captures._several  # pyright: ignore[reportPrivateUsage] -- to be replaced
    here = captures._is_here  # pyright: ignore[reportPrivateUsage] -- as above
    try:
        captures._several = lambda: True  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue] -- as above
        assert captured((waiting, y, x), (waiting, y, x)) == [False, True]
        captures._is_here = lambda kernel: False  # pyright: ignore[reportPrivateUsage] -- as above
        assert captured((waiting, y, x), (waiting, y, x)) == [False, False]
    finally:
        captures._several, captures._is_here = several, here  # pyright: ignore[reportPrivateUsage] -- as above


def recorded(launches: Iterable[tuple[Any, Any, Any]]) -> list[bool]:
    """The same of launches that a graph of ours records."""
    found: list[bool] = []
    expect("QQ")
    with fh.graph() as graph:
        for kernel, y, x in launches:
            graph.record(kernel(fh.partition(y, 64), x))
            found.append(bool(stub.stub_early()))
    graph.close()
    return found


def test_a_graph_of_ours_knows_what_may_still_be_written() -> None:
    y, x, w, z = (vector() for _ in range(4))
    assert recorded([(waiting, y, x), (early, z, w), (waiting, y, z)]) == [False, True, True]
    # What writes `w` may still run behind one that reads before it has waited, and not behind one that waits first.
    assert recorded([(waiting, w, x), (early, z, w)]) == [False, False]
    assert recorded([(waiting, w, x), (early, y, z), (early, x, w), (early, z, w)]) == [False, True, False, True]
    assert recorded([(waiting, w, x), (waiting, y, x), (early, z, w)]) == [False, True, True]
    assert recorded([(waiting, w, x), (plain, y, x), (early, z, w)]) == [False, False, True]


def test_a_launch_that_failed_has_waited_for_nothing() -> None:
    y, x, w, z = (vector() for _ in range(4))
    expect("QQ")
    run(waiting, y, x)  # so that its plan is known
    with fh.graph() as graph:
        graph.record(waiting(fh.partition(w, 64), x))
        with pytest.raises(fh.Rejected):
            graph.record(waiting(fh.partition(y, 64), y))
        graph.record(early(fh.partition(z, 64), w))
        assert not stub.stub_early()
    graph.close()


def test_of_what_others_enqueue_nothing_is_known() -> None:
    """They may write more than is said of them: before there was overlap, the order of one stream was enough for it."""
    y, x, w, z = (vector() for _ in range(4))
    expect("QQ")

    def torch_s_own(execution: fh.Execution) -> None:
        pass

    for named in ([], [y]):
        with fh.graph() as graph:
            graph.record(waiting(fh.partition(y, 64), x))
            graph.record(fh.Work("another library's kernel", torch_s_own, writes=named))
            graph.record(early(fh.partition(z, 64), w))
            assert not stub.stub_early()
            graph.record(early(fh.partition(x, 64), w))
            assert stub.stub_early()
        graph.close()


def test_what_enqueues_nothing_has_waited_for_nothing() -> None:
    x, w, z, none = (vector(n) for n in (512, 512, 512, 0))
    expect("QQ")
    for nothing in (lambda: x.copy_from(x), lambda: none.fill(1), lambda: none.copy_from(none)):
        with fh.graph() as graph:
            graph.record(waiting(fh.partition(w, 64), x))
            graph.record(nothing())
            graph.record(early(fh.partition(z, 64), w))
            assert not stub.stub_early()
        graph.close()


def test_the_native_module_made_what_python_did_not() -> None:
    """So that the tests above are of both."""
    y, x = vector(), vector()
    run(waiting, y, x)
    dispatcher = waiting._dispatcher  # pyright: ignore[reportPrivateUsage] -- what is looked at
    assert (dispatcher.launcher is not None) == native.BUILT


if __name__ == "__main__":
    run_tests(globals())
