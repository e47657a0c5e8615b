"""Tokens, pointers, and what is read and written through them. A pointer is an `int64` address; a token is a set of
accesses in checked mode, and 0 otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from freehold.dialects.location import span_of
from freehold.runtime.interpreter.access import element, integer, keyword, operand
from freehold.runtime.interpreter.compile import binary, nullary, reject, unary
from freehold.runtime.interpreter.elements import Array, Element, Tile, element_of
from freehold.runtime.interpreter.errors import ElementsMeet
from freehold.runtime.interpreter.machine import undecided

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from freehold.runtime.interpreter.compile import Compiler, Effect, Frame, Function, Pure, Step
    from freehold.runtime.interpreter.machine import Machine


def optional_slot(op: Operation, c: Compiler, name: str) -> int | None:
    """The slot of an optional operand, or None."""
    value = operand(op, name)
    return None if value is None else c.slot(value)


def is_strong(op: Operation) -> bool:
    """Whether an access is of those that may conflict without being a race."""
    return keyword(op, "memory_ordering_semantics", "weak") != "weak"


def _offset(op: Operation, _: Compiler) -> Function:
    pointee: Any = op.operands[0].type
    e = element_of(pointee.element_type.pointee)
    size = e.memory_bytes
    step = -size if element(op.operands[1]).bits == 1 else size

    def moved(p: Any, n: Any) -> Any:
        far: Any = np.multiply(n, step, dtype=np.int64, casting="unsafe")
        there, shape = getattr(p, "shape", ()), getattr(far, "shape", ())
        if shape and there in ((), shape, (1, *shape[1:])):
            return np.add(p, far, out=far)
        return p + far

    return binary(moved)


def _make_token(_op: Operation, _: Compiler) -> Function:
    return nullary(lambda: 0)


def _join(_op: Operation, _: Compiler) -> Function:
    def join(*tokens: int) -> int:
        joined = 0
        for token in tokens:
            joined |= token
        return joined

    return join


def _pass_token(op: Operation, _: Compiler) -> Function:
    """Grids that depend on each other run one after another here, and memory has one kind of address."""
    return unary(lambda token: token) if op.operands else nullary(lambda: 0)


def _active(v: Frame, mask: int | None, addresses: Array) -> tuple[Array, Array | None]:
    """Addresses that are accessed, flat, and the mask."""
    if mask is None:
        return addresses.reshape(-1), None
    chosen = np.asarray(v[mask]).reshape(-1)
    return addresses.reshape(-1)[chosen], chosen


def _noted(v: Frame, op: Operation, kind: str, addresses: Array, e: Element, token: int | None, strong: bool) -> int:
    """The token after an access, noted where somebody watches."""
    machine: Machine = v[0]
    before: int = 0 if token is None else v[token]
    if machine.watch is None or not addresses.size:
        return before
    size = e.memory_bytes
    for buffer, mask in machine.locate(op, "load" if kind == "read" else "store", addresses, size):
        chosen = addresses if mask is None else addresses[mask]
        before = machine.watch.access(op, kind, buffer, chosen, size, strong=strong, token=before)
    return before


def _shaped(flat: Array, shape: tuple[int, ...]) -> Tile:
    return flat.reshape(shape) if shape else flat[0]


def _load(op: Operation, c: Compiler) -> Step:
    e = element(op.results[0])
    strong = is_strong(op)
    source = c.slot(op.operands[0])
    mask, padding, token = (optional_slot(op, c, name) for name in ("mask", "paddingValue", "token"))
    result, after = c.slots(op.results)

    def load(v: Frame) -> None:
        machine: Machine = v[0]
        pointers = np.asarray(v[source])
        addresses, chosen = _active(v, mask, pointers)
        values = machine.gather(op, addresses, e)
        if chosen is not None:
            if padding is None:
                whole = undecided(machine.adversary, (pointers.size,), e)
            else:
                whole = np.empty(pointers.size, e.dtype)
                whole[:] = np.ravel(v[padding])
            whole[chosen] = values
            values = whole
        v[result] = _shaped(values, pointers.shape)
        v[after] = _noted(v, op, "read", addresses, e, token, strong)

    return load


def _store(op: Operation, c: Compiler) -> Step:
    e = element(op.operands[1])
    strong = is_strong(op)
    destination, value = c.slots(op.operands[:2])
    mask, token = (optional_slot(op, c, name) for name in ("mask", "token"))
    (after,) = c.slots(op.results)

    def store(v: Frame) -> None:
        machine: Machine = v[0]
        addresses, chosen = _active(v, mask, np.asarray(v[destination]))
        after_store = _noted(v, op, "write", addresses, e, token, strong)
        values = np.asarray(v[value]).reshape(-1)
        if chosen is not None:
            values = values[chosen]
        if machine.watch is not None:
            _apart(machine, op, addresses, values)
        machine.scatter(op, addresses, values, e)
        v[after] = after_store

    return store


def _apart(machine: Machine, op: Operation, addresses: Array, values: Array) -> None:
    """Ends the run where different values are stored to one address."""
    order = np.argsort(addresses, kind="stable")
    bits = np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")
    first, second = order[:-1], order[1:]
    clash = (addresses[first] == addresses[second]) & (bits[first] != bits[second])
    if clash.any():
        a, b = int(first[clash][0]), int(second[clash][0])
        name, index = machine.element_at(int(addresses[a]))
        reject(ElementsMeet(span_of(op), name, index, str(values[a]), str(values[b]), machine.label))


def _as_unsigned(function: Callable[..., Any]) -> Callable[..., Any]:
    return binary(lambda a, b: function(a.view(f"u{a.dtype.itemsize}"), b.view(f"u{b.dtype.itemsize}")).view(a.dtype))


UPDATES: Final[dict[str, Callable[..., Any]]] = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "add": np.add,
    "addf": np.add,
    "max": np.maximum,
    "min": np.minimum,
    "umax": _as_unsigned(np.maximum),
    "umin": _as_unsigned(np.minimum),
    "xchg": binary(lambda _, b: b),
}
"""What an atomic update makes of the old element and its argument."""


def update(machine: Machine, op: Operation, addresses: Array, values: Array, e: Element, mode: str) -> Array:
    """Updates the elements at addresses one after another; returns what each was before."""
    combine = UPDATES[mode]
    if np.unique(addresses).size == addresses.size:
        old = machine.gather(op, addresses, e, "atomic update")
        machine.scatter(op, addresses, combine(old, values), e)
        return old
    old = np.empty(addresses.shape, e.dtype)
    for n in machine.one_by_one(addresses.size):
        one = slice(n, n + 1)
        old[one] = machine.gather(op, addresses[one], e, "atomic update")
        machine.scatter(op, addresses[one], combine(old[one], values[one]), e)
    return old


def _update(op: Operation, c: Compiler) -> Step:
    e = element(op.results[0])
    mode = keyword(op, "mode")
    pointers, argument = c.slots(op.operands[:2])
    mask, token = (optional_slot(op, c, name) for name in ("mask", "token"))
    result, after = c.slots(op.results)

    def apply(v: Frame) -> None:
        where = np.asarray(v[pointers])
        addresses, chosen = _active(v, mask, where)
        values = np.broadcast_to(v[argument], where.shape).reshape(-1)
        after_update = _noted(v, op, "update", addresses, e, token, True)
        old = update(v[0], op, addresses, values if chosen is None else values[chosen], e, mode)
        if chosen is not None:  # the results of what is masked off are the implementation's choice
            whole = undecided(v[0].adversary, (where.size,), e)
            whole[chosen] = old
            old = whole
        v[result], v[after] = _shaped(old, where.shape), after_update

    return apply


def _compare_and_swap(op: Operation, c: Compiler) -> Step:
    """Elements are compared by their bits. What is masked off yields the value compared with."""
    e = element(op.results[0])
    pointers, expected, desired = c.slots(op.operands[:3])
    mask, token = (optional_slot(op, c, name) for name in ("mask", "token"))
    result, after = c.slots(op.results)
    bits = f"i{e.dtype.itemsize}"

    def swap(v: Frame) -> None:
        machine: Machine = v[0]
        where = np.asarray(v[pointers])
        addresses, chosen = _active(v, mask, where)
        wanted = np.broadcast_to(v[expected], where.shape).reshape(-1)
        fresh = np.broadcast_to(v[desired], where.shape).reshape(-1)
        after_swap = _noted(v, op, "update", addresses, e, token, True)
        old = np.array(wanted)
        numbers = np.arange(where.size) if chosen is None else np.flatnonzero(chosen)
        for n in numbers[machine.one_by_one(numbers.size)]:
            one = slice(n, n + 1)
            at = where.reshape(-1)[one]
            old[one] = machine.gather(op, at, e, "atomic update")
            if old[one].view(bits) == wanted[one].view(bits):
                machine.scatter(op, at, fresh[one], e)
        v[result], v[after] = _shaped(old, where.shape), after_swap

    return swap


def _get_global(op: Operation, c: Compiler) -> Step:
    attribute: Any = op.properties["name"]
    name = cast(str, attribute.root_reference.data)
    (result,) = c.slots(op.results)

    def get(v: Frame) -> None:
        v[result] = np.int64(v[0].globals[name])

    return get


def _allocate(op: Operation, c: Compiler) -> Step:
    """Memory of this block until it ends. It starts as zeros, which checked mode takes for uninitialised, and in
    adversarial mode as anything."""
    pointer: Any = op.results[0].type
    e = element_of(pointer.element_type.pointee)
    count, alignment = integer(op, "num_elem"), integer(op, "alignment")
    size = -(-count // 2) if e.bits == 4 else count * e.memory_bytes
    (result,) = c.slots(op.results)

    def allocate(v: Frame) -> None:
        machine: Machine = v[0]
        buffer = machine.memory.allocate(
            "alloca", size, max(alignment, e.memory_bytes), e.memory_bytes, initialised=False
        )
        if machine.adversary is not None:
            buffer.data[:] = machine.adversary.numbers().integers(0, 256, buffer.data.size, np.uint8)
        machine.local.append(buffer)
        v[result] = np.int64(buffer.start)

    return allocate


PURE: Final[dict[str, Pure]] = {
    "cuda_tile.offset": _offset,
    "cuda_tile.make_token": _make_token,
    "cuda_tile.join_tokens": _join,
    "cuda_tile.gdc_wait_tko": _pass_token,
    "cuda_tile.gdc_launch_dependents_tko": _pass_token,
    "cuda_tile.memory_fence_alias_tko": _pass_token,
}
"""The definitions without effects on memory, by name."""

EFFECTS: Final[dict[str, Effect]] = {
    "cuda_tile.load_ptr_tko": _load,
    "cuda_tile.store_ptr_tko": _store,
    "cuda_tile.atomic_rmw_tko": _update,
    "cuda_tile.atomic_cas_tko": _compare_and_swap,
    "cuda_tile.get_global": _get_global,
    "cuda_tile.alloca": _allocate,
}
"""The definitions of what touches memory, by name."""
