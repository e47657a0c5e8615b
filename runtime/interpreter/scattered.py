"""Accesses that count elements: `gather`, `load_from`, accumulators, and what `unsafe` allows.

An update is done element by element, in the order of the tile, so its result is one of those that the GPU may give.
Indices of `gather` and of accumulators that are out of bounds do nothing. What is recorded as proved is believed by the
lowered kernel, so an index that contradicts it ends the run here; so does any index of an unsafe access.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.location import span_of
from freehold.dialects.ownership import (
    AccumulateAtOp,
    AccumulateOp,
    Duty,
    GatherOp,
    LoadFromOp,
    OwingOp,
    Rung,
    UnsafeLoadOp,
    UnsafeOp,
    UnsafeStoreOp,
    UnsafeSwapOp,
    UnsafeUpdateOp,
)
from freehold.runtime.interpreter.access import dims, element
from freehold.runtime.interpreter.compile import reject
from freehold.runtime.interpreter.elements import Array, Element
from freehold.runtime.interpreter.errors import ElementsMeet, OutsideTensor
from freehold.runtime.interpreter.machine import Machine, clean, undecided
from freehold.runtime.interpreter.ownership import kernel_checks, starts_of
from freehold.runtime.interpreter.pointers import UPDATES
from freehold.runtime.interpreter.windows import Window, padding_of

if TYPE_CHECKING:
    from xdsl.ir import Operation, SSAValue

    from freehold.runtime.interpreter.compile import Compiler, Effect, Frame, Step


@dataclass(frozen=True, slots=True)
class _Place:
    """The elements of a tensor that a tile's elements stand for."""

    index: tuple[Array, ...]
    """The indices of those that are accessed, axis by axis."""
    chosen: Array
    """Which of the tile's elements those are, flat."""


def _proved(op: OwingOp) -> frozenset[int]:
    """The axes along which nothing is masked."""
    return frozenset(o.axis.data for o in op.owes if o.duty is Duty.IN_BOUNDS and o.rung is Rung.PROVED)


def _place(
    machine: Machine,
    op: Operation,
    window: Window,
    indices: Sequence[Array],
    mask: Array | None,
    shape: tuple[int, ...],
    checked: frozenset[int],
) -> _Place:
    """Where the elements of a tile of `shape` lie. Ends the run where one leaves an axis of `checked`."""
    inside = np.ones(shape, np.bool_) if mask is None else np.asarray(mask)
    wanted = inside
    spread = [np.broadcast_to(np.asarray(i).astype(np.int64), shape) for i in indices]
    for axis, (index, extent) in enumerate(zip(spread, window.shape, strict=True)):
        fits = (index >= 0) & (index < extent)
        if axis in checked and not (fits | ~wanted).all():
            wrong = int(index[wanted & ~fits].flat[0])
            error = OutsideTensor(span_of(op), window.name, axis, wrong)
            reject(error.add(error.Witness(machine.label, extent)))
        inside = inside & fits
    chosen = inside.reshape(-1)
    return _Place(tuple(i.reshape(-1)[chosen] for i in spread), chosen)


def _watch(machine: Machine, op: Operation, kind: str, window: Window, place: _Place, *, strong: bool = False) -> None:
    """Notes an access where somebody watches."""
    if machine.watch is None or not place.index or not place.index[0].size:
        return
    addresses = np.full(place.index[0].shape, window.address, np.int64)
    for index, stride in zip(place.index, window.strides, strict=True):
        addresses += index * stride
    size = window.element.memory_bytes
    for buffer, mask in machine.locate(op, "load" if kind == "read" else "store", addresses, size):
        chosen = addresses if mask is None else addresses[mask]
        machine.watch.access(op, kind, buffer, chosen, size, strong=strong)


def _array(window: Window) -> Array:
    assert window.array is not None  # an argument of an ownership kernel
    return window.array


def _read(window: Window, place: _Place, shape: tuple[int, ...], padding: Any) -> Any:
    """A tile of the elements at a place, and of padding."""
    tile = np.full(place.chosen.size, padding, window.element.dtype)
    tile[place.chosen] = clean(_array(window)[place.index], window.element)
    return tile.reshape(shape) if shape else tile[0]


def _flat(value: Any, shape: tuple[int, ...], place: _Place) -> Array:
    """The elements of a tile that are accessed."""
    return np.broadcast_to(value, shape).reshape(-1)[place.chosen]


def _combine(machine: Machine, window: Window, place: _Place, values: Array, mode: str) -> Array:
    """Updates the elements at a place one after another; returns what each was before."""
    array, index, combine = _array(window), place.index, UPDATES[mode]
    if not index:  # the one element of what has no axes
        array, index = array.reshape(1), (np.zeros(values.size, np.int64),)
    numbers = np.ravel_multi_index(index, array.shape)
    if np.unique(numbers).size == numbers.size:
        old = np.array(array[index])
        array[index] = combine(old, values)
        return old
    old = np.empty(values.shape, values.dtype)
    for n in machine.one_by_one(values.size):
        one = tuple(i[n : n + 1] for i in index)
        old[n : n + 1] = array[one]
        array[one] = combine(old[n : n + 1], values[n : n + 1])
    return old


