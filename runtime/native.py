"""
The native module (`native*.c`): plain launches, and chains of them, without Python in between, where it was built.

Nothing else needs it. It is built with the package where there is a C compiler (`tools/build_native.py`).
`FREEHOLD_NATIVE=0` does without it, and so does a Python without the interpreter's lock, on which it relies. It
launches only where everything is as it was when a plan was made. The rest it leaves to the Python that makes all checks
(`runtime.readers`, `runtime.plan`), so there is one place that says what is wrong, and nothing differs but time.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from inspect import signature
from threading import RLock, local
from typing import TYPE_CHECKING, Any, Final, cast

from freehold.support.contract import LaunchContract, ScalarParameter, TensorParameter

if TYPE_CHECKING:
    from freehold.frontend.signature import KernelSignature
    from freehold.runtime.plan import Layout, Plan

MOST: Final = 64
"""Parameters of an entry point that it takes, and arguments of a kernel."""

CODES: Final = {
    "bool_": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q",
    "f32": "f", "f64": "d",
}  # fmt: skip
"""How `struct` calls the dtypes of scalars that it packs."""


INTERFACE: Final = 3
"""What this module and the native one expect of each other; one that was built of another source is not used."""


def _found() -> Any:
    if os.environ.get("FREEHOLD_NATIVE", "1") == "0" or sys.implementation.name != "cpython" or "t" in sys.abiflags:
        return None
    try:
        found = import_module("freehold.runtime._native")
    except ImportError:
        return None
    return found if getattr(found, "INTERFACE", 0) == INTERFACE else None


_NATIVE: Final = _found()

BUILT: Final = _NATIVE is not None
"""Whether it is there: it was built, and is wanted."""

if TYPE_CHECKING or not BUILT:
    _Caller: Final = object

    class Dropped:
        """What says when it was dropped too early: `Launch._unrun` does it."""

        __slots__ = ()

else:
    _Caller = _NATIVE.Caller
    Dropped = _NATIVE.Dropped


class Caller(_Caller):
    """What is called as a kernel is: `Launchable._called` does it, and the native module where nothing is unusual."""

    __slots__ = ("_plain",)

    def __init__(self) -> None:
        self._plain: tuple[int, Any] | None = None
        """How many arguments are usual, and the dispatcher of the launches, once it is ready."""


def lock() -> Any:
    """A lock to be taken by `with`, as `threading.RLock`, which the native module takes without calling it."""
    return _NATIVE.Lock() if BUILT else RLock()


def renew(held: Any) -> None:
    """Makes a lock free, whoever has it: in a forked process, where that thread is not."""
    if BUILT:
        held.renew()
    else:
        held._at_fork_reinit()


class _Thread(local):
    new = True
    """Whether it may have no context of the driver yet: to launch without one is an error, which tools report."""


thread: Final = _Thread()
"""The calling one."""


def enter_thread() -> None:
    """Says that the calling thread has a context. Launches in others do nothing here, and are left to Python."""
    thread.new = False
    if BUILT:
        _NATIVE.enter_thread()


def partition(instance: Any, kinds: dict[type, type], specs: dict[Any, Any], python: Callable[..., Any]) -> Any:
    """`freehold.partition`, for what it knows; `python` takes the rest, and has the documentation."""
    return _NATIVE.partitions(instance, kinds, specs, python, _documented(python)) if BUILT else python


def chains(instance: Any, operation: Any) -> None:
    """Gives operations methods `map` and `then` without an initialiser's call; `instance` is a chain."""
    if BUILT:
        python = operation.map, operation.then
        operation.map, operation.then = _NATIVE.chains(instance, operation, python, tuple(map(_documented, python)))


def runs(python: tuple[Any, Any], *known: Any) -> tuple[Any, Any]:
    """`walk` and `in_a_row` of `runtime.operation`, which know a `Next`, two classes and three functions of its."""
    return _NATIVE.runs(*known) if BUILT else python


def _documented(function: Callable[..., Any]) -> str:
    """A function's documentation, with its signature as built-in functions have it."""
    return f"{function.__name__}{signature(function)}\n--\n\n{function.__doc__}"


@cache
def module() -> Any:
    """The module, knowing how objects are laid out; None where there is none."""
    if _NATIVE is None:
        return None
    from freehold.runtime.arguments import HOST
    from freehold.runtime.bound_launch import BoundLaunch
    from freehold.runtime.execution import Execution
    from freehold.runtime.launch import UNDONE, Dispatcher, Launch
    from freehold.runtime.ledger import Space
    from freehold.runtime.storage import Storage
    from freehold.runtime.tensor import Tensor
    from freehold.runtime.timeline import Timeline
    from freehold.support.dtypes import u8

    storage = Storage(0, 0, HOST, None, Space())
    instances: Any = (
        Launch(cast(Any, None), cast(Any, None), cast(Any, None), 0),
        _blank(BoundLaunch, "_state"),
        _blank(Dispatcher, "plain"),
        Tensor(storage, 0, (), (), u8),
        storage,
        storage.space,
        Timeline(HOST, None),
        Execution(),
        Caller(),
    )
    try:
        _NATIVE.learn(instances, UNDONE)
    except SystemError:  # objects are not laid out as they always were
        return None
    return _NATIVE


