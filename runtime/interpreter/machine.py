"""What a run works on: the memory of the arguments, the place in the grid, and whoever watches accesses."""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np

from freehold.dialects.location import span_of
from freehold.runtime.interpreter.compile import reject
from freehold.runtime.interpreter.elements import Array, Element
from freehold.runtime.interpreter.errors import Misaligned, OutsideMemory

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from freehold.runtime.interpreter.adversary import Adversary
    from freehold.runtime.interpreter.breakpoints import Session
    from freehold.runtime.interpreter.watch import Watch


@dataclass(frozen=True, slots=True)
class Part:
    """An array inside a buffer, for messages: its place, and how an address becomes an index."""

    name: str
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """In bytes."""
    itemsize: int
    initialised: bool = True
    """Whether a run may read it before writing it."""

    @property
    def end(self) -> int:
        """The address after its last element."""
        return self.address + self.itemsize + sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True))

    def index(self, address: int) -> str:
        """The index of the element at an address, as text."""
        return "[" + ", ".join(map(str, self._at(address)[0])) + "]"

    def holds(self, address: int) -> bool:
        """Whether the byte at an address is of an element, and not between two."""
        index, rest = self._at(address)
        return 0 <= rest < self.itemsize and all(0 <= i < n for i, n in zip(index, self.shape, strict=True))

    def _at(self, address: int) -> tuple[list[int], int]:
        rest = address - self.address
        index = [0] * len(self.shape)
        for axis in sorted(range(len(self.shape)), key=lambda a: -self.strides[a]):
            if self.strides[axis] > 0 and self.shape[axis] > 1:
                index[axis], rest = divmod(rest, self.strides[axis])
        return index, rest


def part_of(name: str, array: Array, initialised: bool = True) -> Part:
    """An array as part of a buffer. Its strides are positive."""
    return Part(name, array.ctypes.data, array.shape, array.strides, array.dtype.itemsize, initialised)


@dataclass
class Buffer:
    """A range of addresses that may be accessed: one array, or several that overlap."""

    start: int
    end: int
    data: Array
    """Its bytes."""
    parts: list[Part] = field(default_factory=list[Part])
    keep: object = None
    """What owns the memory."""
    _typed: dict[Any, tuple[Array, int]] = field(default_factory=dict[Any, tuple[Array, int]])

    def typed(self, dtype: np.dtype[Any]) -> tuple[Array, int]:
        """The bytes as aligned elements, and the address of the first."""
        found = self._typed.get(dtype)
        if found is None:
            skip = -self.start % dtype.itemsize
            count = max(0, (self.end - self.start - skip) // dtype.itemsize)
            elements = self.data[skip : skip + count * dtype.itemsize].view(dtype)
            found = self._typed[dtype] = elements, self.start + skip
        return found


def _bytes_at(address: int, size: int, writable: bool) -> Array:
    data = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))
    data.flags.writeable = writable
    return data