def _apart(machine: Machine, op: Operation, window: Window, place: _Place, values: Array) -> None:
    """Ends the run where different values are stored to one element."""
    if not place.index:
        return
    numbers = np.ravel_multi_index(place.index, window.shape)
    order = np.argsort(numbers, kind="stable")
    bits = np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")
    first, second = order[:-1], order[1:]
    clash = (numbers[first] == numbers[second]) & (bits[first] != bits[second])
    if clash.any():
        a, b = int(first[clash][0]), int(second[clash][0])
        element = f"[{', '.join(str(i[a]) for i in place.index)}]"
        reject(ElementsMeet(span_of(op), window.name, element, str(values[a]), str(values[b]), machine.label))


def _from_element(op: Operation, starts: Sequence[Any], shape: tuple[int, ...]) -> list[Array]:
    """The indices of the elements of a tile that begins at an element."""
    found: list[Array] = []
    for axis, (start, size) in enumerate(zip(starts, shape, strict=True)):
        line = [1] * len(shape)
        line[axis] = size
        found.append((int(start) + np.arange(size, dtype=np.int64)).reshape(line))
    return found


def _gather(op: Operation, c: Compiler) -> Step:
    assert isinstance(op, GatherOp)
    source, result = c.slot(op.source), c.slot(op.result)
    indices = c.slots(op.indices)
    mask = None if op.mask is None else c.slot(op.mask)
    shape = dims(op.result)
    padding = _padding(op.padding_value, element(op.result))
    checked = _proved(op)

    def gather(v: Frame) -> None:
        window: Window = v[source]
        place = _place(v[0], op, window, [v[i] for i in indices], _given(v, mask), shape, checked)
        v[result] = _read(window, place, shape, padding)
        _watch(v[0], op, "read", window, place)

    return gather


def _load_from(op: Operation, c: Compiler) -> Step:
    """Along an axis that is proved, the first element is in bounds; the others may overhang."""
    assert isinstance(op, LoadFromOp)
    source, result = c.slot(op.source), c.slot(op.result)
    start = c.slots(op.start)
    shape = dims(op.result)
    padding = _padding(op.padding_value, element(op.result))
    checked = _proved(op)

    def load(v: Frame) -> None:
        window: Window = v[source]
        starts = [v[s] for s in start]
        _place(v[0], op, window, [np.asarray(s) for s in starts], None, (), checked)
        place = _place(v[0], op, window, _from_element(op, starts, shape), None, shape, frozenset())
        v[result] = _read(window, place, shape, padding)
        _watch(v[0], op, "read", window, place)

    return load


def _accumulate(op: Operation, c: Compiler) -> Step:
    assert isinstance(op, AccumulateOp)
    tile, target = c.slot(op.tile), c.slot(op.target)
    coordinates = c.slots(op.coordinates)
    mode = op.combining
    shape, steps = op.shape, op.steps
    checks = kernel_checks(op)

    def accumulate(v: Frame) -> None:
        window: Window = v[target]
        starts = starts_of(v[0], op, window, [v[slot] for slot in coordinates], steps, checks)
        place = _place(v[0], op, window, _from_element(op, starts, shape), None, shape, frozenset())
        _watch(v[0], op, "update", window, place, strong=True)
        _combine(v[0], window, place, _flat(v[tile], shape, place), mode)

    return accumulate


def _accumulate_at(op: Operation, c: Compiler) -> Step:
    assert isinstance(op, AccumulateAtOp)
    values, target = c.slot(op.values), c.slot(op.target)
    indices = c.slots(op.indices)
    mask = None if op.mask is None else c.slot(op.mask)
    mode = op.combining
    shape = dims(op.values)
    checked = _proved(op)

    def accumulate(v: Frame) -> None:
        window: Window = v[target]
        place = _place(v[0], op, window, [v[i] for i in indices], _given(v, mask), shape, checked)
        _watch(v[0], op, "update", window, place, strong=True)
        _combine(v[0], window, place, _flat(v[values], shape, place), mode)

    return accumulate


# Unsafe accesses


