"""Entry points: how the parameters of a launch are packed, and the function that enqueues it, written out."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from freehold.runtime.base import native
from freehold.runtime.gpu import checked, driver
from freehold.runtime.memory.numpy_types import numpy_dtype, scalar_type
from freehold.support.contract import LaunchContract, TensorParameter

Enqueue = Callable[..., None]
"""
`enqueue(plan, handle, *values)`: on a stream's handle, with an address or a scalar for each of the kernel's run-time
arguments. Raises `Mismatch`, `TypeError`, `OverflowError` or `struct.error` for values that cannot be passed; nothing
was launched then.
"""

Fill = Callable[..., None]
"""`fill(memory, *values)`: packs the same values, as `enqueue` would."""


class Mismatch(Exception):
    """The arguments of a launch are not what the plan is for, or overlap. The thorough way finds out what it is."""


class Layout:
    """
    Where the parameters of a contract's entry point lie in memory, eight bytes each: what a launch brings, in front,
    and behind it the extents and strides that a plan knows.
    """

    def __init__(self, contract: LaunchContract):
        self.given: Final = [n for n, e in enumerate(contract.entry) if e.kind in ("pointer", "scalar", "failures")]
        """The parameters that each launch brings, of the entry point's."""
        known = [n for n, e in enumerate(contract.entry) if e.kind in ("extent", "stride")]
        places = {n: 8 * place for place, n in enumerate([*self.given, *known])}
        self.offsets: Final = tuple(places[n] for n in range(len(contract.entry)))
        """By parameter of the entry point, in bytes."""

    def filled(self, integers: Sequence[int]) -> bytearray:
        """Memory with the integers that a plan knows."""
        data = bytearray(8 * max(1, len(self.offsets)))
        for place, value in enumerate(integers, len(self.given)):
            struct.pack_into("=i", data, 8 * place, value)
        return data


class Functions(NamedTuple):
    """What is written out for a contract."""

    enqueue: Enqueue
    fill: Fill
    body: tuple[str, ...]
    """The lines of `enqueue`: what reads addresses has them for its own. They work on `plan`, `handle`, `v0`, ..."""
    scope: dict[str, Any]
    """The globals that the lines need."""
    native: bool
    """Whether `plan.values` comes before the lines."""


def make_enqueue(contract: LaunchContract, layout: Layout, asks: bool, varies: Sequence[int] = ()) -> Functions:
    """
    A function that checks what is left to check for one launch and enqueues it on a stream, and one that only packs.

    They are written out for the contract: the pairs of arrays that must not overlap, and how addresses and scalars are
    packed. Extents and strides lie in the plan's memory already. `asks` says that checks depend on scalars, `varies` on
    which scalars, by position, the geometry depends. The native module comes first, where it takes such launches; it
    does nothing where anything is unusual.
    """
    given = ", ".join(f"v{n}" for n in range(len(contract.parameters)))
    scope: dict[str, Any] = {"failed": driver.launch_failed, "mismatch": Mismatch, "thread": native.thread}
    # A reader has the lines among its own, whose `current` is a library's current stream.
    scope["launch"], scope["gpu"] = driver.parts()
    values = _packed(contract, layout, scope)
    own = "plan"  # which the lines may not assign: a reader has it for a global
    lines = _apart(contract)
    if asks:
        lines += [f"    if not plan.admits(plan.extents, ({given}, )):", "        raise mismatch"]
    if varies:
        own, scalars = "own", ", ".join(f"v{n}" for n in varies)
        lines.append(f"    own = plan.fits.get(({scalars}, )) or plan.fit({scalars})")
    lines += _launched(own, values)
    fill = [f"def fill(data, {given}):", f"    pack(data, 0, {values})"]
    if "enter" in scope:  # each launch has words of its own
        fill[1:] = ["    raise mismatch"]
    head = [f"def enqueue(plan, handle, {given}):"]
    plain = in_native_code(contract, layout) and not asks and not varies
    if plain:
        head += [f"    if plan.values.values(handle, {given}):", "        return"]
    exec("\n".join([*head, *lines, *fill]), scope)
    return Functions(scope["enqueue"], scope["fill"], tuple(lines), scope, plain)


def _apart(contract: LaunchContract) -> list[str]:
    """Lines that see to it that no array shares a byte with one that is written."""
    tensors = [(n, p.mode) for n, p in enumerate(contract.parameters) if isinstance(p, TensorParameter)]
    lines = [f"    {''.join(f'n{n}, ' for n, _ in tensors)} = plan.sizes"]
    for i, (n, mode) in enumerate(tensors):
        for j, (m, other) in enumerate(tensors[i + 1 :], i + 1):
            if {mode, other} != {"ref"}:
                lines.append(f"    if -n{n} < v{n} - v{m} < n{m}:")
                lines.append(f"        plan.verify_disjoint({i}, {j}, v{n}, v{m})")
    return lines


def _packed(contract: LaunchContract, layout: Layout, scope: dict[str, Any]) -> str:
    """What is packed, as expressions; what they need, and `pack` itself, goes into the scope."""
    form, values = "=", list[str]()
    for entry in (contract.entry[n] for n in layout.given):
        if entry.kind == "failures":
            scope["enter"] = checked.enter
            form += "Q"
            values.append("enter(plan.device, handle, plan.name, plan.contract.kernel_checks)")
            continue
        parameter = contract.parameters[entry.argument]
        value = f"v{entry.argument}"
        if isinstance(parameter, TensorParameter):
            form += "Q"
            values.append(value)
            continue
        code = _CODES.get(parameter.dtype)
        if code is None:  # its bits
            code = _CODES[f"u{8 * numpy_dtype(parameter.dtype).itemsize}"]
            scope[f"bits{entry.argument}"] = scalar_type(parameter.dtype)
            value = f"int(bits{entry.argument}({value}))"
        values.append(value)
        form += f"{code}{8 - struct.calcsize(f'={code}')}x"
    scope["pack"] = struct.Struct(form).pack_into
    return ", ".join(values)


def _launched(own: str, values: str) -> list[str]:
    """Lines that pack and call the driver for the plan that is called `own`."""
    elsewhere = "thread.new" if driver.device_count() == 1 else "thread.new or gpu()[1] != plan.device"
    return [
        f"    config = {own}.configs.get(handle) or {own}.config(handle)",
        "    try:",
        f"        block = {own}.packed.pop()",
        "    except IndexError:",
        f"        block = {own}.parameters()",
        f"    pack(block[0], 0, {values})",
        f"    error = {elsewhere} or launch(config, plan.kernel, block[1], 0)[0]",
        "    if error:",  # no context, or another GPU's, is current in this thread; or it is a real one
        "        failed(error, plan.device, config, plan.kernel, block[1])",
        f"    {own}.packed.append(block)",  # the driver has copied what is in it
    ]


_CODES: Final[Mapping[str, str]] = {**native.CODES, "f16": "e"}
"""How `struct` calls the dtypes that it can pack."""


def in_native_code(contract: LaunchContract, layout: Layout) -> bool:
    """Whether launches with this contract can go through it."""
    if native.module() is None or len(contract.entry) > native.MOST or len(contract.parameters) > native.MOST:
        return False
    given = sorted(contract.entry[n].argument for n in layout.given)
    known = all(isinstance(p, TensorParameter) or p.dtype in native.CODES for p in contract.parameters)
    kinds = {e.kind for e in contract.entry} <= {"pointer", "scalar", "extent", "stride"}  # nothing is written down
    return known and kinds and given == [*range(len(contract.parameters))]
