"""The shadow memory of checked mode: who read and who wrote every element, and whether anybody wrote it at all.

An access of one turn (a point of a distribution, or a tile block) conflicts with one of another turn if both touch an
element, one writes, and not both are strong (atomics, and accesses that name a scope). No order of turns has to be hit:
what is remembered is who touched an element, not when. Two turns that did the earliest reading are kept, so that any
writer finds another. Within a turn, lowered modules order accesses by tokens alone; a token is the set of accesses that
come before it, as the bits of an integer.

Blocks that wait for one another through flags in memory are not understood: their weak accesses count as unordered.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gcd
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.lib.stride_tricks import as_strided

from freehold.dialects.location import span_of
from freehold.runtime.interpreter.access import keyword
from freehold.runtime.interpreter.compile import reject
from freehold.runtime.interpreter.elements import Array
from freehold.runtime.interpreter.errors import Race, Uninitialised, Unordered
from freehold.runtime.interpreter.machine import Buffer, Part

if TYPE_CHECKING:
    from xdsl.ir import Operation

_VERB: Final = {"read": "reads", "write": "writes", "update": "updates"}


class _Traces:
    """For every grain of a buffer: who wrote it last, and the first two who read it, with the operations."""

    def __init__(self, count: int):
        self.writer, self.write_site, self.reader, self.read_site, self.second, self.second_site = (
            np.zeros(count, np.int32) for _ in range(6)
        )


@dataclass
class _Shadow:
    """The shadow of one buffer."""

    buffer: Buffer
    grain: int
    weak: _Traces
    strong: _Traces
    stored: Array


@dataclass
class _Access:
    """An access of the turn that runs."""

    number: int
    site: int
    buffer: Buffer
    grains: Array
    low: int
    high: int
    strong: bool


@dataclass
class Watch:
    """Watches a run. `tokens`: whether tokens order accesses within a turn; otherwise the text does."""

    tokens: bool
    any_size: bool = False
    """Whether pointers change the type of what they point to, so that elements have no fixed size."""
    turn: int = 0
    label: str = ""
    _labels: dict[int, str] = field(default_factory=dict[int, str])
    _sites: list[tuple[Operation | None, str]] = field(default_factory=lambda: [(None, "")])
    _site_of: dict[tuple[int, str], int] = field(default_factory=dict[tuple[int, str], int])
    _shadows: dict[int, _Shadow] = field(default_factory=dict[int, _Shadow])
    _reads: list[_Access] = field(default_factory=list[_Access])
    _writes: list[_Access] = field(default_factory=list[_Access])
    _count: int = 0

    def begin(self, turn: int, label: str) -> None:
        """Another turn starts. Nothing of it is ordered yet."""
        self.turn, self.label = turn + 1, label
        self._labels[turn + 1] = label
        self._reads, self._writes, self._count = [], [], 0

    def access(
        self,
        op: Operation,
        kind: str,
        buffer: Buffer,
        addresses: Array,
        size: int,
        *,
        strong: bool = False,
        token: int = 0,
    ) -> int:
        """Notes that elements of `size` bytes at addresses are read, written or updated ("read", "write", "update").

        Returns the token of what comes after. Raises `Rejected` for a race, an unordered pair, an uninitialised read.
        """
        shadow = self._shadow(buffer)
        grains = (addresses.reshape(-1) - buffer.start) // shadow.grain
        if size > shadow.grain:
            grains = (grains[:, None] + np.arange(size // shadow.grain)).reshape(-1)
        site = self._site(op, kind)
        if kind != "write":
            missing = ~shadow.stored[grains]
            if missing.any():
                part, index = self._element(shadow, int(grains[missing][0]))
                reject(Uninitialised(span_of(op), part, index, self.label))
        covers = strong and keyword(op, "memory_scope") != "tl_blk"  # that scope covers no other block
        for traces in (shadow.weak,) if covers else (shadow.weak, shadow.strong):
            self._conflicts(op, kind, shadow, traces, grains)
        if self.tokens:
            token = self._order(op, kind, shadow, grains, site, token, strong)
        self._note(kind, shadow.strong if covers else shadow.weak, grains, site)
        if kind != "read":
            shadow.stored[grains] = True
        return token

    def _shadow(self, buffer: Buffer) -> _Shadow:
        found = self._shadows.get(id(buffer))
        if found is None or found.buffer is not buffer:
            grain = 1 if self.any_size else 0
            for part in buffer.parts:
                grain = gcd(grain, part.itemsize, part.address - buffer.start, *part.strides)
            count = -(-(buffer.end - buffer.start) // grain)
            stored = np.ones(count, np.bool_)
            for part in buffer.parts:
                if not part.initialised:  # its elements alone: others may lie between them
                    extents, strides = (*part.shape, part.itemsize // grain), (*(s // grain for s in part.strides), 1)
                    as_strided(stored[(part.address - buffer.start) // grain :], extents, strides)[...] = False
            found = self._shadows[id(buffer)] = _Shadow(buffer, grain, _Traces(count), _Traces(count), stored)
        return found

    def _site(self, op: Operation, kind: str) -> int:
        key = id(op), kind
        site = self._site_of.get(key)
        if site is None:
            site = self._site_of[key] = len(self._sites)
            self._sites.append((op, _VERB[kind]))
        return site

    def _element(self, shadow: _Shadow, grain: int) -> tuple[str, str]:
        """The name of the array and the index of the element that a grain belongs to."""
        address = shadow.buffer.start + grain * shadow.grain
        inside = [p for p in shadow.buffer.parts if p.holds(address)]
        part: Part = inside[0] if inside else shadow.buffer.parts[0]
        return part.name, part.index(address)

    def _conflicts(self, op: Operation, kind: str, shadow: _Shadow, traces: _Traces, grains: Array) -> None:
        turn = self.turn
        pairs = [(traces.writer, traces.write_site)]
        if kind != "read":
            pairs += [(traces.reader, traces.read_site), (traces.second, traces.second_site)]
        for who, where in pairs:
            other = who[grains]
            clash = (other != 0) & (other != turn)
            if clash.any():
                at = int(np.argmax(clash))
                name, index = self._element(shadow, int(grains[at]))
                first = self._labels[int(other[at])]
                earlier, verb = self._sites[int(where[grains[at]])]
                error = Race(
                    span_of(op), name, index, f"blocks {first} and {self.label}", f"block {self.label}", _VERB[kind]
                )
                span = None if earlier is None else span_of(earlier)
                if span is not None:
                    error.add(error.Earlier(span, f"block {first}", verb))
                reject(error)

    def _note(self, kind: str, traces: _Traces, grains: Array, site: int) -> None:
        if kind != "read":
            traces.writer[grains] = self.turn
            traces.write_site[grains] = site
        if kind != "write":
            first = traces.reader[grains]
            fresh = grains[first == 0]
            traces.reader[fresh], traces.read_site[fresh] = self.turn, site
            others = grains[(first != 0) & (first != self.turn) & (traces.second[grains] == 0)]
            traces.second[others], traces.second_site[others] = self.turn, site

    def _order(
        self, op: Operation, kind: str, shadow: _Shadow, grains: Array, site: int, token: int, strong: bool
    ) -> int:
        """Finds earlier accesses of this turn that no token orders, and returns the token of this one."""
        low, high = (int(grains.min()), int(grains.max())) if grains.size else (0, -1)
        for earlier in self._writes if kind == "read" else (*self._writes, *self._reads):
            if (
                not token >> earlier.number & 1
                and not (strong and earlier.strong)
                and earlier.buffer is shadow.buffer
                and earlier.low <= high
                and low <= earlier.high
            ):
                common = np.intersect1d(grains, earlier.grains)
                if common.size:
                    name, index = self._element(shadow, int(common[0]))
                    error = Unordered(span_of(op), name, index, self.label, _VERB[kind])
                    before, verb = self._sites[earlier.site]
                    span = None if before is None else span_of(before)
                    if span is not None:
                        error.add(error.Earlier(span, verb))
                    reject(error)
        mine = _Access(self._count, site, shadow.buffer, grains, low, high, strong)
        self._count += 1
        (self._reads if kind == "read" else self._writes).append(mine)
        return token | 1 << mine.number
