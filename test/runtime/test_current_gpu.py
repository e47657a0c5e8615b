"""Which GPU is current for a thread, and the streams that belong to one, on bindings that write down what is asked."""

# Stand-ins are of no type that checkers know, and what is tested has no public name.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportPrivateUsage=false, reportAttributeAccessIssue=false

from __future__ import annotations

import gc
import sys
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from asked_driver import Bindings, in_place

import freehold as fh
from freehold.runtime.gpu import driver

ON_DEVICE: Any = driver.on_device
"""As it is where nothing stands in for it."""


@pytest.fixture
def bindings(monkeypatch: pytest.MonkeyPatch) -> Bindings:
    """In place of the driver's."""
    return in_place(monkeypatch)


@pytest.fixture
def core(bindings: Bindings, monkeypatch: pytest.MonkeyPatch) -> Bindings:
    """cuda.core, too, which writes down what it makes and what becomes current."""

    class Stream:
        def __init__(self, handle: int):
            self.handle = handle

        @staticmethod
        def from_handle(handle: int) -> Stream:
            bindings.said.append(("from handle", handle))
            return Stream(handle)

    class Device:
        def __init__(self, number: int):
            self.number, self.default_stream = number, Stream(0)

        def set_current(self) -> None:
            bindings.said.append(("set current", self.number))

        def create_stream(self) -> Stream:
            bindings.said.append(("new stream", self.number))
            return Stream(70 + self.number)

    found = SimpleNamespace(Stream=Stream, Device=Device)
    monkeypatch.setattr(driver, "cuda_core", lambda: found)
    monkeypatch.setattr(driver, "device_count", lambda: 1)
    monkeypatch.setattr(driver, "streams", {0: dict[int, Any](), 2: dict[int, Any]()})
    monkeypatch.setattr(driver, "_owners", {})
    monkeypatch.setattr(driver, "_entered", SimpleNamespace(devices=set[int]()))
    return bindings


@pytest.mark.parametrize(
    ("before", "now", "entered", "first", "last"),
    [
        ((0, 0), 2, (), ["set current"], []),  # a thread that had none keeps it
        ((0, 0), 2, (2,), ["set current"], []),
        ((1, 5), 2, (), ["set current"], []),
        ((0, 5), 2, (), ["set current", "cuCtxSetCurrent"], []),
        ((0, 5), 2, (2,), [], []),
        ((0, 5), 0, (2,), ["cuCtxPushCurrent"], ["cuCtxPopCurrent"]),
        ((0, 5), 0, (), ["set current", "cuCtxSetCurrent", "cuCtxPushCurrent"], ["cuCtxPopCurrent"]),
    ],
)
@pytest.mark.parametrize("fails", [False, True])
def test_a_gpu_is_current_inside(
    before: Any, now: int, entered: Any, first: list[str], last: list[str], fails: bool, core: Bindings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """And what was current is afterwards, also where something fails inside."""
    core.answers |= {"cuCtxGetCurrent": before, "cuCtxGetDevice": (0, now)}
    monkeypatch.setattr(driver, "context", lambda device: f"context of {device}")
    driver._entered.devices.update(entered)
    calls = {
        "set current": ("set current", 2), "cuCtxSetCurrent": ("cuCtxSetCurrent", 5),
        "cuCtxPushCurrent": ("cuCtxPushCurrent", "context of 2"), "cuCtxPopCurrent": ("cuCtxPopCurrent",),
    }  # fmt: skip

    def steps() -> list[Any]:
        return [call for call in core.calls() if call[0] not in ("cuCtxGetCurrent", "cuCtxGetDevice")]

    with pytest.raises(KeyError) if fails else nullcontext(), ON_DEVICE(2):
        assert steps() == [calls[name] for name in first]
        if fails:
            raise KeyError
    assert steps() == [calls[name] for name in last]
    assert driver._entered.devices == {2}


def test_streams_are_wrapped_once(core: Bindings, monkeypatch: pytest.MonkeyPatch) -> None:
    current = SimpleNamespace(ptr=6)
    cupy = SimpleNamespace(cuda=SimpleNamespace(get_current_stream=lambda: current))
    for handle, made in ((0, []), (1, []), (5, [("from handle", 5)]), (6, [("from handle", 6)])):
        found = driver.stream(handle, 2)
        assert core.calls() == [("on", 2), *made, ("off", 2)]
        assert found.handle == (handle if made else 0)
        assert driver.stream(handle, 2, "an owner") is found
        assert driver._owners[2, handle] is None
    assert core.calls() == []
    driver.stream(9, 0, "its owner")
    assert driver._owners[0, 9] == "its owner"
    monkeypatch.setitem(sys.modules, "cupy", cupy)  # type: ignore[arg-type]
    for current.ptr in (0, 1, 6):  # the default stream, which nobody destroys, has two handles
        driver.streams[0].clear()
        for handle in (0, 1, 6, 8):
            driver.stream(handle, 0)
            assert driver._owners[0, handle] is (current if handle == current.ptr == 6 else None)
    made = driver.new_stream(2)
    assert core.calls()[-3:] == [("on", 2), ("new stream", 2), ("off", 2)]
    assert driver.streams[2][72] is made


def test_a_forked_process_keeps_what_the_driver_knew_and_uses_none_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Any] = []
    known = {0: {5: "a stream"}, 1: {6: "another", 7: "a third"}}
    handles, owners = {77: (5, "a stream")}, {(0, 5): "its owner", (1, 6): None}
    monkeypatch.setattr(driver, "forked", False)
    monkeypatch.setattr(driver, "never_drop", kept.extend)
    for name, value in (("streams", known), ("_handles", handles), ("_owners", owners)):
        monkeypatch.setattr(driver, name, value)
    driver._require_own()
    try:
        driver.forget()
    finally:
        gc.unfreeze()
    assert known == {0: {}, 1: {}}
    assert handles == owners == {}
    assert {value for _, value in kept} == {"a stream", "another", "a third", (5, "a stream"), "its owner", None}
    with pytest.raises(fh.Rejected) as caught:
        driver._require_own()
    assert caught.value.codes == ("O281",)


