"""Tensors on the stub driver, whose streams are queues that run in random orders; run by test_stub_driver.py."""

from __future__ import annotations

import gc
import random
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from mixing import Foreign, mix, mixed
from stub import run_tests, the_stub

import freehold as fh
from freehold.runtime.base.locks import lock
from freehold.runtime.gpu import driver, transfers
from freehold.runtime.gpu import timeline as of_streams
from freehold.runtime.gpu.timeline import let_go, still_kept
from freehold.runtime.memory.numpy_types import numpy_dtype
from freehold.support import dtypes

stub = the_stub()


def numbers(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).integers(-(2**31), 2**31, shape, dtype=np.int32)


@contextmanager
def deferred(seed: int = 1) -> Generator[None]:
    """Inside, nothing is run before it has to be, and then in a random order that events allow."""
    stub.stub_defer(seed)
    try:
        yield
    finally:
        stub.stub_defer(0)


def test_contents() -> None:
    with deferred():
        for dtype in [d for d in dtypes.ALL if d.storage_bits and d is not dtypes.f8e8m0fnu]:  # which has no zero
            for value in (0, 1, True) if dtype.kind == "bool" else (0, 1, 77):
                found = fh.full((3, 5), value, dtype, device=0).sync().numpy()
                assert np.array_equal(found, np.full((3, 5), value).astype(numpy_dtype(dtype.name))), (dtype, value)
        large = fh.full(7, -(1 << 40) - 3, fh.i64, device=0).sync()
        assert large.numpy().tolist() == [-(1 << 40) - 3] * 7
        assert fh.eye(3, device=0).sync().numpy().tolist() == np.eye(3).tolist()
        assert fh.from_numpy([[1.5]], fh.bf16, device=0).sync().item() == ml_dtypes.bfloat16(1.5)
        assert fh.zeros((0, 3), device=0).sync().numpy().shape == (0, 3)


def test_once_a_stream_is_in_use_the_end_of_the_program_is_looked_out_for() -> None:
    fh.zeros(3, device=0).sync()
    assert of_streams._watch.cache_info().currsize == 1  # pyright: ignore[reportPrivateUsage] -- what it registers


def test_views_are_read_as_they_are() -> None:
    array = numbers(1, 20, 30)
    tensor = fh.from_numpy(array, device=0).sync()
    for index in ((slice(None), 3), (slice(2, 9), slice(1, 29, 7)), (..., 0), (5,), (slice(None, None, -3), slice(4))):
        assert np.array_equal(tensor[index].numpy(), array[index]), index
        assert np.array_equal(tensor[index].T.numpy(), array[index].T), index
    assert np.array_equal(fh.to_numpy(Foreign(tensor)), array)


def test_only_the_elements_of_a_view_are_written() -> None:
    array = numbers(2, 6, 8)
    tensor = fh.from_numpy(array, device=0).sync()
    with tensor[1:5, ::3].borrow_mut() as inside:
        inside[...] = 7
    assert not inside.flags.writeable
    array[1:5, ::3] = 7
    tensor[::-2, 1].copy_from(np.arange(3)).sync()
    array[::-2, 1] = np.arange(3)
    assert np.array_equal(tensor.numpy(), array)
    with suppress(ZeroDivisionError), tensor.borrow_mut() as inside:
        inside[...] = 0
        raise ZeroDivisionError
    assert np.array_equal(tensor.numpy(), array)


def test_copies_come_after_what_they_copy() -> None:
    for seed in range(1, 20):
        streams = [driver.new_stream(0) for _ in range(3)]
        y, x = numbers(seed, 64), numbers(seed + 100, 64)
        on_y, on_x = (fh.from_numpy(a, device=0).sync() for a in (y, x))
        with deferred(seed):
            mix(fh.partition(on_y, 32), on_x).on(streams[0])
            twin = on_y.copy().on(streams[1]).value
            mix(fh.partition(on_y, 32), on_x).on(streams[2])
            there = twin.to(fh.HOST).on(streams[0]).value
            mix(fh.partition(twin, 32), on_x).on(streams[1])
            on_x.copy_from(there).on(streams[2])
            y1 = mixed(y, x)
            assert np.array_equal(twin.numpy(), mixed(y1, x))
            assert np.array_equal(on_y.numpy(), mixed(y1, x))
            assert np.array_equal(there.numpy(), y1)
            assert np.array_equal(on_x.numpy(), y1)


