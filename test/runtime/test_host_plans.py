"""Launches on the interpreter of arrays that are elsewhere: what is copied there and back, and who waits for whom."""

# Stand-ins are of no type that checkers know, and what is tested has no public name.
# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownParameterType=false, reportUnknownLambdaType=false

from __future__ import annotations

import ctypes
import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Mut, Out, Ref, f32
from freehold.runtime.jit import kernel as kernels
from freehold.runtime.launch import host
from freehold.runtime.memory.arguments import view
from freehold.runtime.variants.entry import Mismatch


@fh.kernel
def moved(y: Mut["N"], z: Out["N"], x: Ref["N"], a: f32):
    y.store(y.load() + x.load_like(y))
    z.store(a * x.load_like(z))


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is copied and waited for; memory of the host stands for GPU 3's."""
    found: list[Any] = []

    def enqueue(user: Any, reads: Any, writes: Any, work: Any, blame: Any) -> None:
        found.append(("enqueue", reads, writes, blame))
        work()

    def to_host(pointer: int, source: int, size: int, device: int) -> None:
        found.append(("from", device, size))
        ctypes.memmove(pointer, source, size)

    def to_device(target: int, pointer: int, size: int, device: int) -> None:
        found.append(("to", device, size))
        ctypes.memmove(target, pointer, size)

    monkeypatch.setattr(host.ledger, "enqueue", enqueue)
    monkeypatch.setattr(host.driver, "synchronize", lambda device: found.append(("waits for", device)))
    monkeypatch.setattr(host.transfers, "copy_to_host", to_host)
    monkeypatch.setattr(host.transfers, "copy_to_device", to_device)
    return found


class Used(tuple[str, str]):
    """What is read and written."""

    reads, writes = "reads", "writes"


def planned(y: Any, z: Any, x: Any) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]]:
    """The plan, the views and the run-time arguments of a launch in tiles of 4."""
    bound = moved.bound(fh.partition(y, 4), fh.partition(z, 4), x, 2.0)
    made: Any = host.plan(moved.dispatcher.kernel, bound, None)  # type: ignore[arg-type] -- asked where something is wrong
    return made, bound.views, bound.run_time


def arrays() -> tuple[Any, Any, Any]:
    """Two that are written and lie between one another's elements, and one that is read."""
    both = np.arange(20, dtype=np.float32)
    return both[::2], both[1::2], np.arange(10, dtype=np.float32) * 100


def execution(recording: Any = None) -> Any:
    return SimpleNamespace(recording=recording)


@pytest.mark.parametrize("elsewhere", [(), (0,), (1,), (2,), (0, 1), (0, 1, 2)])
def test_what_is_elsewhere_is_copied_there_and_back(elsewhere: tuple[int, ...], said: list[Any]) -> None:
    """What lies between the elements of one array may be another's, and stays as it is."""
    y, z, x = arrays()
    expected = y + x, 2 * x
    made, views, run_time = planned(y, z, x)
    for n in elsewhere:
        views[n].device = 3
    made.run(views, run_time, execution(), Used(("reads", "writes")), "blame")
    assert (y.tolist(), z.tolist()) == tuple(e.tolist() for e in expected)
    waits = [("waits for", 3)] if elsewhere else []
    span = {0: 76, 1: 76, 2: 40}
    there = [("from", 3, span[n]) for n in elsewhere]
    back = [step for n in elsewhere if n != 2 for step in (("from", 3, span[n]), ("to", 3, span[n]))]
    assert said == [*waits, ("enqueue", "reads", "writes", "blame"), *there, *back]


def test_what_a_stand_in_has_computed_is_compared(said: list[Any]) -> None:
    """It is not copied back: the GPU's own code writes."""
    y, z, x = arrays()
    before = y.tolist()
    made, views, run_time = planned(y, z, x)
    compared: list[Any] = []
    made.made = SimpleNamespace(kernel=made.made.kernel, beside=lambda *given: compared.append(given))
    made.run(views, run_time, execution(), Used(("reads", "writes")), None)
    assert compared == []  # on the host there is nothing to compare
    assert y.tolist() != before
    y[:] = before
    views[0].device = views[2].device = 3
    made.run(views, run_time, execution(), Used(("reads", "writes")), None)
    ((given, values, written),) = compared
    assert [*given] == [*views]
    assert values == run_time
    assert [(name, of, array.tolist()) for name, of, array in written] == [
        ("y", views[0], (np.array(before, np.float32) + x).tolist())
    ]
    assert y.tolist() == before


def test_a_graph_on_the_host_does_it_later(said: list[Any]) -> None:
    y, z, x = arrays()
    before = y.tolist()
    made, views, run_time = planned(y, z, x)
    work: list[Any] = []
    recording = SimpleNamespace(uses=lambda *given: said.append(("uses", *given[1:])), host_work=work.append)
    made.run(views, run_time, execution(recording), Used(("reads", "writes")), None)
    assert said == [("uses", "reads", "writes")]
    assert y.tolist() == before
    work[0]()
    assert y.tolist() == (np.array(before, np.float32) + x).tolist()
    same = [*run_time]
    same[1] = same[0]  # at one place
    with pytest.raises(Mismatch):
        made.run(views, tuple(same), execution(recording), Used(("reads", "writes")), None)
    assert len(work) == 1


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint16, np.float32, np.int64])
def test_arrays_are_seen_where_they_are(dtype: Any) -> None:
    array = np.arange(24).reshape(4, 6).astype(dtype)[::2, 1::2]
    found = host.array_of(view(array))
    assert found.dtype == array.dtype
    assert np.array_equal(found, array)
    assert np.shares_memory(found, array)
    assert found.flags.writeable
    array.flags.writeable = False
    assert not host.array_of(view(array)).flags.writeable


def test_what_other_processes_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is neither known nor kept, of a kernel that they find."""
    y, z, x = arrays()
    bound = moved.bound(fh.partition(y, 4), fh.partition(z, 4), x, 2.0)
    own: Any = moved.dispatcher.kernel
    kept: list[bool] = [False]
    monkeypatch.setattr(kernels, "is_kept", lambda *given: kept[0])
    monkeypatch.setattr(kernels.Kernel, "__reduce__", lambda self: (str, ("the kernel",)))
    job = own.job(bound.specialisation, "sm_90")
    assert pickle.loads(pickle.loads(job)) == ("the kernel", bound.specialisation, own.options, "sm_90")
    kept[0] = True
    assert own.job(bound.specialisation, "sm_90") is None
    kept[0] = False
    monkeypatch.setattr(type(own._variants), "known", lambda self, key: "code")
    assert own.job(bound.specialisation, "sm_90") is None
    monkeypatch.undo()

    @fh.kernel
    def inner(y: Out["N"]):
        y.store(fh.zeros(y.tile, f32))

    monkeypatch.setattr(kernels, "is_kept", lambda *given: False)
    of_a_function: Any = inner.dispatcher.kernel
    assert of_a_function.job(inner.bound(fh.partition(y.copy(), 4)).specialisation, "sm_90") is None
