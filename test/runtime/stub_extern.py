"""Foreign kernels on the stub driver: what arrives there, leased, captured, packaged; run by test_stub_driver.py."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportArgumentType=false

from __future__ import annotations

import asyncio
import ctypes
import os
import tempfile
import threading
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from stub import expect, passed, posing, run_tests, the_stub

import freehold as fh
from freehold import Acc, Mut, Out, Raw, Ref, f32, i32
from freehold.runtime.gpu import driver, kernels

stub = the_stub()
PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry saxpy(.param .u64 y, .param .u64 x, .param .f32 a, .param .u32 n) { ret; }
.visible .entry mix(.param .u64 y, .param .u64 x, .param .u32 n) { ret; }
.visible .entry strided(.param .u64 y, .param .u64 m, .param .u32 s, .param .u64 b, .param .u16 k) { ret; }
.visible .entry bound(.param .u64 y, .param .u32 n) .maxntid 128, 1, 1 { ret; }
"""
WHY = "each thread writes the element of its number"


@fh.extern(ptx=PTX, grid=lambda N: fh.cdiv(N, 256), block=256, passes=["y", "x", "a", "N"], unsafe=WHY)
def saxpy(y: Mut[f32, "N"], x: Ref[f32, "N"], a: f32): ...


@fh.kernel
def double(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * 2.0)


def tensor(n: int = 1000) -> Any:
    """Zeros in the driver's memory."""
    return fh.to_device(np.zeros(n, np.float32))


def launched() -> int:
    """How many launches there were."""
    return int(stub.stub_launches())


def shape() -> tuple[int, ...]:
    """The last launch's grid, block, and bytes of dynamic shared memory."""
    found = (ctypes.c_uint * 7)()
    stub.stub_shape(found)
    return tuple(found)


def refused(code: str, function: Any) -> str:
    """Calls something that must be refused with one error of this code; returns what it says."""
    before = launched()
    with pytest.raises(fh.Rejected) as caught:
        function()
    assert caught.value.codes == (code,), str(caught.value)
    assert launched() == before
    return str(caught.value)


# --- Launches ---------------------------------------------------------------------------------------------------------


def test_what_is_passed() -> None:
    y, x = tensor(), tensor()
    for _ in range(3):  # thoroughly, by a plan, and natively
        expect("QQfi")
        assert saxpy(y, x, 2.5).sync() is y
        assert passed("QQfi") == [y.pointer, x.pointer, 2.5, 1000]
        assert shape() == (4, 1, 1, 256, 1, 1, 0)
    z = tensor(1025)
    saxpy(z, tensor(1025), 1.0).on()
    assert passed("QQfi")[3] == 1025
    assert shape() == (5, 1, 1, 256, 1, 1, 0)


def test_arrays_are_whole_and_apart() -> None:
    y, x = tensor(), tensor()
    saxpy(y, x, 1.0).on()
    refused("O201", lambda: saxpy(y, y, 1.0).on())
    refused("O201", lambda: saxpy(y[:500], y[499:999], 1.0).on())
    refused("O230", lambda: saxpy(y, x[:999], 1.0).on())
    refused("O213", lambda: saxpy(y, fh.to_device(np.zeros(1000, np.int32)), 1.0).on())
    refused("O297", lambda: saxpy(fh.partition(y, 64), x, 1.0).on())
    refused("O298", lambda: saxpy(y[::2], x[:500], 1.0).on())
    refused("O210", lambda: saxpy(y, x))
    saxpy(y[:500], y[500:], 1.0).on()


def test_leases_and_order() -> None:
    y, x = tensor(), tensor()
    first, second = driver.new_stream(0), driver.new_stream(0)
    waits = stub.stub_waits()
    saxpy(y, x, 1.0).on(first)
    saxpy(tensor(), x, 1.0).on(second)  # both read it
    assert stub.stub_waits() == waits
    double(fh.partition(tensor(), 64), y).on(second)  # reads what the foreign kernel writes
    assert stub.stub_waits() == waits + 1
    moved = y.move()
    refused("O250", lambda: saxpy(y, x, 1.0).on())
    saxpy(moved, x, 1.0).sync()


