"""Who touches what: a picture of an array, in which each place has the colour of the tile block that writes there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from xml.sax.saxutils import escape

import numpy as np

from freehold.audit.accesses import Access
from freehold.audit.cells import runs_of
from freehold.audit.facts import Placed
from freehold.audit.lanes import Unknown
from freehold.audit.verdict import ArrayVerdict, Audit
from freehold.runtime.interpreter.elements import Array
from freehold.runtime.show.show import BLOCK_COLOURS

MOST_ELEMENTS: Final = 1 << 20
"""Of an array that is drawn."""
_MOST_PLACES: Final = 48
"""Along each axis of a picture; a place stands for several elements of a larger array."""
_NOBODY: Final = np.iinfo(np.int64).max


def picture(found: Audit, array: ArrayVerdict) -> str | None:
    """SVG of an array: rows are its leading axes, columns the last one. None of one that is too large, or irregular."""
    placed = found.call.arrays[array.number]
    tensor = placed.tensor
    if tensor.span > MOST_ELEMENTS or not tensor.regular or not tensor.shape:
        return None
    own = [a for a in found.trace.accesses if not isinstance(a.place, Unknown)]
    writes = _Touched(placed, [a for a in own if a.kind != "read"])
    reads = _Touched(placed, [a for a in own if a.kind == "read"])
    if not (writes.some.any() or reads.some.any()):
        return None
    index = np.indices(tensor.shape).reshape(len(tensor.shape), -1)
    places = sum((i * s for i, s in zip(index, tensor.steps, strict=True)), np.zeros(1, np.int64))
    rows = max(1, int(np.prod(tensor.shape[:-1], dtype=np.int64)))
    return _drawn(array.name, found, places.reshape(rows, tensor.shape[-1]), writes, reads)


class _Touched:
    """Of each element the first and the last tile block that touches it."""

    def __init__(self, placed: Placed, accesses: Sequence[Access]):
        size = placed.tensor.element.memory_bytes
        self.first: Array = np.full(placed.tensor.span, _NOBODY)
        self.last: Array = np.full(placed.tensor.span, -1)
        for access in accesses:
            blocks, start, end = runs_of(access)
            low = np.maximum(-(-(start - placed.start) // size), 0)
            counts = np.maximum(np.minimum((end - placed.start) // size, placed.tensor.span) - low, 0)
            if int(counts.sum()) > 64 * MOST_ELEMENTS:
                continue
            begins = np.cumsum(counts) - counts
            elements = np.arange(int(counts.sum())) + np.repeat(low - begins, counts)
            who = np.repeat(blocks, counts)
            np.minimum.at(self.first, elements, who)
            np.maximum.at(self.last, elements, who)
        self.some = self.last >= 0


def _drawn(name: str, found: Audit, places: Array, writes: _Touched, reads: _Touched) -> str:
    steps = [-(-n // _MOST_PLACES) for n in places.shape]
    side = 14
    height, width = (side * -(-n // step) for n, step in zip(places.shape, steps, strict=True))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(name)}" width="{width + 2}"'
        f' height="{height + 2}" viewBox="-1 -1 {width + 2} {height + 2}">'
    ]
    for y, top in enumerate(range(0, places.shape[0], steps[0])):
        for x, left in enumerate(range(0, places.shape[1], steps[1])):
            cell = places[top : top + steps[0], left : left + steps[1]].reshape(-1)
            fill, text = _place(found, cell, writes, reads)
            where = f"[{top}, {left}]" if places.shape[0] > 1 else f"[{left}]"
            parts.append(
                f'<rect x="{x * side}" y="{y * side}" width="{side}" height="{side}" {fill} stroke="currentColor"'
                f' stroke-opacity=".25"><title>{escape(f"{name}{where}: {text}")}</title></rect>'
            )
    return "".join([*parts, "</svg>"])


def _place(found: Audit, cell: Array, writes: _Touched, reads: _Touched) -> tuple[str, str]:
    """How a place is filled, and what is said of it."""
    written, read = cell[writes.some[cell]], cell[reads.some[cell]]
    raced = written[writes.first[written] != writes.last[written]]
    if raced.size:
        a, b = (found.launch.block(int(t[raced[0]])) for t in (writes.first, writes.last))
        return 'fill="#d1242f"', f"blocks {a} and {b} both write here"
    both = written[reads.some[written]]
    other = both[(reads.first[both] != writes.first[both]) | (reads.last[both] != writes.first[both])]
    if other.size:
        writer, at = int(writes.first[other[0]]), int(other[0])
        reader = int(reads.first[at]) if reads.first[at] != writer else int(reads.last[at])
        text = f"block {found.launch.block(writer)} writes and block {found.launch.block(reader)} reads here"
        return 'fill="#d1242f"', text
    if written.size:
        low, high = int(writes.first[written].min()), int(writes.first[written].max())
        who = f"block {found.launch.block(low)} writes"
        if low != high:
            who = f"blocks from {found.launch.block(low)} to {found.launch.block(high)} write, each elements of its own"
        return f'fill="{BLOCK_COLOURS[low % len(BLOCK_COLOURS)]}"', who
    if read.size:
        return 'fill="currentColor" fill-opacity=".12"', "read only"
    return 'fill="none"', "not touched"