def test_copies_between_parts_of_one_memory() -> None:
    """The driver copies no bytes onto others of the same copy: `run_tests` sees it."""
    for to, come in ((slice(1, None), slice(-1)), (slice(-1), slice(1, None)), (slice(None), slice(None))):
        y = fh.from_numpy(numbers(1, 64), device=0).sync()
        y[to].copy_from(y[come]).sync()
        expected = numbers(1, 64)
        expected[to] = expected[come].copy()
        assert np.array_equal(y.numpy(), expected)
    y = fh.from_numpy(numbers(1, 64), device=0).sync()
    for to, come in ((y[::2], y[:32]), (y.reshape(8, 8), y.reshape(8, 8).T), (y.reinterpret(fh.f32), y)):
        to.copy_from(come).sync()  # by a kernel, which does nothing here
        with fh.graph() as g, pytest.raises(fh.Rejected) as refused:
            g.record(to.copy_from(come))
        assert refused.value.codes == ("O263",)


def test_views_that_run_backwards_are_copied_by_way_of_the_host() -> None:
    """No kernel sees memory so."""
    array = numbers(1, 20)
    x, y = fh.from_numpy(array, device=0).sync(), fh.zeros(20, fh.i32, device=0).sync()
    for to, come in (
        (slice(None, None, -1), slice(None)), (slice(None), slice(None, None, -1)), (slice(None, None, -2), slice(10)),
        (slice(None, None, 2), slice(None, None, -2)),
    ):  # fmt: skip
        y.fill(7).sync()
        with deferred():
            y[to].copy_from(x[come]).on()
        expected = np.full(20, 7, np.int32)
        expected[to] = array[come]
        assert np.array_equal(y.numpy(), expected)
        with fh.graph() as g:
            refused("O263", lambda g=g, to=to, come=come: g.record(y[to].copy_from(x[come])))


def test_copies_by_a_kernel_are_refused_by_the_names_of_the_copy() -> None:
    x, y = (fh.zeros(20, fh.i32, device=0).sync() for _ in range(2))
    launched = stub.stub_launches()
    for lent, code in ((x, "O251"), (y, "O251")):
        with lent.borrow_mut(), pytest.raises(fh.Rejected) as caught:
            y[::2].copy_from(x[::2]).sync()
        assert caught.value.codes == (code,)
        assert "target" not in str(caught.value)
        assert "convert" not in str(caught.value)
    with y.borrow(), pytest.raises(fh.Rejected) as caught:
        y[::2].copy_from(x[::2]).sync()
    assert caught.value.codes == ("O251",)
    assert stub.stub_launches() == launched
    with x.borrow():
        y[::2].copy_from(x[::2]).sync()
    assert stub.stub_launches() == launched + 1


def test_a_tensor_without_axes_is_converted() -> None:
    one = fh.to_device(np.zeros((), np.float32))
    assert one.astype(fh.i32).sync().dtype is fh.i32
    one.copy_from(fh.to_device(np.zeros((), np.int32))).sync()


def test_what_is_dropped_in_flight_is_freed_behind_it() -> None:
    streams = [driver.new_stream(0) for _ in range(3)]
    x = fh.from_numpy(numbers(1, 64), device=0).sync()
    for seed in range(1, 20):
        with deferred(seed):
            chance = random.Random(seed)
            for n in range(20):
                made = fh.full(64, n, fh.i32, device=0).on(chance.choice(streams)).value
                for _ in range(3):
                    mix(fh.partition(made, 32), x).on(chance.choice(streams))
                    mix(fh.partition(x, 32), made).on(chance.choice(streams))
                if n % 3 == 0:
                    made.free()
                del made
                gc.collect()
                let_go()
            x.numpy()
    let_go()
    assert still_kept() == []


def test_other_libraries_memory_is_ordered_between_our_streams() -> None:
    for seed in range(1, 20):
        streams = [driver.new_stream(0) for _ in range(3)]
        arrays = [numbers(seed + n, 64) for n in range(3)]
        on_gpu = [Foreign(fh.from_numpy(a, device=0).sync()) for a in arrays]
        chance = random.Random(seed)
        with deferred(seed):
            for _ in range(20):
                a, b = chance.sample(range(3), 2)
                mix(fh.partition(on_gpu[a], 32), on_gpu[b]).on(chance.choice(streams))
                arrays[a] = mixed(arrays[a], arrays[b])
            for found, expected in zip(on_gpu, arrays, strict=True):
                assert np.array_equal(fh.to_numpy(found), expected)


def test_a_consumer_comes_after_what_is_in_flight_and_before_what_comes_next() -> None:
    for seed in range(1, 20):
        stream, theirs = driver.new_stream(0), driver.new_stream(0)
        y, x = numbers(seed, 64), numbers(seed + 100, 64)
        on_y, on_x = (fh.from_numpy(a, device=0).sync() for a in (y, x))
        seen = fh.zeros(64, fh.i32, device=0).sync()
        with deferred(seed):
            mix(fh.partition(on_y, 32), on_x).on(stream)
            capsule = on_y.__dlpack__(stream=int(theirs.handle), max_version=(1, 0))
            assert on_y.state == "exported"
            transfers.copy(seen.pointer, on_y.pointer, on_y.nbytes, theirs)
            transfers.fill(on_y.pointer, 5, 4, 64, theirs)
            mix(fh.partition(on_y, 32), on_x).on(stream)
            assert np.array_equal(on_y.numpy(), mixed(np.full(64, 5, np.int32), x))
            theirs.sync()
            assert np.array_equal(seen.numpy(), mixed(y, x))
        refused("O252", on_y.free)
        del capsule
        assert on_y.state == "owned"


