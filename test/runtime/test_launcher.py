"""What the native module is told of kernels, plans and other libraries' arrays, written down by a stand-in for it."""

# Stand-ins are of no type that checkers know, and what is tested has no public name.
# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownParameterType=false, reportUnknownLambdaType=false

from __future__ import annotations

import struct
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import freehold as fh
from freehold import Acc, Const, Mut, Out, Raw, Ref, f32, i32
from freehold.runtime.launch import launcher
from freehold.runtime.launch.partition import Partition
from freehold.runtime.launch.plan import WRONG
from freehold.support.contract import ScalarParameter, TensorParameter

READY: Any = launcher.ready
"""As it is where nothing stands in for it."""


@fh.kernel
def everything(
    y: Out["N"], x: Ref["N"], a: f32, z: Mut["N"], K: Const[int], h: Acc["N"], on: fh.bool_, w: Raw["N"], b: Ref["N"],
):  # fmt: skip
    pass


class Module:
    """Stands for the native module."""

    def __init__(self) -> None:
        self.said: list[Any] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def say(*given: Any) -> Any:
            self.said.append((name, *given))
            return (name, *given)

        return say


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Module:
    """The module, where there is one GPU."""
    found = Module()
    monkeypatch.setattr(launcher.native, "module", lambda: found)
    monkeypatch.setattr(launcher, "ready", lambda: True)
    for name, value in (
        ("addresses", (11, 12, 13)), ("pointer_attribute", 77), ("device_count", 1),
    ):  # fmt: skip
        monkeypatch.setattr(launcher.driver, name, lambda value=value: value)
    monkeypatch.setattr(launcher.driver, "current_of", lambda library: f"{library}'s current stream")
    monkeypatch.setattr(launcher, "foreign_space", lambda device: f"the space of others on {device}")
    monkeypatch.setattr(launcher, "lock", lambda device: f"the lock of {device}")
    monkeypatch.setattr(launcher, "timelines", {0: "timelines of 0", 3: "timelines of 3"})
    monkeypatch.setattr(launcher, "in_native_code", lambda contract, layout: contract.native)
    return found


@pytest.mark.parametrize(("gpus", "attribute"), [(0, 0), (1, 0), (2, 77)])
def test_what_it_is_told_once(gpus: int, attribute: int, module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher.driver, "device_count", lambda: gpus)
    ready = READY.__wrapped__
    assert ready() is True
    reads, launches = module.said
    assert reads == ("reads", launcher._family, attribute, {"stream": 1, "max_version": (1, 0)})
    assert launches[:1] + launches[4:5] + launches[8:] == ("launches", WRONG, launcher.UNDONE, launcher.MOST_KEPT)
    monkeypatch.setattr(launcher.native, "module", lambda: None)
    assert ready() is False


