"""Launches again and again, of packages and from torch, on the stub driver; run by test_stub_driver.py."""

from __future__ import annotations

import sys
import tempfile
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from counting import steps
from stub import expect, passed, posing, run_tests, the_stub

import freehold as fh
from freehold import Mut, Out, Ref, f32
from freehold.runtime.base import native
from freehold.runtime.gpu import driver
from freehold.runtime.launch import launcher
from freehold.runtime.launch.launch import reads_nothing

stub = the_stub()


@fh.kernel
def saxpy(y: Mut["N"], x: Ref["N"], a: f32):
    y.store(a * x.load_like(y) + y.load())


@fh.kernel
def add(z: Out["N"], x: Ref["N"], y: Ref["N"]):
    z.store(x.load_like(z) + y.load_like(z))


def launched() -> int:
    """How many launches there were."""
    return int(stub.stub_launches())


def refused(code: str, function: Any) -> str:
    """Calls something that must be refused with one error of this code; returns what it says."""
    before = launched()
    with pytest.raises(fh.Rejected) as caught:
        function()
    assert caught.value.codes == (code,), str(caught.value)
    assert launched() == before
    return str(caught.value)


def tensor(n: int = 1000) -> Any:
    """Zeros in the driver's memory."""
    return fh.to_device(np.zeros(n, np.float32))


# --- Bound launches ---------------------------------------------------------------------------------------------------


def test_a_bound_launch_passes_what_was_bound() -> None:
    y, x, z = tensor(), tensor(), tensor()
    expect("QQif")
    bound = saxpy.bind(fh.partition(y, 64), x, 2.5)
    before = launched()
    assert bound.sync() is y
    assert bound.on().wait() is y
    assert launched() == before + 2
    assert passed("QQif") == [y.pointer, x.pointer, 1000, 2.5]
    bound.rebind(x=z, a=1.5).on()
    assert passed("QQif") == [y.pointer, z.pointer, 1000, 1.5]
    bound.on(0x5000)
    assert stub.stub_stream() == 0x5000
    refused("O201", lambda: bound.rebind(x=y))
    bound().sync()
    assert passed("QQif") == [y.pointer, z.pointer, 1000, 1.5]


def test_a_bound_launch_takes_leases() -> None:
    y, x = tensor(), tensor()
    bound = saxpy.bind(fh.partition(y, 64), x, 2.5)
    moved = y.move()
    refused("O250", bound.on)
    bound.rebind(y=moved).on()


