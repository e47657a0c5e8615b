"""Which accesses of a launch conflict: two tile blocks at one element, or one tile block twice without a token between.

Elements are compared as numbers. Where all accesses to an array are tiles of one view, tiles are compared as boxes of
the largest cells of which all are made; elsewhere every element is a cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

import numpy as np
from xdsl.ir import Operation

from freehold.audit.accesses import Access, Box, Points, addresses_of, elements_of, strong_between_blocks
from freehold.audit.facts import Call, Placed
from freehold.audit.lanes import Unknown
from freehold.runtime.interpreter.elements import Array

MOST_CELLS: Final = 1 << 23
"""Cells of an array that are compared."""
_BITS: Final = 24
"""Of the number of a tile block, in a key: the number of a cell stands above it."""
_BLOCK: Final = (1 << _BITS) - 1
SMALLER: Final = "a launch of the same kind, but smaller"
"""The fact that decides what is too much to look at."""
_MOST_PAIRS: Final = 3000
"""Pairs of executions that are compared one by one."""


@dataclass(frozen=True)
class Conflict:
    """Two accesses that may not meet, and do: of two tile blocks, of one, or of one store with itself.

    Or one that reads what nothing wrote."""

    kind: Literal["race", "unordered", "lanes", "unwritten"]
    array: int
    """The parameter in whose memory they meet."""
    first: Operation
    second: Operation
    blocks: tuple[int, int]
    address: int
    maybe: Unknown | None = None
    """Why it is not known whether they do."""


@dataclass(frozen=True)
class Undecided:
    """Accesses to an array of which it is not known whether they conflict."""

    array: int
    ops: tuple[Operation, ...]
    why: Unknown


@dataclass(eq=False)
class _Site:
    """All executions of one operation that surely happen, or all that may: which tile blocks touch which cells."""

    op: Operation
    maybe: Unknown | None
    keys: Array

    def __post_init__(self) -> None:
        self.keys.sort()
        self.cells, self.blocks = self.keys >> _BITS, self.keys & _BLOCK
        if not self.cells.size:
            self.heads = self.low = self.high = self.cells
            return
        first = np.flatnonzero(np.r_[True, self.cells[1:] != self.cells[:-1]])
        self.heads = self.cells[first]
        """Each cell once."""
        self.low = self.blocks[first]
        """The first tile block there, and the last."""
        self.high = self.blocks[np.r_[first[1:], len(self.cells)] - 1]


class Group:
    """The accesses to arrays that share memory."""

    def __init__(self, call: Call, arrays: Sequence[int], accesses: Sequence[Access]):
        self.call = call
        self.arrays = tuple(arrays)
        self.known = [a for a in accesses if not isinstance(a.place, Unknown)]
        self.wild = [a for a in accesses if isinstance(a.place, Unknown)]
        self.written = any(a.kind != "read" for a in accesses)

    def check(self) -> Iterator[Conflict | Undecided]:
        """All that is wrong, or not known, of these accesses."""
        if not self.written:
            return
        yield from self._of_unknown_places()
        if not any(a.kind != "read" for a in self.known):
            return
        try:
            cells = _Cells(self)
        except OverflowError:
            ops = tuple(dict.fromkeys(a.op for a in self.known))
            why = Unknown(
                "too many elements are accessed to compare them all", "a launch of the same kind, but smaller"
            )
            yield Undecided(self.arrays[0], ops, why)
            return
        yield from self._between_blocks(cells)
        yield from self._in_blocks(cells)
        yield from self._unwritten(cells)

    def _of_unknown_places(self) -> Iterator[Undecided]:
        told: set[tuple[Operation, Operation]] = set()
        every = [*self.known, *self.wild]
        for wild in self.wild:
            for other in every:
                if (wild.op, other.op) in told or (wild.kind == other.kind == "read") or _both_strong(wild, other):
                    continue
                told |= {(wild.op, other.op), (other.op, wild.op)}
                assert isinstance(wild.place, Unknown)
                yield Undecided(self.arrays[0], (wild.op, other.op), wild.place)

    def _between_blocks(self, cells: _Cells) -> Iterator[Conflict]:
        sites = cells.sites()
        told: set[tuple[Operation, Operation]] = set()
        pairs = [(a, b) for n, a in enumerate(sites) for b in sites[n:]]
        for a, b in sorted(pairs, key=lambda pair: sum(site.maybe is not None for site in pair)):
            if (a.op, b.op) in told or _strong_pair(a.op, b.op):
                continue
            if (met := _meeting(a, b)) is None:
                continue
            told |= {(a.op, b.op), (b.op, a.op)}
            cell, first, second = met
            address = cells.address(cell)
            yield Conflict("race", self.array_at(address), a.op, b.op, (first, second), address, a.maybe or b.maybe)

    def _unwritten(self, cells: _Cells) -> Iterator[Conflict]:
        """Reads of what the tile block itself has not written, of arrays that hold nothing when the launch begins."""
        if not any(self.placed(n).tensor.unwritten for n in self.arrays):
            return
        told: set[Operation] = set()
        for number, access in enumerate(self.known):
            if access.kind == "write" or access.op in told:
                continue
            written = [
                cells.keys[n]
                for n, other in enumerate(self.known)
                if other.kind != "read" and other.blocks is access.blocks and access.before >> other.number & 1
            ]
            missing = np.setdiff1d(cells.keys[number], np.concatenate(written) if written else np.zeros(0, np.int64))
            for key in missing[:1]:
                block, address = cells.place(int(key))
                array = self.array_at(address)
                if self.placed(array).tensor.unwritten:
                    told.add(access.op)
                    yield Conflict("unwritten", array, access.op, access.op, (block, block), address, access.maybe)

    def array_at(self, address: int) -> int:
        """The parameter that an address belongs to."""
        found = [n for n in self.arrays if self.placed(n).start <= address < self.placed(n).end]
        return found[0] if found else self.arrays[0]

    def placed(self, number: int) -> Placed:
        return self.call.arrays[number]

    def _in_blocks(self, cells: _Cells) -> Iterator[Conflict | Undecided]:
        told: set[tuple[Operation, Operation]] = set()
        for number, access in enumerate(self.known):
            if (access.op, access.op) in told or access.kind != "write":
                continue
            if (place := cells.repeated(number)) is not None:
                told.add((access.op, access.op))
                block, address = place
                yield Conflict(
                    "lanes", self.array_at(address), access.op, access.op, (block, block), address, access.maybe
                )
        pairs = [
            (a, b)
            for a, b in combinations(range(len(self.known)), 2)
            if _may_clash(self.known[a], self.known[b])
        ] if len(self.known) <= 2000 else None  # fmt: skip
        if pairs is None or len(pairs) > _MOST_PAIRS:
            found = cells.in_order()
            if found is None:
                why = Unknown("too many accesses of a tile block lack an order to compare them all")
                yield Undecided(self.arrays[0], tuple(dict.fromkeys(a.op for a in self.known)), why)
                return
            pairs = found
        for a, b in pairs:
            first, second = self.known[a], self.known[b]
            if (first.op, second.op) in told:
                continue
            if (met := cells.shared(a, b)) is not None:
                told.add((first.op, second.op))
                block, address = met
                maybe = first.maybe or second.maybe
                yield Conflict("unordered", self.array_at(address), first.op, second.op, (block, block), address, maybe)


def _both_strong(a: Access, b: Access) -> bool:
    return strong_between_blocks(a.op) and strong_between_blocks(b.op)


def _strong_pair(a: Operation, b: Operation) -> bool:
    return strong_between_blocks(a) and strong_between_blocks(b)


def _may_clash(a: Access, b: Access) -> bool:
    """Whether two executions of one run clash if they meet at an element of one tile block."""
    return (
        a.blocks is b.blocks
        and not (a.kind == b.kind == "read")
        and not (a.ordering != "weak" and b.ordering != "weak")
        and not b.before >> a.number & 1
        and not a.before >> b.number & 1
        and not a.excludes(b)
    )


def _meeting(a: _Site, b: _Site) -> tuple[int, int, int] | None:
    """A cell that a tile block of one site and another one of the other touch, and the two."""
    if not (a.cells.size and b.cells.size) or (_reads(a.op) and _reads(b.op)):
        return None
    place = np.searchsorted(a.heads, b.cells)
    place[place == len(a.heads)] = 0
    same = a.heads[place] == b.cells
    clash = same & ((a.low[place] != b.blocks) | (a.high[place] != b.blocks))
    if not clash.any():
        return None
    at = int(np.argmax(clash))
    low, high, block = int(a.low[place[at]]), int(a.high[place[at]]), int(b.blocks[at])
    return int(b.cells[at]), low if low != block else high, block


def _reads(op: Operation) -> bool:
    return op.name in ("cuda_tile.load_view_tko", "cuda_tile.load_ptr_tko")


class _Cells:
    """The cells of each execution of a group's accesses. Raises `OverflowError` where they are too many."""

    def __init__(self, group: Group):
        self.accesses = group.known
        self.base = min(group.placed(n).start for n in group.arrays)
        self.units: tuple[int, ...] = ()
        self.view = _common_view(self.accesses)
        if self.view is not None:
            self.units = _units(self.accesses)
            total = sum(int(a.lanes.sum()) * elements_of(_coarse(a, self.units)) for a in self.accesses)
            if total > MOST_CELLS:
                raise OverflowError
            self.keys = [self._boxes(a) for a in self.accesses]
            self.grain = 0
        else:
            total = sum(int(a.lanes.sum()) * _elements(a) for a in self.accesses)
            if total > MOST_CELLS:
                raise OverflowError
            self.grain = int(np.gcd.reduce([a.size for a in self.accesses]))
            self.keys = [self._elements(a) for a in self.accesses]

    def _elements(self, access: Access) -> Array:
        blocks, address = addresses_of(access)
        cells = (address - self.base) // self.grain
        if (wide := access.size // self.grain) > 1:
            cells, blocks = (cells[:, None] + np.arange(wide)).reshape(-1), np.repeat(blocks, wide)
        return (cells << _BITS) + blocks

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
        return ((number << _BITS) + blocks)[inside]

    def address(self, cell: int) -> int:
        """The address of a cell's first element."""
        if self.view is None:
            return self.base + cell * self.grain
        address, shape, strides, size = self.view
        for axis in reversed(range(len(shape))):
            count = -(-shape[axis] // self.units[axis])
            cell, place = divmod(cell, count)
            address += place * self.units[axis] * strides[axis] * size
        return address

    def sites(self) -> list[_Site]:
        """The cells of each operation."""
        groups: dict[tuple[Operation, bool], list[int]] = {}
        for number, access in enumerate(self.accesses):
            groups.setdefault((access.op, access.maybe is None), []).append(number)
        return [
            _Site(
                op,
                None if sure else self.accesses[numbers[0]].maybe,
                np.concatenate([self.keys[n] for n in numbers]),
            )
            for (op, sure), numbers in groups.items()
        ]

    def shared(self, a: int, b: int) -> tuple[int, int] | None:
        """A tile block in which two executions meet, and the address where."""
        common = np.intersect1d(self.keys[a], self.keys[b])
        return None if not common.size else self.place(int(common[0]))

    def place(self, key: int) -> tuple[int, int]:
        return key & _BLOCK, self.address(key >> _BITS)

    def repeated(self, number: int) -> tuple[int, int] | None:
        """A tile block in which an execution touches an element twice, and the address."""
        if self.view is not None:
            return None
        keys = np.sort(self.keys[number])
        twice = np.flatnonzero(keys[1:] == keys[:-1])
        return None if not twice.size else self.place(int(keys[twice[0]]))

    def in_order(self) -> list[tuple[int, int]] | None:
        """Pairs of executions that meet at an element and lack an order: for each element neighbours in time alone.

        Orders are transitive, so all are ordered if neighbours are. None where that cannot be concluded.
        """
        if any(a.path for a in self.accesses) or any(a.kind == "update" for a in self.accesses):
            return None
        keys = np.concatenate([self.keys[n] for n in range(len(self.accesses))])
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
        return sorted(pair for pair in found if _may_clash(self.accesses[pair[0]], self.accesses[pair[1]]))


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
    place = access.place
    if isinstance(place, Points):
        return elements_of(place.address.shape[1:])
    assert isinstance(place, Box)
    return elements_of(place.sizes)


def groups_of(call: Call, accesses: Sequence[Access]) -> list[Group]:
    """The accesses, by the arrays that share memory; those of which it is not known whose they touch go to all."""
    arrays = sorted(call.arrays.items(), key=lambda item: item[1].start)
    memories: list[list[int]] = []
    end = -1
    for number, placed in arrays:
        if memories and placed.start < end:
            memories[-1].append(number)
        else:
            memories.append([number])
        end = max(end, placed.end)
    anywhere = [a for a in accesses if a.base < 0]
    return [Group(call, m, [a for a in accesses if a.base in m] + anywhere) for m in memories]
