"""Whether accesses stay in their arrays: tiles begin in their index spaces, and elements are in memory of the array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from xdsl.dialects.builtin import NoneAttr
from xdsl.ir import Operation

from freehold.audit.accesses import Access, Box, Points, Trace
from freehold.audit.facts import Call
from freehold.audit.lanes import Unknown, View, dim_map
from freehold.runtime.interpreter.elements import Array

Status = Literal["in bounds", "masked", "out of bounds", "unknown"]


@dataclass(frozen=True)
class Bound:
    """What became of an access in all its executions."""

    op: Operation
    array: int
    status: Status
    block: int = -1
    """The tile block in which it is out of bounds."""
    what: str = ""
    """Where, in words; or why it is not known."""
    fact: str = ""
    """What would have to be known."""


_WORST: tuple[Status, ...] = ("in bounds", "masked", "unknown", "out of bounds")


def check_bounds(call: Call, trace: Trace, shown: Callable[[Operation, int], bool]) -> list[Bound]:
    """The worst of the executions of each access.

    `shown` says of an access to the memory of a parameter, whose place is not known, that it is in bounds all the same.
    """
    found: dict[tuple[Operation, int], Bound] = {}
    for group in _alike(trace.accesses):
        for bound in _of_boxes(call, group) or [_of(call, access) for access in group]:
            known = found.get((bound.op, bound.array))
            if known is None or _WORST.index(bound.status) > _WORST.index(known.status):
                found[bound.op, bound.array] = bound
    return [
        Bound(b.op, b.array, "masked") if b.status == "unknown" and shown(b.op, b.array) else b for b in found.values()
    ]


def _alike(accesses: Sequence[Access]) -> list[list[Access]]:
    """Executions that can be looked at together: of one operation, through one view, in the same tile blocks."""
    groups: dict[object, list[Access]] = {}
    for access in accesses:
        view = access.place.view if isinstance(access.place, Box) else access
        groups.setdefault((access.op, access.base, id(view), id(access.blocks)), []).append(access)
    return [group[n : n + _TOGETHER] for group in groups.values() for n in range(0, len(group), _TOGETHER)]


_TOGETHER: Final = 256
"""Executions that are looked at together."""


def _of_boxes(call: Call, group: Sequence[Access]) -> list[Bound] | None:
    """That executions are all in bounds, each tile inside its view; None where one is not, or it is not so simple."""
    if len(group) == 1 or any(a.maybe is not None for a in group):
        return None
    boxes = [a.place for a in group if isinstance(a.place, Box)]
    if len(boxes) < len(group):
        return None
    n, first, op = group[0].lanes.shape[0], boxes[0], group[0].op
    lanes = np.concatenate([a.lanes for a in group])
    starts = tuple(
        np.concatenate([np.broadcast_to(box.starts[axis], (n,)) for box in boxes]) for axis in range(len(first.sizes))
    )
    view = first.view
    wide = View(
        view.base,
        _tiled(view.address, n, len(group)),
        tuple(_tiled(e, n, len(group)) for e in view.shape),
        tuple(_tiled(e, n, len(group)) for e in view.strides),
        view.size,
    )
    whole = Access(
        op, group[0].kind, 0, np.tile(group[0].blocks, len(group)), lanes, group[0].base, 0, group[0].size,
        Box(wide, starts, first.sizes),
    )  # fmt: skip
    return [_of(call, whole)]


def _tiled(part: Array, n: int, times: int) -> Array:
    return part if part.shape[0] == 1 else np.tile(np.broadcast_to(part, (n,)), times)


def _of(call: Call, access: Access) -> Bound:
    op, base, place = access.op, access.base, access.place
    if isinstance(place, Unknown):
        return Bound(op, base, "unknown", what=place.why, fact=place.fact)
    wrong, masked = _box(call, access, place) if isinstance(place, Box) else _points(call, access, place)
    if wrong is None:
        return Bound(op, base, "masked" if masked else "in bounds")
    lanes, what = wrong
    lane = int(np.argmax(lanes))
    if access.maybe is not None:
        return Bound(op, base, "unknown", what=f"{what}, if it happens: {access.maybe.why}", fact=access.maybe.fact)
    return Bound(op, base, "out of bounds", int(access.blocks[lane]), what)


_Found = tuple[tuple[Array, str] | None, bool]


def _box(call: Call, access: Access, box: Box) -> _Found:
    n, view, lanes = access.lanes.shape[0], box.view, access.lanes
    name = call.names[access.base] if access.base >= 0 else "memory"
    low = high = np.broadcast_to(view.address, (n,))
    masked = False
    padded = _padded(access.op)
    promised = _promises(access.op, len(box.sizes))
    for axis, (start, size, extent) in enumerate(zip(box.starts, box.sizes, view.shape, strict=True)):
        start, extent = np.broadcast_to(start, (n,)), np.broadcast_to(extent, (n,))
        outside = lanes & ((start < 0) | (start >= extent))
        if outside.any():
            if not (padded or (extent[outside] == 0).all()):
                lane = int(np.argmax(outside))
                return (outside, f"axis {axis} of `{name}` begins at {int(start[lane])} of {int(extent[lane])}"), False
            lanes, masked = lanes & ~outside, True  # it reads padding and writes nothing
        over = lanes & (start + size > extent)
        if over.any():
            if promised[axis]:
                return (over, f"axis {axis} of `{name}` ends behind {int(extent[0])}, and `inbounds` says not"), False
            masked = True
        step = np.broadcast_to(view.strides[axis], (n,)) * view.size
        low = low + start * step
        high = high + (np.minimum(start + size, extent) - 1) * step
    return _in_memory(call, access, low, high + access.size, lanes, masked)


def _padded(op: Operation) -> bool:
    """Whether tiles that begin beyond the view are padding; of other views there are no such tiles."""
    fields: Any = op
    return not isinstance(fields.view.type.view_parts()[2], NoneAttr)


def _promises(op: Operation, rank: int) -> Sequence[bool]:
    """Of which axes of the tensor it is promised that no tile overhangs."""
    given: Any = op.properties.get("inbounds")
    found = [False] * rank
    if given is not None:
        fields: Any = op
        for axis, promise in zip(dim_map(fields.view.type), given.get_values(), strict=True):
            found[axis] = bool(promise)
    return found


def _points(call: Call, access: Access, points: Points) -> _Found:
    n = access.lanes.shape[0]
    address = points.address
    chosen = access.lanes.reshape(n, *(1,) * (address.ndim - 1))
    masked = False
    if points.mask is not None:
        chosen = chosen & points.mask
        masked = not bool(points.mask.all())
    chosen, address = np.broadcast_arrays(chosen, address)
    axes = tuple(range(1, address.ndim))
    if chosen.all():
        low, end = address.min(axis=axes), address.max(axis=axes) + access.size
        return _in_memory(call, access, low, end, access.lanes, masked)
    low = np.where(chosen, address, np.iinfo(np.int64).max).min(axis=axes)
    high = np.where(chosen, address, np.iinfo(np.int64).min).max(axis=axes)
    lanes = np.asarray(chosen.any(axis=axes))
    return _in_memory(call, access, low, high + access.size, lanes, masked)


def _in_memory(call: Call, access: Access, low: Array, end: Array, lanes: Array, masked: bool) -> _Found:
    """Whether addresses are those of the array; `end` is behind the last byte."""
    placed = call.arrays.get(access.base)
    if placed is None:
        return (lanes, "it is not known whose memory this is"), masked
    outside = lanes & ((low < placed.start) | (end > placed.end))
    if not outside.any():
        return None, masked
    lane = int(np.argmax(outside))
    where = int(low[lane]) if low[lane] < placed.start else int(end[lane]) - access.size
    return (outside, f"`{placed.tensor.name}{placed.element_at(where)}` does not exist"), masked