def test_a_bound_launch_in_threads() -> None:
    y, x = tensor(), tensor()
    bound = saxpy.bind(fh.partition(y, 64), x, 2.5)
    expect("QQif")
    before = launched()

    def many() -> None:
        for _ in range(200):
            bound.on()

    threads = [threading.Thread(target=many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert launched() == before + 800
    assert passed("QQif") == [y.pointer, x.pointer, 1000, 2.5]


# --- Torch ------------------------------------------------------------------------------------------------------------


def test_torch_without_looking_thoroughly() -> None:
    torch = posing()
    assert native.module() is None or launcher._reads_torch()  # pyright: ignore[reportPrivateUsage] -- of its module
    z, x, y = (torch.zeros(1000) for _ in range(3))
    expect("QQQi")
    binding: Any = sys.modules["freehold.runtime.launch.binding"]
    bind = binding.bind
    for _ in range(3):
        add(fh.partition(z, 64), x, y).on()
    try:
        binding.bind = None  # must not be called
        for first, second in ((x, y), (y, x), (torch.zeros(1000), torch.zeros(1000))):
            add(fh.partition(z, 64), first, second).on()
            assert passed("QQQi") == [z.data_ptr(), first.data_ptr(), second.data_ptr(), 1000]
    finally:
        binding.bind = bind


def test_every_short_way_changes_versions_of_torch() -> None:
    """As torch's own operations do, so that autograd sees it (`runtime.memory.versions`)."""
    torch = posing()
    z, x, y, ours = torch.zeros(1000), torch.zeros(1000), torch.zeros(1000), tensor()
    bound = add.bind(fh.partition(z, 64), x, y)

    def changes(run: Any) -> bool:
        before = z._version, x._version, y._version
        run()
        assert (x._version, y._version) == before[1:], "they are only read"
        return z._version == before[0] + 1

    for _ in range(5):  # the thorough way, then by a key, by a guard, in native code
        assert changes(lambda: add(fh.partition(z, 64), x, y).on())
        assert changes(lambda: add(fh.partition(z, 64), x, y).sync())
        assert changes(lambda: add(fh.partition(z, 64), x, ours).on())
        assert changes(lambda: add(fh.partition(z, 64), x, y).on(0x5000))
        assert changes(bound.on)
        assert changes(bound.sync)
    with fh.graph() as recorded:
        recorded.record(add(fh.partition(z, 64), x, y))
    for _ in range(2):
        assert changes(lambda: recorded.replay().on())


def test_tensors_of_inference_have_no_version() -> None:
    """Nothing is told of them, inside of inference mode and outside of it."""
    torch = posing()
    with torch.inference_mode():
        z, x, y = (torch.zeros(1000) for _ in range(3))
        bound = add.bind(fh.partition(z, 64), x, y)
        for _ in range(3):
            add(fh.partition(z, 64), x, y).on()
            bound.on()
    before = launched()
    for run in (lambda: add(fh.partition(z, 64), x, y).on(), lambda: add(fh.partition(z, 64), x, y).sync(), bound.on):
        run()
    assert launched() == before + 3


def test_libraries_are_mixed_without_looking_thoroughly() -> None:
    torch = posing()
    theirs, other, ours = torch.zeros(1000), torch.zeros(1000), tensor()
    expect("QQQi")
    binding: Any = sys.modules["freehold.runtime.launch.binding"]
    bind = binding.bind
    for _ in range(3):
        add(fh.partition(theirs, 64), ours, other).on()
        add(fh.partition(ours, 64), theirs, other).on()
    try:
        binding.bind = None  # must not be called
        for again in (tensor(), tensor()):
            add(fh.partition(theirs, 64), again, other).on()
            assert passed("QQQi") == [theirs.data_ptr(), again.pointer, other.data_ptr(), 1000]
            add(fh.partition(again, 64), theirs, other).sync()
            assert passed("QQQi") == [again.pointer, theirs.data_ptr(), other.data_ptr(), 1000]
    finally:
        binding.bind = bind
    short = tensor(999)
    refused("O230", lambda: add(fh.partition(theirs, 64), short, other).on())
    with ours.borrow_mut():
        refused("O251", lambda: add(fh.partition(theirs, 64), ours, other).on())
    add(fh.partition(theirs, 64), ours, other).on()


def test_mixed_launches_are_in_order_with_other_streams() -> None:
    torch = posing()
    theirs, ours, made = torch.zeros(1000), tensor(), tensor()
    for _ in range(4):  # the first time thoroughly, then by key
        add(fh.partition(ours, 64), made, made).on(driver.new_stream(0))
        waits = stub.stub_waits()
        add(fh.partition(made, 64), ours, theirs).on()
        assert stub.stub_waits() > waits


def test_what_looks_different_is_told_apart() -> None:
    torch = posing()
    z, x, y = (torch.zeros(64) for _ in range(3))
    expect("QQQi")
    watched = torch.zeros(64, requires_grad=True)
    rounds: list[Any] = []
    for _ in range(3):  # the first time thoroughly, then by key, then by guards
        rounds = []
        for n in (64, 48, 32, 16, 8, 4):
            add(fh.partition(z[:n], 16), x[:n], y[:n]).on()
            rounds.append(passed("QQQi")[3])
        add(fh.partition(z, 32), x, y).on()
        refused("O230", lambda: add(fh.partition(z, 16), x[:32], y).sync())
        refused("O201", lambda: add(fh.partition(z, 16), z, y).sync())
        refused("O201", lambda: add(fh.partition(z[:32], 16), x[:32], z[16:48]).sync())
        refused("O206", lambda: add(fh.partition(watched, 16), x, y).sync())
        with torch.no_grad():
            add(fh.partition(watched, 16), x, y).on()
        add(fh.partition(z, 16), watched, y).on()
        refused("O211", lambda: add(fh.partition(z, 16), torch._neg_view(x), y).sync())
        before = launched()
        add(fh.partition(z, 16), torch.nn.Parameter(x), y).on()
        add(fh.partition(z[1:33], 16), x[2:34], y[3:35]).on()
        add(fh.partition(torch.zeros(64, 2)[:, 0], 16), x, y).on()
        assert launched() == before + 3
    assert rounds == [64, 48, 32, 16, 8, 4]


def test_without_a_launcher_plans_are_found_by_looks() -> None:
    torch = posing()
    kernel = add.with_hints(occupancy=2)
    z, x, y = (torch.zeros(64) for _ in range(3))
    expect("QQQi")
    kernel(fh.partition(z, 16), x, y).on()
    dispatcher: Any = cast(Any, kernel)._dispatcher
    dispatcher.read = reads_nothing
    for n in (64, 32, 64, 32):
        kernel(fh.partition(z[:n], 16), x[:n], y[:n]).on()
        assert passed("QQQi") == [z.data_ptr(), x.data_ptr(), y.data_ptr(), n]
    binding: Any = sys.modules["freehold.runtime.launch.binding"]
    bind = binding.bind
    try:
        binding.bind = None  # must not be called
        kernel(fh.partition(z, 16), y, x).on()
        assert passed("QQQi") == [z.data_ptr(), y.data_ptr(), x.data_ptr(), 64]
    finally:
        binding.bind = bind


def test_a_bound_launch_from_torch() -> None:
    torch = posing()
    z, x, y = (torch.zeros(1000) for _ in range(3))
    expect("QQQi")
    bound = add.bind(fh.partition(z, 64), x, y)
    assert bound.on().wait() is z
    assert passed("QQQi") == [z.data_ptr(), x.data_ptr(), y.data_ptr(), 1000]
    x.set_(torch.zeros(1000))
    text = refused("O275", bound.on)
    assert "`x` of this bound launch of `add` has changed since it was bound" in text
    bound.rebind(x=x).on()
    assert passed("QQQi")[1] == x.data_ptr()
    storage = z.untyped_storage()
    z.resize_(8)  # where it is
    refused("O275", bound.on)
    refused("O275", bound.sync)
    z.resize_(1000)
    bound.on()
    storage.resize_(0)
    assert "its storage, which was resized, has 0" in refused("O275", bound.on)
    storage.resize_(4000)
    bound.rebind(z=z).on()
    storage.resize_(3999)
    refused("O211", lambda: add(fh.partition(z, 64), x, y).on())
    storage.resize_(4000)
    mixed = add.bind(fh.partition(z, 64), tensor(), y)  # of two libraries
    before = launched()
    mixed.sync()
    mixed.on()
    assert launched() == before + 2


def test_what_a_launch_costs() -> None:
    """In steps of Python, with generous limits: so that a short way that is not taken shows."""
    y, x = tensor(), tensor()
    arrays: Any = (y, x)
    if find_spec("torch") is not None:
        arrays = tuple(posing().zeros(1000) for _ in range(2))
    bound = saxpy.bind(fh.partition(arrays[0], 64), arrays[1], 2.0)

    def again() -> None:
        for _ in range(100):
            bound.on()

    def full() -> None:
        for _ in range(100):
            saxpy(fh.partition(arrays[0], 64), arrays[1], 2.0).on()

    again()
    full()
    found = steps(again) / 100, steps(full) / 100
    assert found[0] < (40 if native.module() else 1000), found
    assert found[1] < (90 if native.module() else 1000), found


# --- Packages ---------------------------------------------------------------------------------------------------------


def test_a_package_is_launched() -> None:
    y, x = tensor(), tensor()
    expect("QQif")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernels")
        fh.build([saxpy(fh.partition(y, 64), x, 1.0)], ["sm_90"], path)
        fh.build([saxpy(fh.partition(y, 64), x, 1.0)], ["sm_100"], Path(folder, "others"))
        kernels = fh.load(path, strict=True)
        for n in (1000, 999):
            z = tensor(n)
            kernels.saxpy(fh.partition(z, 64), tensor(n), 2.5).sync()
            assert passed("QQif")[0::2] == [z.pointer, n]
        bound = kernels.saxpy.bind(fh.partition(y, 64), x, 3.0)
        bound.sync()
        assert passed("QQif") == [y.pointer, x.pointer, 1000, 3.0]
        others = fh.load(Path(folder, "others"), strict=True)
        text = refused("O271", others.saxpy(fh.partition(y, 64), x, 1.0).sync)
        assert "no code of `saxpy` for sm_90" in text


# --- The interpreter in the GPU's place -------------------------------------------------------------------------------


def test_a_block_runs_what_is_on_the_gpu_on_the_interpreter() -> None:
    """Quick ways that were made before the first block, and those that are made later, look for it."""
    expect("QQif")
    y, x = tensor(), tensor()
    early = saxpy.bind(fh.partition(y, 64), x, 2.0)
    early.on().wait()
    saxpy(fh.partition(y, 64), x, 2.0).on().wait()
    before = launched()
    x.copy_from(np.arange(1000, dtype=np.float32)).sync()
    y.copy_from(np.ones(1000, np.float32)).sync()
    with fh.interpreting():
        saxpy(fh.partition(y, 64), x, 2.0).sync()
        saxpy(fh.partition(y, 64), x, 2.0).on().wait()
        early.sync()
        early.on().wait()
        within = saxpy.bind(fh.partition(y, 64), x, 2.0)
        within.sync()
    assert launched() == before
    assert np.array_equal(fh.to_numpy(y), np.arange(1000, dtype=np.float32) * 10 + 1)
    late = saxpy.bind(fh.partition(y, 64), x, 2.0)
    for n in range(3):
        saxpy(fh.partition(y, 64), x, 2.0).on().wait()
        early.on().wait()
        late.sync()
        within.sync()
        assert launched() == before + 4 * (n + 1)
    with fh.interpreting("checked"):
        saxpy(fh.partition(y, 64), x, 1.0).sync()
        late.on().wait()
    assert launched() == before + 12
    assert np.array_equal(fh.to_numpy(y), np.arange(1000, dtype=np.float32) * 13 + 1)


def test_a_block_holds_for_torch_too() -> None:
    torch = posing()
    z, x, y = (torch.zeros(1000) for _ in range(3))
    expect("QQQi")
    bound = add.bind(fh.partition(z, 64), x, y)
    bound.on()
    add(fh.partition(z, 64), x, y).on()
    before = launched()
    waited: list[int] = []
    synchronize = driver.synchronize

    def noted(device: int) -> None:
        waited.append(device)
        synchronize(device)

    with fh.interpreting(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver, "synchronize", noted)
        bound.on()
        assert waited == [0]  # for what torch may have on any stream
        add(fh.partition(z, 64), x, y).on()
        add(fh.partition(z, 64), x, y).sync()
    assert launched() == before
    for n in range(4):
        bound.on()
        add(fh.partition(z, 64), x, y).on()
        assert launched() == before + 2 * (n + 1)


def test_the_stub_is_there() -> None:
    assert fh.gpu_available()
    assert driver.architecture(0) == "sm_90"


if __name__ == "__main__":
    # What the stub would read of another kernel's parameters is not there.
    run_tests(globals(), strays=True, before=lambda: expect(""))
