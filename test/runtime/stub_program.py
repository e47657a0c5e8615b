"""Launches on the stub driver; run by test_stub_driver.py in a process of its own."""

from __future__ import annotations

import ctypes
import struct
import threading
from typing import Any

import numpy as np
import pytest
from stub import run_tests, the_stub

import freehold as fh
from freehold import Const, Mut, Out, Ref, bf16, f32, i32, i64, u32
from freehold.runtime.gpu import driver
from freehold.runtime.jit.module_launch import load_kernel
from freehold.runtime.launch import binding

stub = the_stub()


@fh.kernel
def saxpy(y: Mut["N"], x: Ref["N"], a: f32):
    y.store(a * x.load_like(y) + y.load())


@fh.kernel
def rows(y: Out["M", "N"], x: Ref["M", "N"], n: i32, m: i64, b: bf16, K: Const[int] = 2):
    y.store(x.load_like(y) * K + n.astype(y.dtype) + m.astype(y.dtype) + b.astype(y.dtype))


@fh.kernel
def shifted(y: Out["N"], x: Ref["M"], by: i32, wide: u32):
    fh.require(by >= 0 and (by + fh.cdiv(y.shape[0], 64)) * 64 <= x.shape[0], "the window lies in x")
    (i,) = y.index
    y.store(x.load((i + by,), (64,)) + wide.astype(f32))


class View:
    """A part of a device array, by its interface alone."""

    def __init__(self, base: fh.Tensor, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]):
        self.base = base
        interface = dict(base.__cuda_array_interface__)
        self.__cuda_array_interface__ = {
            **interface,
            "data": (base.pointer + offset, False),
            "shape": shape,
            "strides": strides,
            "stream": None,
        }


def passed(sizes: str) -> None:
    """Says what the next launches' parameters are: `P` for an address, others as in `struct`."""
    widths = [8 if s == "P" else struct.calcsize(f"={s}") for s in sizes]
    stub.stub_expect((ctypes.c_int * len(widths))(*widths), len(widths))
    global expected
    expected = sizes


def values() -> list[Any]:
    """The last launch's parameters."""
    found: list[Any] = []
    for n, code in enumerate(expected):
        buffer = ctypes.create_string_buffer(8)
        stub.stub_value(n, buffer)
        form = {"P": "Q", "h": "H"}.get(code, code)
        found.append(struct.unpack_from(f"={form}", buffer.raw)[0])
    return found


def grid() -> list[int]:
    """The last launch's grid and block."""
    buffer = (ctypes.c_uint * 6)()
    stub.stub_grid(buffer)
    return list(buffer)


expected = ""


def on_gpu(*shape: int, dtype: Any = np.float32) -> Any:
    """Zeros in the driver's memory."""
    return fh.to_device(np.zeros(shape, dtype))


def test_copies() -> None:
    array = np.arange(24, dtype=np.float32).reshape(4, 6)
    there = fh.to_device(array)
    assert isinstance(there, fh.Tensor)
    assert (there.shape, there.ndim, there.nbytes) == ((4, 6), 2, 96)
    assert np.array_equal(fh.to_numpy(there), array)
    assert np.array_equal(fh.to_numpy(View(there, 4, (4, 2), (24, 8))), array[:, 1:5:2])


def test_parameters_arrive() -> None:
    y, x = on_gpu(1000), on_gpu(1000)
    passed("PPif")
    before = stub.stub_launches()
    launch = saxpy(fh.partition(y, 64), x, 2.5)
    assert stub.stub_launches() == before
    launch.sync()
    assert stub.stub_launches() == before + 1
    assert values() == [y.pointer, x.pointer, 1000, 2.5]
    assert grid() == [16, 1, 1, 1, 1, 1]