def test_conversions_and_strided_copies_are_launches() -> None:
    tensor = fh.from_numpy(numbers(1, 40, 70), device=0).sync()
    before = stub.stub_launches()
    tensor.astype(fh.f32).sync()
    tensor[:, ::2].copy().sync()
    tensor.T.copy().sync()
    tensor[3, 4].copy_from(tensor[4, 3]).sync()  # of one element each: contiguous
    assert stub.stub_launches() == before + 3
    assert fh.rand((3, 5), seed=1, device=0).sync().shape == (3, 5)
    assert stub.stub_launches() == before + 4


def test_operations_in_graphs() -> None:
    x, y = (fh.zeros(64, fh.i32, device=0).sync() for _ in range(2))
    with fh.graph() as g:
        g.record(x.fill(3))
        g.record(y.copy_from(x))
        refused("O263", lambda: g.record(fh.zeros(4, device=0)))
        refused("O263", lambda: g.record(x.copy()))
        refused("O263", lambda: g.record(x.copy_from(np.zeros(64, np.int32))))
    assert not y.numpy().any()
    for _ in range(3):
        y.fill(0).sync()
        g.replay().sync()
        assert (y.numpy() == 3).all()


def test_moved_and_freed() -> None:
    x, y = (fh.zeros(64, fh.i32, device=0).sync() for _ in range(2))
    for _ in range(2):
        mix(fh.partition(y, 32), x).sync()
    before = stub.stub_launches()
    owner = x.move()
    for _ in range(2):
        refused("O250", lambda: mix(fh.partition(y, 32), x).sync())
        refused("O250", lambda: mix(fh.partition(y, 32), x).on())
    with owner.borrow():
        mix(fh.partition(y, 32), owner).sync()
        refused("O251", lambda: mix(fh.partition(owner, 32), y).sync())
    for written, read in ((owner, x), (x, owner)):  # one memory: that it was moved is what is wrong
        refused("O250", lambda y=written, x=read: mix(fh.partition(y, 32), x).sync())
        with fh.graph() as graph:
            refused("O250", lambda y=written, x=read: graph.record(mix(fh.partition(y, 32), x)))
    owner.free()
    refused("O254", lambda: mix(fh.partition(y, 32), owner).sync())
    assert stub.stub_launches() == before + 1


def test_the_interface_waits_for_what_is_in_flight() -> None:
    stream = driver.new_stream(0)
    y, x = (fh.from_numpy(numbers(n, 64), device=0).sync() for n in (1, 2))
    before = y.numpy()
    with deferred(3):
        mix(fh.partition(y, 32), x).on(stream)
        interface = y.__cuda_array_interface__
        assert (interface["shape"], interface["strides"], interface["typestr"]) == ((64,), None, "<i4")
        driver.stream(0, 0).sync()  # what consumers of the interface order themselves behind
        seen = np.empty(64, np.int32)
        transfers.copy_to_host(seen.ctypes.data, y.pointer, 256, 0)
        assert np.array_equal(seen, mixed(before, x.numpy()))
    assert y[::2].__cuda_array_interface__["strides"] == (8,)
    with pytest.raises(AttributeError, match="bf16"):
        fh.zeros(4, fh.bf16, device=0).sync().__cuda_array_interface__  # noqa: B018 -- it is read


def test_threads() -> None:
    tensors = [fh.from_numpy(numbers(n, 64), device=0).sync() for n in range(4)]
    kept: list[Any] = []

    def many(seed: int) -> None:
        chance = random.Random(seed)
        stream = driver.new_stream(0)
        for _ in range(100):
            y, x = chance.sample(tensors, 2)
            mix(fh.partition(y, 32), x).on(stream)
            if chance.random() < 0.1:
                kept.append(x[: chance.randrange(1, 64)].numpy())
            if chance.random() < 0.1:
                fh.zeros(100, device=0).on(stream)

    with deferred(9):
        threads = [threading.Thread(target=many, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert not any(thread.is_alive() for thread in threads)
        for tensor in tensors:
            tensor.numpy()
    with lock(0):  # which no thread has left held
        pass


def refused(code: str, function: Callable[[], Any]) -> None:
    """Calls something that must be refused with one error of this code."""
    with pytest.raises(fh.Rejected) as caught:
        function()
    assert caught.value.codes == (code,), str(caught.value)


if __name__ == "__main__":
    run_tests(globals())