class Memory:
    """All buffers, by address."""

    def __init__(self) -> None:
        self.buffers: list[Buffer] = []
        self._starts: list[int] = []

    def add(self, arrays: Iterable[tuple[Part, Array]]) -> None:
        """Adds arrays; those that overlap become one buffer. The arrays are kept alive."""
        group: list[tuple[Part, Array]] = []
        end = 0
        for part, array in sorted(arrays, key=lambda item: item[0].address):
            if group and part.address >= end:
                self._insert(group, end)
                group = []
            end = max(end, part.end) if group else part.end
            group.append((part, array))
        if group:
            self._insert(group, end)

    def _insert(self, group: list[tuple[Part, Array]], end: int) -> None:
        start = group[0][0].address
        writable = any(array.flags.writeable for _, array in group)
        data = _bytes_at(start, end - start, writable)
        buffer = Buffer(start, end, data, [part for part, _ in group], [array for _, array in group])
        at = bisect_right(self._starts, start)
        self.buffers.insert(at, buffer)
        self._starts.insert(at, start)

    def allocate(self, name: str, size: int, alignment: int, itemsize: int, *, initialised: bool) -> Buffer:
        """A new buffer of zeros."""
        raw = np.zeros(size + alignment, np.uint8)
        skip = -raw.ctypes.data % alignment
        array = raw[skip : skip + max(size, 1)]
        part = Part(name, array.ctypes.data, (max(size, 1) // itemsize or 1,), (itemsize,), itemsize, initialised)
        self.add([(part, array)])
        buffer = self.find(part.address)
        assert buffer is not None
        return buffer

    def release(self, buffer: Buffer) -> None:
        """Ends a buffer."""
        at = self.buffers.index(buffer)
        del self.buffers[at], self._starts[at]

    def find(self, address: int) -> Buffer | None:
        """The buffer that holds an address."""
        at = bisect_right(self._starts, address) - 1
        if at < 0 or address >= self.buffers[at].end:
            return None
        return self.buffers[at]

    def nearest(self, address: int) -> Buffer | None:
        """The buffer that is least far from an address."""
        return min(self.buffers, key=lambda b: max(b.start - address, address - b.end + 1, 0), default=None)


LATENESS: Final = 8
"""How often others may go on before the last stores of a block are seen."""


def show(text: str) -> None:
    """Writes what a kernel prints to Python's standard output."""
    print(text, end="")


@dataclass
class Machine:
    """The state of a run. Slot 0 of every frame."""

    memory: Memory
    grid: tuple[Any, Any, Any] = (np.int32(1), np.int32(1), np.int32(1))
    block: tuple[Any, Any, Any] = (np.int32(0), np.int32(0), np.int32(0))
    turn: int = 0
    """The number of the point, or block, that runs: accesses of equal turns do not race."""
    label: str = "0"
    """The turn, for messages."""
    watch: Watch | None = None
    write: Callable[[str], None] = show
    globals: dict[str, int] = field(default_factory=dict[str, int])
    """Addresses of globals."""
    schedule: Any = None
    """How an ownership module's points are handed out."""
    symbols: dict[str, int] = field(default_factory=dict[str, int])
    """The extents of an ownership module's arguments, by their names."""
    local: list[Buffer] = field(default_factory=list[Buffer])
    """What this block has allocated."""
    adversary: Adversary | None = None
    """Who decides what is left open, in adversarial mode. Each block has a machine of its own then."""
    session: Session | None = None
    """Who is asked at breakpoints."""
    late: list[tuple[object, Callable[[], None]]] = field(default_factory=list[tuple[object, Callable[[], None]]])
    """Stores of this block that no other block has seen: where to, and what does it."""

    def of_block(self, turn: int, label: str) -> Machine:
        """The machine of one block among several that are under way."""
        own = replace(self, local=[], late=[])
        own.begin(turn, label)
        return own

    def end(self) -> None:
        """A block that is under way among others ends, and what it stored late is seen late."""
        if self.late and self.adversary is not None:
            for _ in range(LATENESS):
                self.adversary.pause()
        self.settle()

    def one_by_one(self, count: int) -> Array:
        """The order in which the elements of one access are updated."""
        return np.arange(count) if self.adversary is None else self.adversary.shuffled(count)

    def settle(self, where: object = None) -> None:
        """Does what stores were left for later: those to one tensor, or all."""
        due = [store for place, store in self.late if where is None or place == where]
        self.late = [] if where is None else [kept for kept in self.late if kept[0] != where]
        for store in due:
            store()

    def begin(self, turn: int, label: str) -> None:
        """A new block, or a new point of one, starts."""
        self.turn, self.label = turn, label
        if self.watch is not None:
            self.watch.begin(turn, label)
        while self.local:
            self.memory.release(self.local.pop())

    def element_at(self, address: int) -> tuple[str, str]:
        """The name of the array at an address that belongs to one, and the index there."""
        buffer = self.memory.find(address)
        assert buffer is not None
        part = next((p for p in buffer.parts if p.address <= address < p.end), buffer.parts[0])
        return part.name, part.index(address)

    def outside(self, op: Operation, access: str, address: int, size: int) -> NoReturn:
        """Ends the run: an address belongs to nothing."""
        error = OutsideMemory(span_of(op), access, address, size)
        near = self.memory.nearest(address)
        if near is not None:
            part = min(near.parts, key=lambda p: max(p.address - address, address - p.end + 1, 0))
            error.add(error.Near(self.label, part.name, part.end - part.address, address - part.address))
        reject(error)

    def locate(self, op: Operation, access: str, addresses: Array, size: int) -> list[tuple[Buffer, Array | None]]:
        """The buffers that addresses lie in, each with a mask of those that do (None: all). Checks every address."""
        bad = addresses % size != 0
        if bad.any():
            reject(Misaligned(span_of(op), access, int(addresses[bad].flat[0]), size))
        low, high = int(addresses.min()), int(addresses.max())
        buffer = self.memory.find(low)
        if buffer is not None and high + size <= buffer.end:
            return [(buffer, None)]
        found: list[tuple[Buffer, Array | None]] = []
        rest = np.ones(addresses.shape, np.bool_)
        while rest.any():
            low = int(addresses[rest].min())
            buffer = self.memory.find(low)
            if buffer is None or low + size > buffer.end:
                self.outside(op, access, low, size)
            mask = rest & (addresses + size <= buffer.end)
            found.append((buffer, mask))
            rest &= ~mask
        return found

    def gather(self, op: Operation, addresses: Array, e: Element, access: str = "load") -> Array:
        """The elements at addresses (an array of any shape but rank 0)."""
        result = np.empty(addresses.shape, e.dtype)
        if addresses.size:
            for buffer, mask in self.locate(op, access, addresses, e.memory_bytes):
                elements, base = buffer.typed(e.dtype)
                index = (addresses - base) // e.memory_bytes
                if mask is None:
                    result = elements[index]
                else:
                    result[mask] = elements[index[mask]]
        return clean(result, e)

    def scatter(self, op: Operation, addresses: Array, values: Array, e: Element) -> None:
        """Stores elements at addresses."""
        if addresses.size:
            for buffer, mask in self.locate(op, "store", addresses, e.memory_bytes):
                elements, base = buffer.typed(e.dtype)
                index = (addresses - base) // e.memory_bytes
                if mask is None:
                    elements[index] = values
                else:
                    elements[index[mask]] = values[mask]


_TF32_MASK: Final = np.uint32(0xFFFFE000)


def undecided(adversary: Adversary | None, shape: Sequence[int], e: Element) -> Array:
    """
    Elements of which nothing is said: zeros, or in adversarial mode whatever a seed says.

    Half of the times these are any bits, of which floats are most often too large not to be seen in a sum, and half of
    the times all are NaN, if there is that.
    """
    if adversary is None:
        return np.zeros(shape, e.dtype)
    if e.format is not None and e.format.has_inf and adversary.flips():
        return np.full(shape, np.nan, np.float32).astype(e.dtype)
    bits = adversary.numbers().integers(0, 256, (*shape, e.dtype.itemsize), np.uint8)
    if e.bits == 4:  # a byte holds one
        bits &= np.uint8(15)
    if e.name == "i4":
        bits |= (bits & np.uint8(8)) * np.uint8(30)
    return clean((bits & np.uint8(1) if e.bits == 1 else bits).view(e.dtype).reshape(shape), e)


def clean(values: Array, e: Element) -> Array:
    """What memory held, as a tile: `tf32` has no low bits, an `i1` is 0 or 1."""
    if e.name == "tf32":
        return (values.view(np.uint32) & _TF32_MASK).view(np.float32)
    if e.name == "i1":
        return values.view(np.uint8) != 0
    return values