def test_it_is_kept_alive_and_its_memory_is_not_given_back_too_early() -> None:
    stray = stub.stub_stray()
    for _ in range(20):
        y, x = tensor(), tensor()
        flight = saxpy(y, x, 1.0).on(driver.new_stream(0))
        del y, x
        flight.wait()
    assert stub.stub_stray() == stray


@fh.extern(ptx=PTX, grid=1, block=32, passes=["y", "x", "n"], unsafe=WHY)
def mix(y: Mut[i32, "N"], x: Ref[i32, "N"], n: i32): ...


def test_order_is_that_of_the_leases_whatever_the_streams_do() -> None:
    """The kernel `mix` is done on the host by the stub: in the wrong order, its result is another."""
    found: list[bytes] = []
    for deferred in (0, 1, 2, 3):
        x, y = (fh.to_device(np.arange(64, dtype=np.int32) + n) for n in range(2))
        stub.stub_defer(deferred)
        streams = [driver.new_stream(0) for _ in range(3)]
        for n in range(12):
            a, b = ((x, y), (y, x))[n % 2]
            mix(a, b, 64).on(streams[n % 3])
        found.append(fh.to_numpy(x).tobytes() + fh.to_numpy(y).tobytes())
        stub.stub_defer(0)
    assert len(set(found)) == 1


def test_it_is_awaited() -> None:
    y, x = tensor(), tensor()

    async def work() -> Any:
        return await saxpy(y, x, 1.0).then(lambda t: saxpy(t, x, 2.0))

    assert asyncio.run(work()) is y


def test_it_is_captured() -> None:
    y, x = tensor(), tensor()
    before = launched()
    with fh.graph() as g:
        g.record(saxpy(y, x, 1.0))
        g.record(double(fh.partition(x, 64), y))
    captured = launched()
    g.replay().sync()
    g.replay().sync()
    assert captured - before == 2
    moved = y.move()
    refused("O250", lambda: g.replay().sync())
    del moved


def test_it_is_bound() -> None:
    y, x = tensor(), tensor()
    bound = saxpy.bind(y, x, 2.5)
    expect("QQfi")
    bound.on()
    assert passed("QQfi") == [y.pointer, x.pointer, 2.5, 1000]
    assert shape() == (4, 1, 1, 256, 1, 1, 0)
    bound.rebind(a=1.5).on()
    assert passed("QQfi")[2] == 1.5
    refused("O201", lambda: bound.rebind(x=y))