def _blank(kind: Any, slot: str) -> Any:
    """An object without its initialiser's work, but for one slot."""
    made: Any = kind.__new__(kind)
    setattr(made, slot, None)
    return made


def takes(contract: LaunchContract, layout: Layout) -> bool:
    """Whether launches with this contract can go through it."""
    if module() is None or len(contract.entry) > MOST or len(contract.parameters) > MOST:
        return False
    given = sorted(contract.entry[n].argument for n in layout.given)
    known = all(isinstance(p, TensorParameter) or p.dtype in CODES for p in contract.parameters)
    kinds = {e.kind for e in contract.entry} <= {"pointer", "scalar", "extent", "stride"}  # nothing is written down
    return known and kinds and given == [*range(len(contract.parameters))]


def values(plan: Plan) -> Any:
    """
    `values(handle, *values)` of a plan: whether it enqueued a launch on a stream with addresses and scalars, as
    `plan.enqueue` does. `alone(user, space, handle, *values)` enters it in the timeline `user`, too, if that is the
    space's sole one. If not, nothing was done. None where the plan's launches cannot go through it.
    """
    if not takes(plan.contract, plan.layout):
        return None
    return _launcher(plan, [_described(plan, n) for n in range(len(plan.contract.parameters))])


def prepared(plan: Plan, data: bytearray, what: str, site: tuple[Any, int]) -> Any:
    """As `values`, for launches whose parameters are packed; `alone` leaves a trace, too: what it is, and where."""
    return (
        None if module() is None or len(plan.contract.entry) > MOST else _launcher(plan, [], data, None, what, -1, site)
    )


def launcher(plan: Plan, signature: KernelSignature, arguments: tuple[Any, ...]) -> Any:
    """
    Launches on tensors of ours that look like these: `read` as a `Read` does, and `run` as `Launch.enqueue` does.

    None where the plan's launches cannot go through it.
    """
    from freehold.runtime import driver
    from freehold.runtime.partition import Partition
    from freehold.runtime.tensor import Tensor
    from freehold.runtime.timeline import timeline

    if plan.values is None or len(arguments) > MOST:
        return None
    described: list[tuple[Any, ...]] = []
    count = 0
    for parameter, given in zip(signature.parameters, arguments, strict=True):
        kind: Any = given.__class__
        if parameter.mode == "const":
            described.append(("c", 0, 0, 0, 0, kind, None, given))
            continue
        code, place, written, _, size, *_ = _described(plan, count)
        count += 1
        if code != "P":
            described.append((code, place, written, 0, size, kind, None, None))
            continue
        array, spec = (given.array, given.spec) if isinstance(given, Partition) else (given, None)
        if type(array) is not Tensor:
            return None
        described.append((code, place, written, array.pointer & 15, size, kind, spec, array.key))
    places = driver.Places()
    places[plan.device] = (driver.stream(0, plan.device), 0, timeline(plan.device))
    (value, *others) = [n for n, p in enumerate(signature.parameters) if p.is_tensor and p.mode != "ref"]
    return _launcher(plan, described, None, places, f"`{plan.name}`", -1 if others else value)


def _described(plan: Plan, number: int) -> tuple[Any, ...]:
    """A run-time argument, as a launcher takes it."""
    parameters, layout = plan.contract.parameters, plan.layout
    given = [plan.contract.entry[n].argument for n in layout.given]
    parameter, place = parameters[number], given.index(number) if number in given else -1
    if isinstance(parameter, ScalarParameter):
        return CODES[parameter.dtype], place, 0, 0, 0, None, None, None
    tensor = sum(isinstance(p, TensorParameter) for p in parameters[:number])
    return "P", place, int(plan.writes[tensor]), 0, plan.sizes[tensor], None, None, None


def _launcher(
    plan: Plan,
    arguments: list[tuple[Any, ...]],
    data: bytearray | None = None,
    places: Any = None,
    what: str = "",
    value: int = -1,
    site: tuple[Any, int] | None = None,
) -> Any:
    from freehold.runtime import driver
    from freehold.runtime.locks import lock as lock_of

    launch, current = driver.addresses()
    memory = plan.layout.filled(plan.integers) if data is None else data
    offsets = struct.pack(f"={len(plan.layout.offsets)}H", *plan.layout.offsets)
    return module().Launcher(
        launch, 0 if driver.device_count() == 1 else current, plan.kernel, plan.blocks, plan.device, bytes(memory),
        offsets, tuple(arguments), {} if places is None else places, what, value, lock_of(plan.device), site,
    )  # fmt: skip