def test_a_policy_makes_its_streams_once_and_hands_them_out_in_turn(
    core: Bindings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "require_gpu", lambda remedy: core.said.append(("requires a GPU", remedy)))
    monkeypatch.setattr(driver, "new_stream", lambda device: core.said.append(("new", device)) or len(core.said))
    policy = fh.RoundRobin(3)
    given = [policy.stream(2) for _ in range(7)]
    assert len({*given}) == 3
    assert given == given[:3] * 2 + given[:1]
    remedy = "streams are a GPU's: on the host there is nothing to order"
    assert core.calls() == [("requires a GPU", remedy), *[("new", 2)] * 3]
    one = fh.SingleStream()
    assert len({one.stream(2) for _ in range(4)}) == len({one.stream(0) for _ in range(4)}) == 1
    for count in (0, -1):
        with pytest.raises(ValueError, match=f"a policy needs a stream, and {count} were asked for"):
            fh.RoundRobin(count)
    assert fh.RoundRobin(1).stream(2)


def test_current_streams_of_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    cupy = SimpleNamespace(cuda=SimpleNamespace(get_current_stream=lambda device: SimpleNamespace(ptr=60 + device)))
    torch = SimpleNamespace(_C=SimpleNamespace(_cuda_getCurrentRawStream=lambda device: 50 + device))
    for name, module in (("cupy", cupy), ("torch", torch)):
        monkeypatch.setitem(sys.modules, name, module)  # type: ignore[arg-type]
    assert [driver.current_handle(name, 3) for name in ("torch", "cupy", "numpy", "")] == [53, 63, 0, 0]


def test_a_stream_comes_after_another_one(core: Bindings, monkeypatch: pytest.MonkeyPatch) -> None:
    later = SimpleNamespace(wait=lambda other: core.said.append(("waits", other)))
    monkeypatch.setattr(driver, "stream", lambda handle, device: later if handle == 4 else f"{handle} of {device}")
    driver.order_after(later, 4, 2)
    assert core.calls() == []
    driver.order_after(later, 5, 2)
    assert core.calls() == [("on", 2), ("waits", "5 of 2"), ("off", 2)]


@pytest.mark.parametrize(("answers", "seconds", "empty"), [
    ([0], 0.0, True), ([600, 0], 60.0, True), ([600, 600, 0], 60.0, True), ([600, 600, 0], -1.0, False),
])  # fmt: skip
@pytest.mark.parametrize("why", ["a new thread", "no native module"])
def test_a_stream_becomes_empty(
    answers: list[int], seconds: float, empty: bool, why: str, bindings: Bindings, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = iter(answers)
    monkeypatch.setattr(driver.native, "thread", SimpleNamespace(new=why == "a new thread"))
    monkeypatch.setattr(driver, "_asked_natively", lambda: None if why == "no native module" else pytest.fail("asked"))
    monkeypatch.setattr(bindings, "cuStreamQuery", lambda stream: (next(left),), raising=False)
    assert driver.becomes_empty("the stream", seconds) is empty
    assert len([*left]) == (0 if empty else len(answers) - 1)
    assert [call[0] for call in bindings.calls()] == ["cuThreadExchangeStreamCaptureMode"] * 2


def test_the_native_module_asks_whether_a_stream_is_empty(bindings: Bindings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver.native, "thread", SimpleNamespace(new=False))
    monkeypatch.setattr(driver, "_asked_natively", lambda: lambda *given: given)
    assert driver.becomes_empty("the stream", 0.25) == ("the stream", 250_000_000)


def test_a_thread_that_waits_is_on_the_gpu_of_its_stream(core: Bindings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "relaxed", lambda: "relaxed")
    driver.enter_waiter(SimpleNamespace(device=driver.cuda_core().Device(2)))
    assert core.calls() == [("set current", 2), ("cuThreadExchangeStreamCaptureMode", "relaxed")]
