"""Launchers of the native module (`runtime/native_launch.c`), made for one plan each."""

from __future__ import annotations

import struct
from typing import Any, Protocol

from freehold.frontend.signature import KernelSignature
from freehold.runtime.base import native
from freehold.runtime.base.locks import lock
from freehold.runtime.gpu import driver
from freehold.runtime.gpu.timeline import timeline
from freehold.runtime.launch.partition import Partition
from freehold.runtime.memory.arguments import quick_family
from freehold.runtime.variants.entry import Layout, in_native_code
from freehold.support.contract import LaunchContract, ScalarParameter, TensorParameter


class Plan(Protocol):
    """What a launcher knows of a plan (`runtime.launch.plan`)."""

    name: str
    device: int
    kernel: int
    blocks: int
    contract: LaunchContract
    layout: Layout
    integers: tuple[int, ...]
    sizes: tuple[int, ...]
    writes: tuple[bool, ...]
    values: Any


def values(plan: Plan) -> Any:
    """
    `values(handle, *values)` of a plan: whether it enqueued a launch on a stream with addresses and scalars, as
    `plan.enqueue` does. `alone(user, space, handle, *values)` enters it in the timeline `user`, too, if that is the
    space's sole one. If not, nothing was done. None where the plan's launches cannot go through it.
    """
    if not in_native_code(plan.contract, plan.layout):
        return None
    return _launcher(plan, [_described(plan, n) for n in range(len(plan.contract.parameters))])


def prepared(plan: Plan, data: bytearray, what: str, site: tuple[Any, int]) -> Any:
    """As `values`, for launches whose parameters are packed; `alone` leaves a trace, too: what it is, and where."""
    return (
        None
        if native.module() is None or len(plan.contract.entry) > native.MOST
        else _launcher(plan, [], data, None, what, -1, site)
    )


def launcher(plan: Plan, signature: KernelSignature, arguments: tuple[Any, ...]) -> Any:
    """
    Launches on tensors of ours that look like these: `read` as a `Read` does, and `run` as `Launch.enqueue` does.

    None where the plan's launches cannot go through it.
    """

    if plan.values is None or len(arguments) > native.MOST:
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
        if quick_family(array) != "freehold":
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
        return native.CODES[parameter.dtype], place, 0, 0, 0, None, None, None
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

    launch, current = driver.addresses()
    memory = plan.layout.filled(plan.integers) if data is None else data
    offsets = struct.pack(f"={len(plan.layout.offsets)}H", *plan.layout.offsets)
    return native.module().Launcher(
        launch, 0 if driver.device_count() == 1 else current, plan.kernel, plan.blocks, plan.device, bytes(memory),
        offsets, tuple(arguments), {} if places is None else places, what, value, lock(plan.device), site,
    )  # fmt: skip