def test_how_arguments_are_passed(module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    signature = everything.signature
    made = ("Launcher", "ttstctstt", (0, 3, 5, 7), "what it is")
    assert launcher.launcher(signature, "what it is") == made
    monkeypatch.setattr(launcher.native, "MOST", 9)
    assert launcher.launcher(signature, "what it is") == made
    monkeypatch.setattr(launcher.native, "MOST", 8)
    assert launcher.launcher(signature, "what it is") is None
    monkeypatch.setattr(launcher.native, "MOST", 9)
    monkeypatch.setattr(launcher, "ready", lambda: False)
    assert launcher.launcher(signature, "what it is") is None


class Odd(float):
    """A number that may be another one each time."""


class Known:
    """A launcher that knows some arguments."""

    def __init__(self, *known: Any) -> None:
        self.known = known
        self.added: list[Any] = []

    def knows(self, arguments: Any) -> bool:
        return arguments in self.known

    def add(self, *given: Any) -> None:
        self.added.append(given)


@fh.kernel
def two(y: Out["N"], a: f32, n: i32):
    pass


VIEW: Any = SimpleNamespace(shape=(4, 5), strides=(40, 4), dtype=f32, pointer=1000)


@pytest.mark.parametrize(
    ("scalars", "entries", "learnt"),
    [
        ((1.0, 2), 3, True), ((np.float32(1), np.int64(2)), 3, True), ((True, 2), 3, True), ((1.0, 2), 4, True),
        ((1.0, 2), 5, False), ((Odd(1), 2), 3, False), ((1.0, Odd(2)), 3, False), (("1", 2), 3, False),
    ],
)  # fmt: skip
def test_what_a_launcher_learns(
    scalars: tuple[Any, ...], entries: int, learnt: bool, module: Module, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of plain numbers, of which as many are passed as it takes."""
    monkeypatch.setattr(launcher.native, "MOST", 4)
    monkeypatch.setattr(launcher, "entry", lambda plan: f"entry of {plan.name}")
    plan: Any = SimpleNamespace(name="it", contract=SimpleNamespace(entry=[None] * entries))
    made, arguments = Known("others"), ("y", *scalars)
    launcher.learn(made, arguments, two.signature, plan, [VIEW])
    assert made.added == ([(arguments, "entry of it", (((4, 5), (40, 4), 4, 1000 % 16),))] if learnt else [])
    again = Known(arguments)
    launcher.learn(again, arguments, two.signature, plan, [VIEW])
    assert again.added == []


def contract(**changes: Any) -> Any:
    """Of two arrays, a number, and a number that has no letter."""
    arrays = [
        TensorParameter(name, cast(Any, mode), "f32", ("N",), 16, (1,), (1,), (1,))
        for name, mode in (("y", "out"), ("x", "ref"))
    ]
    numbers = [ScalarParameter(name, dtype) for name, dtype in (("a", "f32"), ("h", "bf16"), ("n", "u64"))]
    parameters = (arrays[0], numbers[0], arrays[1], numbers[1], numbers[2])
    entry = [SimpleNamespace(argument=n) for n in (2, 0, 1, 4)]  # one is not passed
    given = {"parameters": parameters, "entry": entry, "native": True, "kernel_checks": (), **changes}
    return SimpleNamespace(**given)


def plan(**changes: Any) -> Any:
    """A plan on GPU 3."""
    layout = SimpleNamespace(
        offsets=(8, 0, 16, 24), given=(0, 1, 2), filled=lambda integers: bytes(integers), failures=-1
    )
    given: dict[str, Any] = {
        "contract": contract(), "layout": layout, "admits": None, "evaluator": SimpleNamespace(varies=()), "shape": (),
        "blocks": 70000, "device": 3, "kernel": 99, "integers": (1, 2), "begins": False, "family": "torch",
        "writes": (True, False), "sizes": (400, 800), "enqueue": "enqueue", "name": "the kernel",
    }  # fmt: skip
    return SimpleNamespace(**{**given, **changes})


DESCRIBED = (("P", 1, 1, 400), ("f", 2, 0, 0), ("P", 0, 0, 800), ("\0", -1, 0, 0), ("Q", -1, 0, 0))


def test_a_plan_as_it_is_told(module: Module) -> None:
    blocks = struct.pack("=7I", 70000, 1, 1, 1, 1, 1, 0)
    offsets = struct.pack("=4H", 8, 0, 16, 24)
    assert launcher.entry(plan()) == (
        "Entry", 11, 0, 0, 99, blocks, 3, b"\1\2", offsets, DESCRIBED, True, None, -1, "enqueue",
        "the space of others on 3", "timelines of 3", "the lock of 3", "torch",
    )  # fmt: skip


SHAPE = (5, 6, 7, 32, 2, 3, 1, 1, 1, 4096)


@pytest.mark.parametrize(
    ("changes", "plain", "shape"),
    [
        ({}, True, None),
        ({"contract": contract(native=False)}, False, None),
        ({"admits": lambda *_: True}, False, None),
        ({"evaluator": SimpleNamespace(varies=(1,))}, False, None),
        ({"shape": SHAPE}, True, (5, 6, 7, 32, 2, 3, 4096)),
        *(({"shape": (*SHAPE[:n], 2, *SHAPE[n + 1 :])}, False, (5, 6, 7, 32, 2, 3, 4096)) for n in (6, 7, 8)),
        ({"shape": SHAPE, "contract": contract(native=False)}, False, (5, 6, 7, 32, 2, 3, 4096)),
    ],
)
def test_what_is_launched_without_python(
    changes: dict[str, Any], plain: bool, shape: tuple[int, ...] | None, module: Module
) -> None:
    """`cuLaunchKernel` has no word for clusters, and Python looks at what depends on numbers."""
    found = launcher.entry(plan(**changes))
    assert found[10] is plain
    assert struct.unpack("=7I", found[5]) == (shape or (70000, 1, 1, 1, 1, 1, 0))


def test_where_what_fails_is_written_down(module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        launcher.checked, "enter", lambda device, handle, kernel, checks: (device, handle, kernel, checks)
    )
    one = plan(contract=contract(kernel_checks=("a check",)))
    one.layout.failures = 2
    found = launcher.entry(one)
    assert found[10] is True
    assert found[12] == 2
    assert found[11](7) == (3, 7, "the kernel", ("a check",))


@pytest.mark.parametrize("changes", [{"admits": lambda *_: False}, {"evaluator": SimpleNamespace(varies=(1,))}])
def test_a_plan_for_certain_numbers_asks_nothing_of_them(changes: dict[str, Any], module: Module) -> None:
    assert launcher.entry(plan(**changes))[10] is False
    assert launcher.entry(plan(**changes), fixed=True)[10] is True
    assert launcher.entry(plan(**changes, shape=(1, 1, 1, 1, 1, 1, 2, 1, 1, 0)), fixed=True)[10] is False
    assert launcher.entry(plan(**changes, contract=contract(native=False)), fixed=True)[10] is False


@pytest.mark.parametrize(("gpus", "begins", "told"), [(1, False, (0, 0)), (2, False, (12, 0)), (1, True, (0, 13))])
def test_what_is_looked_at_before_a_launch(
    gpus: int, begins: bool, told: tuple[int, int], module: Module, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which GPU is current, where there are several; whether the stream captures, where it may begin early."""
    monkeypatch.setattr(launcher.driver, "device_count", lambda: gpus)
    assert launcher.entry(plan(begins=begins))[2:4] == told


@pytest.mark.parametrize(
    ("shape", "entries", "made"),
    [
        ((), 4, True), (SHAPE, 4, True), ((), 5, False),
        *(((*SHAPE[:n], 2, *SHAPE[n + 1 :]), 4, n in (3, 4, 5, 9)) for n in (3, 4, 5, 6, 7, 8, 9)),
    ],
)  # fmt: skip
def test_launches_on_the_same_arguments(
    shape: tuple[int, ...], entries: int, made: bool, module: Module, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher.native, "MOST", 4)
    monkeypatch.setattr(launcher, "entry", lambda plan: "entry")
    one = plan(shape=shape, contract=contract(entry=[None] * entries))
    found = launcher.bound("the launcher", one, ("y", 1.0), bytearray(b"abc"), "launch", "value")
    assert found == (("Bound", "the launcher", "entry", ("y", 1.0), b"abc", "launch", "value") if made else None)


def called(module_name: str, name: str, **members: Any) -> type:
    return type(name, (), {"__module__": module_name, **members})


def test_whose_arrays_are(module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = [True]
    monkeypatch.setattr(launcher, "_reads_torch", lambda: reads[0])
    of: Any = launcher._family
    describing = called("mine", "Array", __cuda_array_interface__=None)
    assert [of(kind) for kind in (fh.Tensor, Partition, np.ndarray, describing)] == [1, 16, 0, 8]
    assert [of(called("torch", name)) for name in ("Tensor", "Parameter")] == [2, 2]
    reads[0] = False
    assert [of(called("torch", name)) for name in ("Tensor", "Parameter")] == [0, 0]
    assert module.said == []
    assert of(called("cupy", "ndarray")) == 4
    assert module.said == [("reads_cupy", "cupy's current stream")]


def test_equal_constants_have_one_number_and_no_others_do(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[Any, int] = {}
    monkeypatch.setattr(launcher, "_CONSTANTS", known)
    one, other = launcher._constant("one"), launcher._constant(2)
    assert one != other
    assert (launcher._constant("one"), launcher._constant(2)) == (one, other)
    known.update(dict.fromkeys(range((1 << 16) - 2), -1))
    launcher._constant("the last that is kept")
    assert len(known) == (1 << 16) + 1
    assert launcher._constant("one") not in (one, other, -1)
    assert len(known) == 1


def described(torch: Any, tensor: Any) -> dict[str, Any]:
    """All that launches rely on of a tensor of torch's."""
    strided = tensor.layout is torch.strided
    return {
        "layout": str(tensor.layout), "device": tensor.device.type, "dtype": str(tensor.dtype),
        "shape": tuple(tensor.shape), "strides": tensor.stride() if strided else (2, 1), "negated": tensor.is_neg(),
        "fits": not strided or tensor.untyped_storage().nbytes() >= 16, "requires": tensor.requires_grad,
        "watched": tensor.requires_grad and torch.is_grad_enabled(), "address": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    "unseen", ["layout", "device", "dtype", "shape", "strides", "negated", "fits", "requires", "watched", None]
)
def test_who_does_not_see_all_of_a_tensor_does_not_read_it(unseen: str | None) -> None:
    torch = pytest.importorskip("torch")
    address = {"strided": lambda tensor: tensor.data_ptr(), "elsewhere": lambda tensor: tensor.data_ptr() + 16}

    def tells(where: str = "strided", **also: Callable[[Any], Any]) -> bool:
        def look(tensor: Any) -> tuple[int, bytes] | None:
            seen = {**described(torch, tensor), **{name: say(tensor) for name, say in also.items()}}
            if unseen is not None:
                del seen[unseen]
            readable = tensor.layout is torch.strided and tensor.device.type == "cpu"
            return (address[where](tensor) if readable else 0), repr(seen).encode()

        with torch.no_grad():
            return launcher._tells_apart(torch, look)

    assert tells() is (unseen is None)
    assert not tells("elsewhere")
    assert not tells(address=lambda tensor: id(tensor))  # the same is not seen in what looks the same


def test_who_sees_nothing_of_tensors_does_not_read_them() -> None:
    torch = pytest.importorskip("torch")
    assert not launcher._tells_apart(torch, lambda tensor: None)
    with torch.no_grad():
        assert not launcher._tells_apart(
            torch,
            lambda tensor: None if tensor.requires_grad else (tensor.data_ptr(), bytes(str(tensor.dtype), "ascii")),
        )
