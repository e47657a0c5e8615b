"""Which accesses of a launch conflict: two tile blocks at one element, or one twice without a token between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

import numpy as np
from xdsl.ir import Operation

from freehold.audit.accesses import Access, strong_between_blocks
from freehold.audit.cells import BITS, BLOCK, Cells
from freehold.audit.facts import Call, Placed
from freehold.audit.lanes import Unknown
from freehold.runtime.interpreter.elements import Array

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
        self.cells, self.blocks = self.keys >> BITS, self.keys & BLOCK
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
        holds_nothing = any(self.placed(n).tensor.unwritten for n in self.arrays)
        if not self.written and not holds_nothing:
            return
        yield from self._of_unknown_places()
        if not holds_nothing and all(a.kind == "read" for a in self.known):
            return
        try:
            cells = Cells(self.known)
        except OverflowError:
            ops = tuple(dict.fromkeys(a.op for a in self.known))
            why = Unknown("too many elements are accessed to compare them all", SMALLER)
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

    def _between_blocks(self, cells: Cells) -> Iterator[Conflict]:
        sites = [_Site(*each) for each in cells.by_operation()]
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

    def _unwritten(self, cells: Cells) -> Iterator[Conflict]:
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

    def _in_blocks(self, cells: Cells) -> Iterator[Conflict | Undecided]:
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
            pairs = [pair for pair in found if _may_clash(self.known[pair[0]], self.known[pair[1]])]
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
