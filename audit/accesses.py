"""What a kernel does to memory in a launch: each execution of an access, for all tile blocks at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from xdsl.ir import Operation

from freehold.audit.lanes import Unknown, View
from freehold.runtime.interpreter.access import keyword
from freehold.runtime.interpreter.elements import Array

Kind = Literal["read", "write", "update"]


@dataclass(frozen=True, eq=False)
class Box:
    """A tile of a view: where it starts along each axis of the tensor, in each tile block, and how long it is there."""

    view: View
    starts: tuple[Array, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Points:
    """Single elements, by their addresses, with a mask of those that are accessed."""

    address: Array
    mask: Array | None


@dataclass(eq=False)
class Access:
    """One execution of an access, in the tile blocks of which it says that they come there."""

    op: Operation
    kind: Kind
    number: int
    """Its place in time, among all of the same run; the bit of tokens that stands for it."""
    blocks: Array
    """The numbers of the tile blocks of the run."""
    lanes: Array
    """Which of them come here."""
    base: int
    """The parameter whose memory it touches; -1 where that is not known."""
    before: int
    """The accesses that tokens order before it."""
    size: int
    """Bytes of an element."""
    place: Box | Points | Unknown
    maybe: Unknown | None = None
    """Why it is not known that it happens, or how often; None where it does."""
    path: tuple[tuple[int, int], ...] = ()
    """The branches of unknown conditions that it stands in: of two that differ in one, one happens."""

    @property
    def ordering(self) -> str:
        """Its memory ordering."""
        return keyword(self.op, "memory_ordering_semantics", "weak")

    def excludes(self, other: Access) -> bool:
        """Whether of two in one tile block only one happens."""
        mine = dict(self.path)
        return any(mine.get(branch, side) != side for branch, side in other.path)


def strong_between_blocks(op: Operation) -> bool:
    """Whether an access may meet another such one of another tile block without a race."""
    return keyword(op, "memory_ordering_semantics", "weak") != "weak" and keyword(op, "memory_scope") != "tl_blk"


@dataclass
class Trace:
    """All that was found of a launch."""

    accesses: list[Access] = field(default_factory=list[Access])
    undefined: list[tuple[Operation, str, int, Unknown | None]] = field(
        default_factory=list[tuple[Operation, str, int, "Unknown | None"]]
    )
    """Operations without a defined result: why, and in which tile block; with the reason why that may not happen."""
    gave_up: list[Unknown] = field(default_factory=list[Unknown])
    """What was not followed, so that nothing is safe."""
    waits: bool = False
    """Whether tile blocks may wait for one another through memory."""
    reads: dict[Operation, None] = field(default_factory=dict[Operation, None])


def box_addresses(box: Box, n: int) -> tuple[Array, Array]:
    """The addresses of the elements of a tile in each of `n` tile blocks, and which of them are in the tensor."""
    rank = len(box.sizes)
    view = box.view
    address = view.address.reshape(-1, *(1,) * rank)
    inside: Array = np.ones((1,) * (rank + 1), np.bool_)
    for axis, (start, size) in enumerate(zip(box.starts, box.sizes, strict=True)):
        shape = [1] * (rank + 1)
        shape[axis + 1] = size
        index = start.reshape(-1, *(1,) * rank) + np.arange(size).reshape(shape)
        address = address + index * (view.strides[axis].reshape(-1, *(1,) * rank) * view.size)
        inside = inside & (index >= 0) & (index < view.shape[axis].reshape(-1, *(1,) * rank))
    shape = (n, *box.sizes)
    return np.broadcast_to(address, shape), np.broadcast_to(inside, shape)


def elements_of(sizes: Sequence[int]) -> int:
    """How many elements a tile has."""
    return int(np.prod(sizes, dtype=np.int64))