def test_a_launch_without_a_partition() -> None:
    y, x = on_gpu(5000), on_gpu(5000)
    passed("PPif")
    chosen = saxpy.choice((y, x, 2.5), {}, None)
    assert chosen is not None
    blocks = -(-5000 // chosen.chosen.schedule.tile["N"])
    for number in range(1, 4):  # the later ones take the quick way
        saxpy(y, x, float(number)).sync()
        assert values() == [y.pointer, x.pointer, 5000, float(number)]
        assert grid() == [blocks, 1, 1, 1, 1, 1]
    bound = saxpy.bind(y, x, 4.0)
    bound.on().wait()
    assert values() == [y.pointer, x.pointer, 5000, 4.0]
    assert grid() == [blocks, 1, 1, 1, 1, 1]


def test_the_second_launch_takes_the_quick_way() -> None:
    y, x = on_gpu(1000), on_gpu(1000)
    passed("PPif")
    saxpy(fh.partition(y, 64), x, 1.0).sync()
    bind = binding.bind
    try:
        binding.bind = None  # pyright: ignore[reportAttributeAccessIssue] -- must not be called
        saxpy(fh.partition(y, 64), x, 3.5).sync()
        assert values() == [y.pointer, x.pointer, 1000, 3.5]
        other = on_gpu(1000)
        saxpy(fh.partition(other, 64), y, 1.0).on().wait()
        assert values() == [other.pointer, y.pointer, 1000, 1.0]
    finally:
        binding.bind = bind
    saxpy(fh.partition(on_gpu(1024), 128), on_gpu(1024), 1.0).sync()
    assert (values()[2], grid()[0]) == (1024, 8)


def test_extents_strides_and_scalars() -> None:
    y, x = on_gpu(8, 16), on_gpu(8, 40)
    part = View(x, 16, (8, 16), (160, 4))
    passed("PPiiiiiqh")
    rows(fh.partition(y, (4, 8)), part, -3, 1 << 40, 1.5).sync()
    assert values() == [y.pointer, x.pointer + 16, 8, 16, 16, 40, -3, 1 << 40, 0x3FC0]
    assert grid()[0] == 4


def test_persistent_blocks() -> None:
    y, x = on_gpu(10000), on_gpu(10000)
    persistent = fh.partition(y, 64, blocks=fh.PERSISTENT)
    saxpy(persistent, x, 1.0).sync()
    assert grid()[0] == 4  # multiprocessors of the stub
    saxpy.with_hints(occupancy=3)(persistent, x, 1.0).sync()
    assert grid()[0] == 12
    saxpy(fh.partition(on_gpu(100), 64, blocks=fh.PERSISTENT), on_gpu(100), 1.0).sync()
    assert grid()[0] == 2


def test_persistent_clusters() -> None:
    """Of clusters there are no more than run at once; those of more than eight blocks have to be allowed."""
    y, x = on_gpu(10000), on_gpu(10000)
    persistent = fh.partition(y, 64, blocks=fh.PERSISTENT)
    for warps, occupancy, known, wanted in ((1, 4, 0, 4), (2, 4, 5, 4), (4, 4, 3, 3), (8, 1, 3, 1)):
        stub.stub_clusters(known)
        in_fours = saxpy.with_hints(num_cta_in_cga=4, occupancy=occupancy, num_worker_warps=warps)
        in_fours(persistent, x, 1.0).sync()
        assert (grid()[0], stub.stub_large_clusters()) == (wanted, 0)
    stub.stub_clusters(0)
    saxpy.with_hints(num_cta_in_cga=16, occupancy=16)(persistent, x, 1.0).sync()
    assert (grid()[0], stub.stub_large_clusters()) == (4, 1)


def test_persistent_clusters_of_a_module() -> None:
    """The same of a kernel that is text: no more blocks than hints ask for, and no more clusters than run at once."""
    x = on_gpu(10000)
    persistent = fh.partition(on_gpu(10000), 64, blocks=fh.PERSISTENT)
    for hints, known, wanted in (
        ({"occupancy": 3}, 0, 12),
        ({"num_cta_in_cga": {"sm_90": 2, "default": 1}, "occupancy": 2}, 0, 4),
        ({"num_cta_in_cga": 2, "occupancy": 4}, 3, 3),
        ({"num_cta_in_cga": 16, "occupancy": 16}, 2, 2),
    ):
        stub.stub_clusters(known)
        before = stub.stub_large_clusters()
        loaded = load_kernel(saxpy.with_hints(**hints).verify(persistent, x, 1.0))
        loaded.launch([np.zeros(10000, np.float32), np.ones(10000, np.float32), np.float32(1.0)])
        assert (grid()[0], stub.stub_large_clusters() - before) == (wanted, hints.get("num_cta_in_cga") == 16)
    stub.stub_clusters(0)


def test_overlap_is_looked_for_every_time() -> None:
    y, x = on_gpu(1000), on_gpu(1000)
    saxpy(fh.partition(y, 64), x, 1.0).sync()
    before = stub.stub_launches()
    refused("O201", lambda: saxpy(fh.partition(y, 64), y, 1.0).sync())
    columns = on_gpu(8, 32)
    left, right = (View(columns, start, (8, 16), (128, 4)) for start in (0, 64))
    assert stub.stub_launches() == before
    rows(fh.partition(left, (4, 8)), right, 0, 0, 0.0).sync()
    rows(fh.partition(left, (4, 8)), right, 0, 0, 0.0).sync()
    assert stub.stub_launches() == before + 2
    refused("O201", lambda: rows(fh.partition(left, (4, 8)), View(columns, 60, (8, 16), (128, 4)), 0, 0, 0.0).sync())


def test_scalars_are_looked_at_every_time() -> None:
    y, x = on_gpu(8, 16), on_gpu(8, 16)
    for _ in range(2):
        rows(fh.partition(y, (4, 8)), x, 1, 1, 1.0).sync()
        refused("O215", lambda: rows(fh.partition(y, (4, 8)), x, 1 << 31, 1, 1.0).sync())
        refused("O215", lambda: rows(fh.partition(y, (4, 8)), x, 1, 1.5, 1.0).sync())
        refused("O215", lambda: rows(fh.partition(y, (4, 8)), x, 1, 1, "x").sync())
        refused("O215", lambda: rows(fh.partition(y, (4, 8)), x, True, 1, 1.0).sync())
        refused("O215", lambda: rows(fh.partition(y, (4, 8)), x, 1, 1, 1e300).sync())
        rows(fh.partition(y, (4, 8)), x, 1, 1, float("inf")).sync()
    y, x = on_gpu(128), on_gpu(128)
    for _ in range(2):
        saxpy(fh.partition(y, 64), x, -3e38).sync()
        refused("O215", lambda: saxpy(fh.partition(y, 64), x, -1e39).sync())
        saxpy(fh.partition(y, 64), x, float("-inf")).sync()
    bound = saxpy.bind(fh.partition(y, 64), x, 2.0)
    refused("O215", lambda: bound.rebind(a=1e39))


def test_requirements_are_looked_at_every_time() -> None:
    y, x = on_gpu(128), on_gpu(256)
    passed("PPiiiI")
    before = stub.stub_launches()
    for by in (0, 2, np.int32(1), 2):
        shifted(fh.partition(y, 64), x, by, 1 << 31).sync()
        assert values()[4:] == [by, 1 << 31]
    for by in (-1, 3, np.int32(2**31 - 1), -(2**31)):  # what NumPy would add to the last but one wraps around
        refused("O239", lambda by=by: shifted(fh.partition(y, 64), x, by, 0).sync())
    bound = shifted.bind(fh.partition(y, 64), x, 2, 0)
    bound.sync()
    refused("O239", lambda: bound.rebind(by=3))
    bound.sync()
    assert stub.stub_launches() == before + 6


def test_streams() -> None:
    y, x = on_gpu(100), on_gpu(100)
    saxpy(fh.partition(y, 64), x, 1.0).on(0x5000)
    assert stub.stub_stream() == 0x5000

    class Foreign:
        """As CuPy's."""

        ptr = 0x6000

    saxpy(fh.partition(y, 64), x, 1.0).on(Foreign()).wait()
    assert stub.stub_stream() == 0x6000
    with pytest.raises(TypeError, match="no CUDA stream"):
        saxpy(fh.partition(y, 64), x, 1.0).on("a stream")


def test_threads() -> None:
    kinds = [(on_gpu(n), on_gpu(n)) for n in (64, 100, 1000, 4096)]
    before = stub.stub_launches()

    def many() -> None:
        for n in range(200):
            y, x = kinds[n % 4]
            saxpy(fh.partition(y, 64), x, float(n)).on()

    # Every thread reads all arrays and writes the same ones, which nothing here runs.
    threads = [threading.Thread(target=many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stub.stub_launches() == before + 800


def test_a_fault_is_named() -> None:
    y, x = on_gpu(100), on_gpu(100)
    saxpy(fh.partition(y, 64), x, 1.0).sync()
    stub.stub_fail(700)
    try:
        refused("O280", lambda: saxpy(fh.partition(y, 64), x, 1.0).sync())
    finally:
        stub.stub_fail(0)
    refused("O253", lambda: saxpy(fh.partition(y, 64), x, 1.0).sync())


def refused(code: str, function: Any) -> None:
    """Calls something that must be refused with one error of this code."""
    with pytest.raises(fh.Rejected) as caught:
        function()
    assert caught.value.codes == (code,), str(caught.value)


if __name__ == "__main__":
    assert driver.architecture(0) == "sm_90"
    # What the stub would read of another kernel's parameters is not there.
    run_tests(globals(), strays=True, before=lambda: passed(""))
