"""The cells that accesses touch: numbers of which two are equal exactly where two accesses meet.

Where all accesses to an array are tiles of one view, cells are boxes, the largest of which all tiles are made.
Elsewhere they are stretches of memory: each tile block's elements are joined into runs, and memory is cut wherever one
of these begins or ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from xdsl.ir import Operation

from freehold.audit.accesses import Access, Box, Points, elements_of
from freehold.audit.lanes import Unknown
from freehold.runtime.interpreter.elements import Array

MOST_CELLS: Final = 1 << 23
"""Cells of an array that are compared."""
MOST_ELEMENTS: Final = 1 << 28
"""Elements that are joined into runs, all accesses to an array taken together."""
BITS: Final = 24
"""Of the number of a tile block, in a key: the number of a cell stands above it."""
BLOCK: Final = (1 << BITS) - 1


class Cells:
    """The cells of each execution of accesses. Raises `OverflowError` where they are too many."""

    def __init__(self, accesses: Sequence[Access]):
        self.accesses = accesses
        self.units: tuple[int, ...] = ()
        self.cuts: Array = np.zeros(0, np.int64)
        """Where memory is cut, if cells are stretches of it."""
        self.view = _common_view(accesses)
        if self.view is not None:
            self.units = _units(accesses)
            if sum(int(a.lanes.sum()) * elements_of(_coarse(a, self.units)) for a in accesses) > MOST_CELLS:
                self.view = None
        self.keys = self._stretches() if self.view is None else [self._boxes(a) for a in accesses]

    def _stretches(self) -> list[Array]:
        """Numbers of the stretches of memory between two cuts."""
        if sum(int(a.lanes.sum()) * _elements(a) for a in self.accesses) > MOST_ELEMENTS:
            raise OverflowError
        runs: list[tuple[Array, Array, Array]] = []
        many = 0
        for access in self.accesses:
            runs.append(runs_of(access))
            many += runs[-1][0].size
            if many > MOST_CELLS:
                raise OverflowError
        self.cuts = np.unique(np.concatenate([end for _, *ends in runs for end in ends] or [self.cuts]))
        spans = [(b, *(np.searchsorted(self.cuts, end) for end in ends)) for b, *ends in runs]
        if sum(int((end - first).sum()) for _, first, end in spans) > MOST_CELLS:
            raise OverflowError
        return [_expanded(blocks, first, end) for blocks, first, end in spans]

    def _boxes(self, access: Access) -> Array:
        """A number for each cell of the tiles: its place among the cells of the tensor."""
        box = access.place
        assert isinstance(box, Box)
        n = int(access.lanes.sum())
        chosen = np.flatnonzero(access.lanes)
        rank = len(box.sizes)
        number: Array = np.zeros((n,) + (1,) * rank, np.int64)
        inside: Array = np.ones((n,) + (1,) * rank, np.bool_)
        assert self.view is not None
        for axis, (start, size) in enumerate(zip(box.starts, box.sizes, strict=True)):
            unit, extent = self.units[axis], self.view[1][axis]
            shape = [1] * (rank + 1)
            shape[axis + 1] = size // unit
            first = start if start.shape[0] == 1 else start[chosen]
            cell = first.reshape(-1, *(1,) * rank) // unit + np.arange(size // unit).reshape(shape)
            number = number * (-(-extent // unit)) + cell
            inside = inside & (cell >= 0) & (cell * unit < extent)
        blocks = np.broadcast_to(access.blocks[chosen].reshape(n, *(1,) * rank), number.shape)
        inside = np.broadcast_to(inside, number.shape)
        return ((number << BITS) + blocks)[inside]

    def address(self, cell: int) -> int:
        """The address of a cell's first element."""
        if self.view is None:
            return int(self.cuts[cell])
        address, shape, strides, size = self.view
        for axis in reversed(range(len(shape))):
            count = -(-shape[axis] // self.units[axis])
            cell, place = divmod(cell, count)
            address += place * self.units[axis] * strides[axis] * size
        return address

    def by_operation(self) -> Iterator[tuple[Operation, Unknown | None, Array]]:
        """The keys of each operation: of what surely happens, and of what may, with the reason why."""
        groups: dict[tuple[Operation, bool], list[int]] = {}
        for number, access in enumerate(self.accesses):
            groups.setdefault((access.op, access.maybe is None), []).append(number)
        for (op, sure), numbers in groups.items():
            keys = np.concatenate([self.keys[n] for n in numbers])
            yield op, None if sure else self.accesses[numbers[0]].maybe, keys

    def shared(self, a: int, b: int) -> tuple[int, int] | None:
        """A tile block in which two executions meet, and the address where."""
        common = np.intersect1d(self.keys[a], self.keys[b])
        return None if not common.size else self.place(int(common[0]))

    def place(self, key: int) -> tuple[int, int]:
        return key & BLOCK, self.address(key >> BITS)

    def repeated(self, number: int) -> tuple[int, int] | None:
        """A tile block in which an execution touches an element twice, and the address."""
        if self.view is not None:
            return None
        keys = np.sort(self.keys[number])
        twice = np.flatnonzero(keys[1:] == keys[:-1])
        return None if not twice.size else self.place(int(keys[twice[0]]))

    def in_order(self) -> list[tuple[int, int]] | None:
        """Pairs of executions that meet at an element: for each element neighbours in time alone.

        Orders are transitive, so all are ordered if neighbours are. None where that cannot be concluded.
        """
        if any(a.path for a in self.accesses) or any(a.kind == "update" for a in self.accesses):
            return None
        keys = np.concatenate([self.keys[n] for n in range(len(self.accesses))])
        if not keys.size:  # all are masked
            return []
        when = np.repeat(np.arange(len(self.accesses)), [len(k) for k in self.keys])
        order = np.lexsort((when, keys))
        keys, when = keys[order], when[order]
        writes = np.array([a.kind != "read" for a in self.accesses])[when]
        found: set[tuple[int, int]] = set()
        for flip in (False, True):  # each access and the write before it; each read and the write after it
            k, w, t = (x[::-1] if flip else x for x in (keys, writes, when))
            last = np.maximum.accumulate(np.where(w, np.arange(len(k)), -1))
            before = np.r_[-1, last[:-1]]
            valid = (before >= 0) & (k[np.maximum(before, 0)] == k)
            pairs = np.unique(np.stack([t[before[valid]], t[valid]], 1), axis=0)
            found |= {(min(int(a), int(b)), max(int(a), int(b))) for a, b in pairs if a != b}
        return sorted(found)


def _expanded(blocks: Array, first: Array, end: Array) -> Array:
    """A key for each cell of each run."""
    counts = end - first
    starts = np.cumsum(counts) - counts
    cells = np.arange(int(counts.sum())) + np.repeat(first - starts, counts)
    return (cells << BITS) + np.repeat(blocks, counts)


def runs_of(access: Access) -> tuple[Array, Array, Array]:
    """Stretches of memory that an access touches: in which tile block, from where, and to where."""
    place = access.place
    if isinstance(place, Box):
        return _box_runs(access, place)
    assert isinstance(place, Points)
    address, mask, n = place.address, place.mask, access.lanes.shape[0]
    if address.shape[0] == 1 and (mask is None or mask.shape[0] == 1):
        _, first, end = _joined(np.zeros(1, np.int64), address, mask, access.size)
        blocks = access.blocks[access.lanes]
        return np.repeat(blocks, first.size), np.tile(first, blocks.size), np.tile(end, blocks.size)
    address = np.broadcast_to(address, (n, *address.shape[1:]))
    chosen = np.broadcast_to(access.lanes.reshape(n, *(1,) * (address.ndim - 1)), address.shape)
    return _joined(access.blocks, address, chosen if mask is None else chosen & mask, access.size)


def _joined(blocks: Array, address: Array, mask: Array | None, size: int) -> tuple[Array, Array, Array]:
    """Addresses of elements as runs, each within a tile block."""
    if (whole := _one_each(blocks, address, mask, size)) is not None:
        return whole
    which = np.broadcast_to(blocks.reshape(-1, *(1,) * (address.ndim - 1)), address.shape)
    if mask is None:
        which, address = which.reshape(-1), address.reshape(-1)
    else:
        mask = np.broadcast_to(mask, address.shape)
        which, address = which[mask], address[mask]
    if not address.size:
        return which, address, address
    begins = np.r_[True, (address[1:] != address[:-1] + size) | (which[1:] != which[:-1])]
    first = np.flatnonzero(begins)
    last = np.r_[first[1:], address.size] - 1
    return which[first], address[first], address[last] + size


def _one_each(blocks: Array, address: Array, mask: Array | None, size: int) -> tuple[Array, Array, Array] | None:
    """The runs where each tile block touches one, the elements of its tile lying one behind another; else None."""
    rows = address.reshape(address.shape[0], -1)
    count = rows.shape[1]
    if count < 2 or not rows.size or int(rows[0, 1]) - int(rows[0, 0]) != size:
        return None
    if not (rows[:, 1:] - rows[:, :-1] == size).all():
        return None
    if mask is None:
        return blocks, rows[:, 0], rows[:, -1] + size
    chosen = np.broadcast_to(mask, address.shape).reshape(rows.shape)
    some, first = chosen.any(axis=1), chosen.argmax(axis=1)
    last = count - 1 - chosen[:, ::-1].argmax(axis=1)
    if (chosen.sum(axis=1) != last - first + 1)[some].any():
        return None
    begin = rows[:, 0]
    return blocks[some], (begin + first * size)[some], (begin + (last + 1) * size)[some]


def _box_runs(access: Access, box: Box) -> tuple[Array, Array, Array]:
    """The runs of tiles of a view: computed for all tile blocks whose tiles have one shape and one layout."""
    n, view = access.lanes.shape[0], box.view
    starts = [np.broadcast_to(s, (n,)) for s in box.starts]
    extents = [np.broadcast_to(e, (n,)) for e in view.shape]
    low = [np.maximum(s, 0) for s in starts]
    counts = [
        np.minimum(s + size, e) - begin for s, size, e, begin in zip(starts, box.sizes, extents, low, strict=True)
    ]
    strides = [np.broadcast_to(s, (n,)) * view.size for s in view.strides]
    address = np.broadcast_to(view.address, (n,)).astype(np.int64)
    for begin, stride in zip(low, strides, strict=True):
        address = address + begin * stride
    lanes = access.lanes & np.logical_and.reduce([c > 0 for c in counts] or [access.lanes])
    rows = np.stack([*counts, *strides], 1)[lanes] if counts else np.zeros((int(lanes.sum()), 0), np.int64)
    parts: list[tuple[Array, Array, Array]] = []
    kinds, which = np.unique(rows, axis=0, return_inverse=True)
    for number, kind in enumerate(kinds):
        mine = np.flatnonzero(lanes)[which.reshape(-1) == number]
        offsets, length = _layout(kind[: len(counts)], kind[len(counts) :], view.size)
        first = (address[mine][:, None] + offsets).reshape(-1)
        parts.append((np.repeat(access.blocks[mine], offsets.size), first, first + length))
    empty = np.zeros(0, np.int64)
    return tuple(np.concatenate([part[n] for part in parts] or [empty]) for n in range(3))  # pyright: ignore


def _layout(counts: Array, strides: Array, size: int) -> tuple[Array, int]:
    """Where the runs of a tile begin, in bytes from its first element, and how long each is."""
    axes = sorted(((int(s), int(c)) for c, s in zip(counts, strides, strict=True) if c > 1))
    length = size
    while axes and axes[0][0] == length:
        length *= axes.pop(0)[1]
    offsets: Array = np.zeros(1, np.int64)
    for stride, count in axes:
        offsets = (np.arange(count)[:, None] * stride + offsets).reshape(-1)
    return offsets, length


_Common = tuple[int, tuple[int, ...], tuple[int, ...], int]


def _common_view(accesses: Sequence[Access]) -> _Common | None:
    """Address, extents and strides of the view that all accesses are tiles of, if there is one without overlap."""
    found: set[_Common] = set()
    for access in accesses:
        if not isinstance(access.place, Box):
            return None
        view = access.place.view
        parts = (view.address, *view.shape, *view.strides)
        if any(part.shape[0] != 1 and (part != part[0]).any() for part in parts):
            return None
        found.add(
            (
                int(view.address.flat[0]),
                tuple(int(n.flat[0]) for n in view.shape),
                tuple(int(n.flat[0]) for n in view.strides),
                view.size,
            )
        )
        if len(found) > 1:
            return None
    (common,) = found
    reach = 1
    for stride, extent in sorted((s, n) for s, n in zip(common[2], common[1], strict=True) if n > 1):
        if stride < reach:
            return None
        reach += stride * (extent - 1)
    return common


def _units(accesses: Sequence[Access]) -> tuple[int, ...]:
    """The largest extents of cells of which all tiles are made."""
    boxes = [(a, a.place) for a in accesses if isinstance(a.place, Box)]
    found: list[int] = []
    for axis in range(len(boxes[0][1].sizes)):
        numbers = [np.array([box.sizes[axis]]) for _, box in boxes]
        numbers += [box.starts[axis] for _, box in boxes]
        found.append(int(np.gcd.reduce([int(np.gcd.reduce(n.reshape(-1))) for n in numbers])) or 1)
    return tuple(found)


def _coarse(access: Access, units: Sequence[int]) -> list[int]:
    assert isinstance(access.place, Box)
    return [size // unit for size, unit in zip(access.place.sizes, units, strict=True)]


def _elements(access: Access) -> int:
    """How many elements of an access are looked at one by one, in each tile block."""
    return elements_of(access.place.address.shape[1:]) if isinstance(access.place, Points) else 1
