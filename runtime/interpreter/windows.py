"""Tensors in memory, and boxes of them: what views and regions read and write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from freehold.dialects.cuda_tile.attrs import PADDING_NUMBERS
from freehold.runtime.interpreter.elements import Array, Element, Tile, from_exact
from freehold.runtime.interpreter.machine import Machine, clean

if TYPE_CHECKING:
    from xdsl.ir import Operation


def padding_of(name: str | None, e: Element) -> Any:
    """What stands in a tile beyond the tensor. Without a name, which leaves it open: zero bits, where no adversary says
    otherwise (`undecided`)."""
    if name is None or name == "zero":
        return np.zeros((), e.dtype)[()]
    return from_exact(np.array(PADDING_NUMBERS[name]), e)[()]


@dataclass(slots=True)
class Window:
    """A tensor in memory: base address, extents, strides in bytes (in half bytes for `f4E2M1FN`).

    `array` is its elements where all of them are memory that may be accessed; otherwise each access is checked alone.
    `constant`: nothing writes it during a run, so that tiles may be views of it.
    """

    name: str
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    element: Element
    array: Array | None
    constant: bool = False

    def addresses(self, index: Sequence[Array]) -> Array:
        """The addresses of the elements at the product of index ranges (half-byte numbers for `f4E2M1FN`)."""
        base = self.address * 2 if self.element.bits == 4 else self.address
        total = np.full((1,) * len(index), base, np.int64)
        for axis, (places, stride) in enumerate(zip(index, self.strides, strict=True)):
            shape = [1] * len(index)
            shape[axis] = -1
            total = total + (places.astype(np.int64) * stride).reshape(shape)
        return total


def window_at(
    machine: Machine, name: str, address: int, shape: Sequence[int], strides: Sequence[int], e: Element
) -> Window:
    """The window of a tensor view. Strides count elements."""
    if e.bits == 4:
        return Window(name, address, tuple(shape), tuple(strides), e, None)
    size = e.memory_bytes
    steps = tuple(s * size for s in strides)
    if 0 in shape:  # no element, so no memory that could be missing
        return Window(name, address, tuple(shape), steps, e, np.empty(shape, e.dtype))
    end = address + size + sum((n - 1) * s for n, s in zip(shape, steps, strict=True))
    buffer = machine.memory.find(address)
    array = None
    if buffer is not None and end <= buffer.end and address % size == 0:
        array = np.ndarray(tuple(shape), e.dtype, buffer.data, address - buffer.start, steps)
    return Window(name, address, tuple(shape), steps, e, array)


def _inside(window: Window, starts: Sequence[int], sizes: Sequence[int]) -> tuple[list[Array], tuple[slice, ...]]:
    """The element numbers of the part of a box that is inside the tensor, and where that part stands in the tile."""
    ranges: list[Array] = []
    places: list[slice] = []
    for start, size, extent in zip(starts, sizes, window.shape, strict=True):
        low, high = max(start, 0), min(start + size, extent)
        ranges.append(np.arange(low, max(low, high), dtype=np.int64))
        places.append(slice(low - start, max(low, high) - start))
    return ranges, tuple(places)


def load_box(
    machine: Machine, op: Operation, window: Window, starts: Sequence[int], sizes: Sequence[int], padding: Any
) -> Array:
    """The tile at a place, with padding where it overhangs. Starts are inside the tensor."""
    array = window.array
    if array is None:
        return _load_slowly(machine, op, window, starts, sizes, padding)
    whole = True
    index: list[slice] = []
    for start, size, extent in zip(starts, sizes, window.shape, strict=True):
        end = start + size
        if end > extent:
            whole, end = False, extent
        index.append(slice(start, end))
    part = array[tuple(index)]
    if whole:
        return part if window.constant else clean(part.copy(), window.element)
    tile = np.full(sizes, padding, window.element.dtype)
    tile[tuple(slice(0, i.stop - i.start) for i in index)] = clean(np.ascontiguousarray(part), window.element)
    return tile


def store_box(machine: Machine, op: Operation, window: Window, starts: Sequence[int], tile: Tile) -> None:
    """Stores a tile at a place, leaving out what overhangs."""
    array = window.array
    if array is None:
        ranges, places = _inside(window, starts, tile.shape)
        store_at(machine, op, window, ranges, tile[places])
        return
    index = tuple(slice(start, start + size) for start, size in zip(starts, tile.shape, strict=True))
    target = array[..., *index]  # of what has no axes, too, a view
    if target.shape != tile.shape:
        tile = tile[tuple(slice(0, n) for n in target.shape)]
    target[...] = tile


def _load_slowly(
    machine: Machine, op: Operation, window: Window, starts: Sequence[int], sizes: Sequence[int], padding: Any
) -> Array:
    ranges, places = _inside(window, starts, sizes)
    tile = np.full(sizes, padding, window.element.dtype)
    tile[places] = load_at(machine, op, window, ranges)
    return tile


def load_at(machine: Machine, op: Operation, window: Window, index: Sequence[Array]) -> Array:
    """The elements at the product of index ranges, all inside the tensor."""
    if window.element.bits == 4:
        nibbles = window.addresses(index)
        codes = machine.gather(op, nibbles // 2, BYTE)
        return ((codes >> (nibbles % 2 * 4).astype(np.uint8)) & np.uint8(15)).view(window.element.dtype)
    if window.array is not None:
        return clean(window.array[np.ix_(*index)], window.element)
    return machine.gather(op, window.addresses(index), window.element)


def store_at(machine: Machine, op: Operation, window: Window, index: Sequence[Array], values: Array) -> None:
    """Stores elements at the product of index ranges, all inside the tensor."""
    if window.element.bits == 4:
        nibbles = window.addresses(index)
        for half in (0, 1):  # both halves of a byte may be among them
            mask = nibbles % 2 == half
            where = nibbles[mask] // 2
            old = machine.gather(op, where, BYTE, "store")
            codes = (values[mask].view(np.uint8) & np.uint8(15)) << np.uint8(4 * half)
            machine.scatter(op, where, (old & np.uint8(0xF0 >> (4 * half))) | codes, BYTE)
    elif window.array is not None:
        window.array[np.ix_(*index)] = values
    else:
        machine.scatter(op, window.addresses(index), values, window.element)


BYTE: Final = Element("fnv8E5M3FNU", np.dtype(np.uint8), 8)
"""A byte as memory holds it."""


def watch_at(
    machine: Machine,
    op: Operation,
    kind: str,
    window: Window,
    index: Sequence[Array],
    *,
    strong: bool = False,
    token: int = 0,
) -> int:
    """Notes an access to the elements at the product of index ranges; returns the token that comes after."""
    watch = machine.watch
    assert watch is not None
    addresses = window.addresses(index)
    size = window.element.memory_bytes
    if window.element.bits == 4:
        addresses, size = np.unique(addresses // 2), 1
    for buffer, mask in (
        machine.locate(op, "load" if kind == "read" else "store", addresses, size) if addresses.size else []
    ):
        token = watch.access(
            op, kind, buffer, addresses if mask is None else addresses[mask], size, strong=strong, token=token
        )
    return token


def box_ranges(window: Window, starts: Sequence[int], sizes: Sequence[int]) -> list[Array]:
    """The element numbers of the part of a box that is inside the tensor, axis by axis."""
    return _inside(window, starts, sizes)[0]