def test_in_threads() -> None:
    y, x = tensor(), tensor()
    saxpy(y, x, 1.0).sync()
    before = launched()

    def many() -> None:
        for _ in range(200):
            saxpy(y, x, 1.0).on()

    threads = [threading.Thread(target=many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert launched() == before + 800


def test_torch_tensors() -> None:
    torch = posing()
    y, x = torch.zeros(1000), torch.zeros(1000)
    expect("QQfi")
    for _ in range(3):
        version = y._version
        saxpy(y, x, 1.0).on()
        assert y._version > version
    assert passed("QQfi") == [y.data_ptr(), x.data_ptr(), 1.0, 1000]
    refused("O298", lambda: saxpy(y[::2], x[:500], 1.0).on())


# --- Geometry and parameters ------------------------------------------------------------------------------------------


def test_numbers_of_a_launch() -> None:
    y = tensor(64)
    signature = {"y": Mut[f32, "M"], "k": fh.i16}
    cases: list[tuple[dict[str, Any], tuple[int, ...]]] = [
        ({"grid": 3, "block": (2, 3, 4), "shared": 100}, (3, 1, 1, 2, 3, 4, 100)),
        ({"grid": (1, 2, 3), "block": 5}, (1, 2, 3, 5, 1, 1, 0)),
        ({"grid": "M // 8", "block": "min(M, 32)", "shared": "M * 4"}, (8, 1, 1, 32, 1, 1, 256)),
        ({"grid": lambda k: (k, 2), "block": lambda y: y.shape[0]}, (7, 2, 1, 64, 1, 1, 0)),
        ({"grid": 1, "block": 64, "shared": 100_000}, (1, 1, 1, 64, 1, 1, 100_000)),
    ]
    for given, wanted in cases:
        passes: list[Any] = ["y", ("M", fh.i64), "y.strides[0]", ("y.byte_strides[0]", fh.u64), "k"]
        made = fh.extern(ptx=PTX, entry="strided", signature=signature, passes=passes, unsafe=WHY, **given)
        for _ in range(3):
            expect("QqiQh")
            made(y, 7).on()
            assert shape() == wanted
            assert passed("QqiQh") == [y.pointer, 64, 1, 4, 7]
        made(y[::2], 7).on()
        assert passed("QqiQh") == [y.pointer, 32, 2, 8, 7]


def test_strides_of_some_axes() -> None:
    """Where the code is told the rows' stride, columns have to be contiguous, and rows may lie apart."""
    y = fh.to_device(np.zeros((8, 16), np.float32))
    made = fh.extern(
        ptx=PTX, entry="strided", signature={"y": Mut[f32, "M", "N"], "k": fh.i16}, grid=1, block=32, unsafe=WHY,
        passes=["y", ("M", fh.i64), "y.strides[0]", ("y.byte_strides[0]", fh.u64), "k"],
    )  # fmt: skip
    for _ in range(3):
        expect("QqiQh")
        made(y[:, :5], 7).on()
        assert passed("QqiQh") == [y.pointer, 8, 16, 64, 7]
    text = refused("O298", lambda: made(y[:, ::2], 7).on())
    assert "is not told that of axis 1" in text
    assert '"y.strides[1]"' in text


def test_shared_memory_that_has_to_be_allowed() -> None:
    asked: list[int] = []
    set_attribute = driver.api().cuKernelSetAttribute
    try:
        driver.api().cuKernelSetAttribute = lambda which, value, *rest: asked.append(value) or (0,)
        made = fh.extern(
            ptx=PTX, entry="bound", signature={"y": Mut[f32, "N"], "n": i32}, grid=1, block=64, shared="n", unsafe=WHY
        )
        for size in (1000, 60_000, 50_000, 70_000, 60_000):
            made(tensor(), size).on()
            assert shape()[6] == size
    finally:
        driver.api().cuKernelSetAttribute = set_attribute
    assert asked == [60_000, 70_000]


def test_shapes_that_no_gpu_takes() -> None:
    y = tensor(4096)
    signature = {"y": Mut[f32, "N"], "n": i32}

    def made(**given: Any) -> Any:
        return fh.extern(ptx=PTX, entry="bound", signature=signature, unsafe=WHY, **{"grid": 1, "block": 32, **given})

    for wrong in ({"grid": (1, 65536)}, {"grid": "n"}, {"block": (1, 1, 65)}, {"shared": "n - 1"}, {"grid": "N // n"}):
        text = refused("O285", lambda wrong=wrong: made(**wrong)(y, 0).on())
        assert "may be" in text
    assert "1152" in refused("O285", lambda: made(block=(32, 36))(y, 1).on())
    assert "multiple" in refused("O285", lambda: made(grid=3, cluster=2)(y, 1).on())
    assert "232448" in refused("O285", lambda: made(shared="N * N")(y, 1).on())
    text = refused("O285", lambda: made(passes=["y", ("N * N * N", i32)])(y, 1).on())
    assert "what i32 holds" in text
    assert "up to 128" in refused("O285", lambda: made(block=129)(y, 1).on())  # the code says so
    launch = made(grid="n")
    launch(y, 5).on()
    refused("O285", lambda: launch(y, 0).on())  # where the plan is known, too
    launch(y, 6).on()
    assert shape()[0] == 6


def test_clusters() -> None:
    config = kernels.launch_config(0, 0, (4, 2, 1, 32, 1, 1, 2, 1, 1, 16))
    assert config.numAttrs == 1
    y = tensor()
    made = fh.extern(
        ptx=PTX, entry="bound", signature={"y": Mut[f32, "N"], "n": i32}, grid=4, block=32, cluster=2, unsafe=WHY
    )
    for _ in range(3):
        made(y, 1).on()
        assert shape() == (4, 1, 1, 32, 1, 1, 0)
    made.bind(y, 1).on()


def test_what_the_code_says_of_its_parameters() -> None:
    y, x = tensor(), tensor()
    signature = {"y": Mut[f32, "N"], "x": Ref[f32, "N"], "a": f32}
    few = fh.extern(ptx=PTX, entry="saxpy", signature=signature, grid=1, block=32, unsafe=WHY)
    assert "4 parameters of 8, 8, 4, 4 bytes" in refused("O283", lambda: few(y, x, 1.0).on())
    passes: list[Any] = ["y", "x", "a", ("N", fh.i64)]
    wide = fh.extern(ptx=PTX, entry="saxpy", signature=signature, passes=passes, grid=1, block=32, unsafe=WHY)
    assert "`N` (i64)" in refused("O283", lambda: wide(y, x, 1.0).on())
    none = fh.extern(ptx=PTX, entry="saxpi", signature=signature, grid=1, block=32, unsafe=WHY)
    assert 'entry="saxpy"' in refused("O282", lambda: none(y, x, 1.0).on())


def test_modes() -> None:
    """What is updated, and what is anything, is a borrow of its own as what is written."""
    for mode in (Mut, Out, Acc, Raw):
        made = fh.extern(
            ptx=PTX, entry="mix", signature={"y": mode[f32, "N"], "x": Ref[f32, "N"], "n": i32},
            grid=1, block=32, unsafe=WHY,
        )  # fmt: skip
        y, x = tensor(8), tensor(8)
        assert made(y, x, 8).sync() is y
        refused("O201", lambda made=made, y=y: made(y, y, 8).on())
    read = fh.extern(
        ptx=PTX, entry="mix", signature={"y": Ref[f32, "N"], "x": Ref[f32, "N"], "n": i32},
        grid=1, block=32, unsafe=WHY,
    )  # fmt: skip
    assert read(y, y, 8).sync() == ()


# --- Checked mode, packages -------------------------------------------------------------------------------------------


def test_results_are_held_to_the_stand_in() -> None:
    made = fh.extern(
        ptx=PTX, entry="mix", signature={"y": Mut[i32, "N"], "x": Ref[i32, "N"], "n": i32}, grid=1, block=32, unsafe=WHY
    )
    y, x = (fh.to_device(np.arange(64, dtype=np.int32) + n) for n in range(2))
    before = fh.to_numpy(y).copy(), fh.to_numpy(x).copy()
    made(y, x, 64).sync()
    right = fh.to_numpy(y).copy()

    @made.reference
    def stand_in(y: Any, x: Any, n: int) -> None:
        assert (x == before[1]).all()
        assert not x.flags.writeable
        y[...] = right

    y.copy_from(before[0]).sync()
    launches = launched()
    with fh.interpreting("checked"):
        made(y, x, 64).sync()
    assert launched() == launches + 1
    assert (fh.to_numpy(y) == right).all()

    @made.reference(tolerance=1e-6)
    def wrong(y: Any, x: Any, n: int) -> None:
        y[...] = right
        y[3] += 1

    y.copy_from(before[0]).sync()
    with fh.interpreting("checked"), pytest.raises(fh.Rejected) as caught:
        made(y, x, 64).sync()
    assert caught.value.codes == ("O296",)
    assert "`y[3]`" in str(caught.value)
    with fh.interpreting():  # the stand-in alone
        launches = launched()
        made(y, x, 64).sync()
        assert launched() == launches
        assert fh.to_numpy(y)[3] == right[3] + 1


def test_packages() -> None:
    y, x = tensor(), tensor()
    with tempfile.TemporaryDirectory() as folder:
        path = fh.build([saxpy(y, x, 1.0)], archs=["sm_90"], path=Path(folder, "kernels"))
        for strict in (False, True):
            loaded = fh.load(path, strict=strict).saxpy
            assert loaded.promises == (WHY,)
            for _ in range(3):
                expect("QQfi")
                loaded(y, x, 2.0).sync()
                assert passed("QQfi") == [y.pointer, x.pointer, 2.0, 1000]
                assert shape() == (4, 1, 1, 256, 1, 1, 0)
            refused("O298", lambda loaded=loaded: loaded(y[::2], x[:500], 1.0).on())
            refused("O297", lambda loaded=loaded: loaded(fh.partition(y, 64), x, 1.0).on())
            h = np.zeros(1000, np.float32)
            refused("O284", lambda loaded=loaded, h=h: loaded(h, h.copy(), 1.0).on())
        refused("O295", lambda: fh.load(path, deny_unsafe=True))


def test_denied_by_the_environment() -> None:
    made = fh.extern(
        ptx=PTX, entry="mix", signature={"y": Mut[f32, "N"], "x": Ref[f32, "N"], "n": i32}, grid=1, block=32, unsafe=WHY
    )
    os.environ["FREEHOLD_DENY_UNSAFE"] = "1"
    try:
        assert WHY in refused("O295", lambda: made(tensor(), tensor(), 8).on())
    finally:
        del os.environ["FREEHOLD_DENY_UNSAFE"]
    made(tensor(), tensor(), 8).on()


def test_a_torch_operator() -> None:
    torch = posing()
    operator = saxpy.as_torch_op("freehold_stub::saxpy", {})
    y, x = torch.zeros(1000), torch.zeros(1000)
    before = launched()
    operator(y, x, 2.0)
    assert launched() == before + 1


def test_tile_ir_is_audited_before_it_is_launched() -> None:
    if find_spec("cuda.tile") is None:
        pytest.skip("no cuTile Python")
    from foreign_tiles import add, signature

    y, x, z = (tensor(1000) for _ in range(3))
    made = fh.extern(add, signature=signature, grid=lambda N, B: fh.cdiv(N, B))
    for _ in range(3):
        expect("QiiQiiQii")
        assert made(z, x, y, 64).sync() is z
        assert shape() == (16, 1, 1, 1, 1, 1, 0)
        assert passed("QiiQiiQii") == [z.pointer, 1000, 1, x.pointer, 1000, 1, y.pointer, 1000, 1]
    twice = fh.extern(add, signature=signature, grid=lambda N, B: (fh.cdiv(N, B), 2))
    assert "(0, 1, 0)" in refused("O287", lambda: twice(z, x, y, 64).on())
    few = fh.extern(add, signature=signature, grid=1)
    assert few(z, x, y, 64).sync() is z  # it writes a part, which is apart


PROGRAM = """
import sys
import numpy as np
import cuda.tile as ct
import freehold as fh

@ct.kernel
def gathered(x, rows, y, B: ct.Constant[int]):
    i = ct.bid(0)
    at = ct.load(rows, (i,), (B,))
    ct.scatter(y, at, ct.gather(x, at))

rows = np.arange(64, dtype=np.int32)[::-1].copy()
if sys.argv[1] == "wrong":
    rows[40] = rows[3]
x, y = (fh.to_device(np.zeros(64, np.float32)) for _ in range(2))
for _ in range(3):
    ct.launch(0, (4,), gathered, (x, fh.to_device(rows), y, 16))
"""


def test_a_program_s_launches_are_audited_with_what_its_arrays_hold_and_go_to_the_gpu() -> None:
    if find_spec("cuda.tile") is None:
        pytest.skip("no cuTile Python")
    from freehold.tools.audit_record import run_program

    tile: Any = import_module("cuda.tile")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program.py")
        program.write_text(PROGRAM)
        for word, verdict in (("right", "safe"), ("wrong", "faulty")):
            launches: list[Any] = []
            with mock.patch.object(tile, "launch", lambda *given, to=launches: to.append(given)):
                found = run_program(["python3", str(program), word])
            assert (found.failed, found.missed) == (None, [])
            assert [each.verdict for each in found.audits] == [verdict]
            assert len(launches) == 3


if __name__ == "__main__":
    run_tests(globals(), before=lambda: expect(""))
