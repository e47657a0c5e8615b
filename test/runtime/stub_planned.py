"""Functions that do again what they did (`freehold.planned`), on the stub driver; run by test_stub_driver.py."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import stub as stub_of_torch
from counting import steps
from stub import launches_of, posing, run_tests, the_stub, told

import freehold as fh
from freehold import Mut, Out, Ref, f32
from freehold.runtime.base import native
from freehold.runtime.gpu import driver

stub = the_stub()
torch = posing()


@fh.kernel
def scale(y: Out["M", "N"], x: Ref["M", "N"], a: f32):
    y.store(a * x.load_like(y))


@fh.kernel
def add(z: Out["N"], x: Ref["N"], y: Ref["N"]):
    z.store(x.load_like(z) + y.load_like(z))


@fh.kernel
def accumulate(y: Mut["N"], x: Ref["N"]):
    y.store(y.load() + x.load_like(y))


class Counted:
    """A function and how often Python ran it."""

    def __init__(self, function: Callable[..., Any], *settings: Callable[[], Any]):
        self.times = 0

        def counted(*arguments: Any) -> Any:
            self.times += 1
            return function(*arguments)

        self.call = fh.planned(counted, *settings)


def added(x: Any, y: Any) -> Any:
    z = torch.empty_like(x)
    add(fh.partition(z, 64), x, y).on()
    return z


def scaled(x: Any, a: float) -> Any:
    """Of a part of what it gets, with a sum before it."""
    half = x.reshape(-1, 64)[1:]
    total = x.new_empty(half.shape)
    scale(fh.partition(total, (4, 64)), half, 1.0).on()
    y = x.new_empty(half.shape)
    scale(fh.partition(y, (4, 64)), total, a).on()
    return y, total


def learnt(function: Counted, *arguments: Any) -> int:
    """Calls it until Python need not run it for such arguments; returns how often it did, which is then reset."""
    for _ in range(3):
        function.call(*arguments)
    found, function.times = function.times, 0
    return found


def without_python(function: Counted, *arguments: Any) -> bool:
    """Whether a call does not run the function."""
    function.times = 0
    function.call(*arguments)
    return function.times == (0 if native.module() is not None else 1)


def test_a_call_is_done_as_one_before() -> None:
    f = Counted(added)
    x, y = torch.zeros(1000), torch.zeros(1000)
    learnt(f, x, y)
    assert without_python(f, x, y)
    for first, second in ((x, y), (y, x), (torch.zeros(1000), x), (x, x)):
        before = stub.stub_launches()
        parameters, z = told("QQQi", lambda first=first, second=second: f.call(first, second))
        assert stub.stub_launches() == before + 1
        assert z.shape == (1000,)
        assert z.data_ptr() not in (first.data_ptr(), second.data_ptr())
        assert parameters == [z.data_ptr(), first.data_ptr(), second.data_ptr(), 1000]


def test_one_tensor_for_two_arguments_is_two_later() -> None:
    f = Counted(added)
    x, y = torch.zeros(1000), torch.zeros(1000)
    learnt(f, x, x)
    assert without_python(f, x, y)
    parameters, z = told("QQQi", lambda: f.call(x, y))
    assert parameters == [z.data_ptr(), x.data_ptr(), y.data_ptr(), 1000]


def test_parts_and_what_is_made_on_the_way() -> None:
    f = Counted(scaled)
    learnt(f, torch.zeros(1024), 2.0)
    x = torch.zeros(1024)
    assert without_python(f, x, 2.0)
    assert launches_of(lambda: f.call(x, 2.0)) == 2
    parameters, (y, total) = told("QQiiiif", lambda: f.call(x, 2.0))
    assert (y.shape, total.shape) == ((15, 64), (15, 64))
    assert parameters == [y.data_ptr(), total.data_ptr(), 15, 64, 64, 64, 2.0]

    def second(x: Any) -> Any:
        return scaled(x, 1.0)[1]

    one = Counted(second)
    learnt(one, x)
    assert without_python(one, x)  # what is not returned is made nevertheless


def test_a_part_of_what_is_given() -> None:
    def of_a_part(x: Any) -> Any:
        y = x.new_empty((2, 64))
        scale(fh.partition(y, (2, 64)), x.view(-1, 64)[3:5], 1.0).on()
        return y

    f = Counted(of_a_part)
    learnt(f, torch.zeros(1024))
    x = torch.zeros(1024)
    assert without_python(f, x)
    parameters, y = told("QQiiiif", lambda: f.call(x))
    assert parameters[:2] == [y.data_ptr(), x.data_ptr() + 3 * 64 * 4]


def test_what_looks_otherwise_is_another_call() -> None:
    f = Counted(added)
    x = torch.zeros(1000)
    learnt(f, x, x)
    others: list[tuple[Any, ...]] = [
        (torch.zeros(1001), torch.zeros(1001)),
        (torch.zeros(1000, dtype=torch.float64), torch.zeros(1000, dtype=torch.float64)),
        (torch.zeros(2000)[::2], torch.zeros(1000)),
        (torch.zeros(1001)[1:], torch.zeros(1000)),
    ]
    for other in others:
        f.times = 0
        assert launches_of(lambda other=other: f.call(*other)) == 1
        assert f.times == 1, other
    g = Counted(scaled)
    learnt(g, torch.zeros(1024), 2.0)
    for a in (3.0, 2, -0.0, 0.0):
        g.times = 0
        g.call(torch.zeros(1024), a)
        assert g.times == 1
    parameters, _ = told("QQiiiif", lambda: g.call(torch.zeros(1024), 3.0))
    assert parameters[6] == 3.0


def test_what_else_it_does_is_done_each_time() -> None:
    x = torch.zeros(64)

    def draws(x: Any) -> Any:
        return added(x, torch.rand_like(x))

    def looks(x: Any) -> Any:
        return added(x, x) if x[0].item() == 0 else None

    def chooses(x: Any) -> Any:
        return added(x, x), x[x > 0]

    def waits(x: Any) -> Any:
        z = torch.empty_like(x)
        add(fh.partition(z, 64), x, x).sync()
        return z

    def elsewhere(x: Any) -> Any:
        z = torch.empty_like(x)
        add(fh.partition(z, 64), x, x).on(other)
        return z

    def beside(x: Any) -> Any:
        z = added(x, x)
        with patch.object(stub_of_torch, "current", [driver.handle_of(other)]):  # as `with torch.cuda.stream(other)`
            added(x, x)
        return z

    def gives_another(x: Any) -> Any:
        return added(x, x), kept

    def of_others(x: Any) -> Any:
        return added(x, kept)

    def gives_a_number(x: Any) -> Any:
        return torch.empty_like(x), 5

    def changes(x: Any) -> Any:
        x.zero_()
        return added(x, x)

    other, kept = driver.new_stream(0), torch.zeros(64)
    others = draws, looks, chooses, waits, elsewhere, beside, gives_another, of_others, gives_a_number, changes
    for function in others:
        f = Counted(function)
        for _ in range(8):
            f.call(x)
        assert f.times == 8, function.__name__


def test_arguments_that_tell_nothing() -> None:
    def doubled(x: Any, how: Any) -> Any:
        return added(x, x)

    f = Counted(doubled)
    x = torch.zeros(64)
    for how in (object(), {1: 2}, [torch.zeros(1)], 1j):
        for _ in range(4):
            f.call(x, how)
    assert f.times == 16
    for how in (None, True, 1, 1.5, "text", torch.float32, (1, ("a", None)), [1, 2]):
        learnt(f, x, how)
        assert without_python(f, x, how), how


def test_settings_tell_calls_apart() -> None:
    setting: list[Any] = [False]

    def read() -> Any:
        return setting[0]

    def chosen(x: Any) -> Any:
        return scaled(x, 2.0 if setting[0] else 3.0)

    f = Counted(chosen, read)
    x = torch.zeros(1024)
    for value, wanted in ((False, 3.0), (True, 2.0)):
        setting[0] = value
        learnt(f, x)
        assert without_python(f, x)
        parameters, _ = told("QQiiiif", lambda: f.call(x))
        assert parameters[6] == wanted
    setting[0] = {}  # no value
    f.times = 0
    for _ in range(4):
        f.call(x)
    assert f.times == 4


def test_what_is_written_is_another_version() -> None:
    def run(y: Any, x: Any) -> None:
        accumulate(fh.partition(y, 64), x).on()

    f = Counted(run)
    x = torch.zeros(640)
    learnt(f, torch.zeros(640), x)
    y = torch.zeros(640)
    before = y._version
    assert f.call(y, x) is None
    assert without_python(f, y, x)
    assert y._version == before + 2
    before = stub.stub_launches()
    with pytest.raises(fh.Rejected):  # Python says what is wrong
        f.call(y, y)
    assert stub.stub_launches() == before


def test_the_interpreter_is_asked_for() -> None:
    f = Counted(added)
    x = torch.zeros(64)
    learnt(f, x, x)
    with fh.interpreting():
        f.times = 0
        assert launches_of(lambda: f.call(x, x)) == 0
        assert f.times == 1
    assert without_python(f, x, x)


def test_where_there_is_no_memory_torch_says_so() -> None:
    f = Counted(added)
    x = torch.zeros(64)
    learnt(f, x, x)
    if native.module() is None:
        pytest.skip("Python allocates")
    from freehold.runtime.interop import planned

    def refuses(*_: Any) -> Any:
        raise MemoryError("none left")

    kept = planned.allocation
    replaced: Any = planned
    replaced.allocation = lambda: (refuses, None)
    planned.calls()  # tells the native module
    try:
        with pytest.raises(MemoryError, match="none left"):
            f.call(x, x)
    finally:
        replaced.allocation = kept
        planned.calls()
    assert without_python(f, x, x)


def test_subclasses_and_modes_of_torch() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    class Named(torch.Tensor):
        pass

    f = Counted(added)
    x = torch.zeros(64)
    learnt(f, x, x)
    f.times = 0
    f.call(x.as_subclass(Named), x)
    assert f.times == 1
    with FakeTensorMode(allow_non_fake_inputs=True):
        f.times = 0
        with pytest.raises(fh.Rejected):
            f.call(x, x)
        assert f.times == 1
    assert without_python(f, x, x)


def test_autograd_sees_an_operator_of_the_library() -> None:
    from freehold import kernels

    x, w = torch.zeros(8, 64, requires_grad=True), torch.zeros(64, requires_grad=True)
    with torch.no_grad():
        for _ in range(4):
            assert kernels.rms_norm(x, w).grad_fn is None
    for _ in range(4):
        y = kernels.rms_norm(x, w)
        assert y.grad_fn is not None
        y.sum().backward()
        assert x.grad.shape == x.shape
    plain, weight = x.detach(), w.detach()
    for _ in range(4):
        kernels.softmax(plain)
        kernels.rms_norm(plain, weight)
    assert launches_of(lambda: kernels.softmax(plain)) == 1
    assert kernels.softmax(x).grad_fn is not None
    with torch.no_grad():
        assert kernels.softmax(x).grad_fn is None
    if native.module() is not None:
        assert steps(lambda: kernels.softmax(plain)) < 45
        assert steps(lambda: kernels.rms_norm(plain, weight)) < 45  # of which a result is left out


if __name__ == "__main__":
    run_tests(globals())
