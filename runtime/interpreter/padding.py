"""What is beyond the end of a tensor may not count: in checked mode, no store takes what depends on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from freehold.dialects.location import span_of
from freehold.runtime.interpreter.compile import reject
from freehold.runtime.interpreter.elements import Array
from freehold.runtime.interpreter.errors import PaddingCounts
from freehold.runtime.interpreter.marks import any_of, mark_of, marked, origin_of, plain

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from freehold.runtime.interpreter.compile import Compiler, Frame, Step


def refuse_padding(op: Operation, tile: Any, shape: Sequence[int], starts: Sequence[int]) -> None:
    """Refuses a store, at a place of a tensor, of what is padding or depends on it."""
    inside = tuple([slice(0, max(0, extent - start)) for start, extent in zip(starts, shape, strict=True)])
    mark, origin = mark_of(tile), origin_of([tile])
    if origin is None or not np.any(mark[inside]):
        return
    place = [int(i) + start for i, start in zip(np.argwhere(mark[inside])[0], starts, strict=True)]
    index = f"[{', '.join(map(str, place))}]"
    value: Any = origin.load.properties.get("padding_value")
    padding = "zero" if value is None else value.data.value
    if origin.fold is None:
        error = PaddingCounts(span_of(op), "is stored", "stores it", f"element {index} that is written is padding")
    else:
        error = PaddingCounts(span_of(origin.fold), "changes what is folded", "counts it in", origin.witness)
        if (where := span_of(op)) is not None:
            error.add(error.Stored(where, index))
    if (where := span_of(origin.load)) is not None:
        error.add(error.Loaded(where, padding))
    if origin.padding is not None:
        error.add(error.Pad(origin.padding))
    reject(error)


def without_padding(op: Operation, step: Step, c: Compiler, axis: int, neutral: Sequence[Array], scan: bool) -> Step:
    """A reduction or a scan, run again without the padding in its operands: what differs depends on it."""
    sources, targets = c.slots(op.operands), c.slots(op.results)

    def run(v: Frame) -> None:
        tiles = [v[source] for source in sources]
        origin = origin_of(tiles)
        if origin is None:
            step(v)
            return
        mark = np.broadcast_to(any_of(tiles), np.shape(tiles[0]))
        values = [plain(tile) for tile in tiles]
        found = _run(v, step, sources, values, targets)
        others = _run(v, step, sources, [np.where(mark, e, t) for e, t in zip(neutral, values, strict=True)], targets)
        for source, tile in zip(sources, tiles, strict=True):
            v[source] = tile
        beyond = mark if scan else mark.all(axis=axis)
        for target, result, other in zip(targets, found, others, strict=True):
            changed = ~np.asarray((result == other) | ((result != result) & (other != other))) & ~beyond
            v[target] = marked(result, beyond, origin)
            if np.any(changed):
                place = np.unravel_index(int(np.argmax(changed)), np.shape(changed))
                witness = f"the result is {np.asarray(result)[place]}, and {np.asarray(other)[place]} without padding"
                counted = (
                    origin if origin.fold else replace(origin, fold=op, witness=witness, padding=_padding_for(neutral))
                )
                v[target] = marked(result, beyond | changed, counted)

    return run


def _run(v: Frame, step: Step, sources: list[int], values: list[Any], targets: list[int]) -> list[Any]:
    for source, value in zip(sources, values, strict=True):
        v[source] = value
    step(v)
    return [v[target] for target in targets]


def _padding_for(neutral: Sequence[Array]) -> str | None:
    """The padding of loads that a reduction does not see, as it is written; None where there is none."""
    value = float(neutral[0]) if len(neutral) == 1 else 0.0
    return {np.inf: '"inf"', -np.inf: '"-inf"'}.get(value)