@dataclass(frozen=True, slots=True)
class _Raw:
    """What the unsafe accesses share: where they go, and how they are noted."""

    op: UnsafeOp
    target: int
    indices: list[int]
    mask: int | None
    after: int | None
    shape: tuple[int, ...]
    kind: str

    def place(self, v: Frame) -> tuple[Window, _Place]:
        """The tensor and the elements. Ends the run where one is not in the tensor."""
        window: Window = v[self.target]
        axes = frozenset(range(len(window.shape)))
        indices = [v[i] for i in self.indices]
        place = _place(v[0], self.op, window, indices, _given(v, self.mask), self.shape, axes)
        strong = self.op.ordering.data.value != "weak"
        _watch(v[0], self.op, self.kind, window, place, strong=strong)
        if v[0].late:  # accesses to one tensor are in the order of the text, and what releases comes after all others
            v[0].settle(None if self.op.synchronises else self.target)
        if self.after is not None:
            v[self.after] = 0
        return window, place


def _raw(op: UnsafeOp, c: Compiler, target: SSAValue, value: SSAValue, kind: str) -> _Raw:
    fields = cast("UnsafeLoadOp", op)  # all of them have these
    return _Raw(
        op,
        c.slot(target),
        c.slots(fields.indices),
        None if fields.mask is None else c.slot(fields.mask),
        None if fields.result_token is None else c.slot(fields.result_token),
        dims(value),
        kind,
    )


def _unsafe_load(op: Operation, c: Compiler) -> Step:
    assert isinstance(op, UnsafeLoadOp)
    raw = _raw(op, c, op.source, op.result, "read")
    result = c.slot(op.result)
    padding = _padding(op.padding_value, element(op.result))

    def load(v: Frame) -> None:
        window, place = raw.place(v)
        v[result] = _read(window, place, raw.shape, padding)

    return load


def _unsafe_store(op: Operation, c: Compiler) -> Step:
    assert isinstance(op, UnsafeStoreOp)
    raw = _raw(op, c, op.target, op.tile, "write")
    tile = c.slot(op.tile)

    def store(v: Frame) -> None:
        machine: Machine = v[0]
        window, place = raw.place(v)
        values = _flat(v[tile], raw.shape, place)
        if machine.watch is not None:
            _apart(machine, op, window, place, values)
        if machine.adversary is None:
            _array(window)[place.index] = values
            return
        order = machine.adversary.shuffled(values.size)  # of equal elements, any may be the last
        index, values = tuple(i[order] for i in place.index), values[order]

        def write() -> None:
            _array(window)[index] = values

        if op.synchronises or machine.adversary.flips():
            write()
        else:
            machine.late.append((raw.target, write))

    return store


def _unsafe_update(op: Operation, c: Compiler) -> Step:
    assert isinstance(op, UnsafeUpdateOp)
    raw = _raw(op, c, op.target, op.tile, "update")
    tile, result = c.slot(op.tile), c.slot(op.result)
    mode = op.mode.data.value

    def update(v: Frame) -> None:
        window, place = raw.place(v)
        old = undecided(v[0].adversary, (place.chosen.size,), window.element)
        old[place.chosen] = _combine(v[0], window, place, _flat(v[tile], raw.shape, place), mode)
        v[result] = old.reshape(raw.shape) if raw.shape else old[0]

    return update


def _unsafe_swap(op: Operation, c: Compiler) -> Step:
    assert isinstance(op, UnsafeSwapOp)
    raw = _raw(op, c, op.target, op.expected, "update")
    expected, desired, result = c.slots([op.expected, op.desired, op.result])

    def swap(v: Frame) -> None:
        window, place = raw.place(v)
        array = _array(window)
        bits = f"i{array.dtype.itemsize}"
        wanted, fresh = _flat(v[expected], raw.shape, place), _flat(v[desired], raw.shape, place)
        old = np.array(np.broadcast_to(v[expected], raw.shape)).reshape(-1)
        chosen = np.flatnonzero(place.chosen)
        for n in v[0].one_by_one(chosen.size):
            at = chosen[n]
            one = tuple(i[n : n + 1] for i in place.index)
            found = np.array(array[one])
            if found.view(bits) == wanted[n : n + 1].view(bits):
                array[one] = fresh[n]
            old[at : at + 1] = found
        v[result] = old.reshape(raw.shape) if raw.shape else old[0]

    return swap


def _padding(attribute: Any, e: Element) -> Any:
    if isinstance(attribute, DenseElementsAttr):
        return np.frombuffer(attribute.data.data, e.dtype)[0]
    return padding_of(None if attribute is None else attribute.data.value, e)


def _given(v: Frame, mask: int | None) -> Array | None:
    return None if mask is None else np.asarray(v[mask])


EFFECTS: Final[Mapping[str, Effect]] = {
    "ownership.gather": _gather,
    "ownership.load_from": _load_from,
    "ownership.accumulate": _accumulate,
    "ownership.accumulate_at": _accumulate_at,
    "ownership.unsafe_load": _unsafe_load,
    "ownership.unsafe_store": _unsafe_store,
    "ownership.unsafe_update": _unsafe_update,
    "ownership.unsafe_swap": _unsafe_swap,
}
"""The definitions of what accesses elements, by name."""
