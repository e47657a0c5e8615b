"""Tile blocks of a launch that write nothing: too large a grid, or a condition that never holds in them."""

from __future__ import annotations

import numpy as np

from freehold.audit.accesses import Access, Points, Trace
from freehold.audit.facts import Launch
from freehold.audit.lanes import Unknown
from freehold.runtime.interpreter.elements import Array

_SHOWN = 4


def dead_blocks(launch: Launch, trace: Trace) -> Array:
    """The numbers of the tile blocks that write no element for certain; none where not all was followed."""
    if trace.gave_up:
        return np.zeros(0, np.int64)
    alive = np.zeros(launch.blocks, np.bool_)
    for access in trace.accesses:
        if access.kind != "read":
            alive[access.blocks[_writing(access)]] = True
    return np.flatnonzero(~alive)


def _writing(access: Access) -> Array:
    """In which tile blocks an access may touch an element."""
    place, lanes = access.place, access.lanes
    if isinstance(place, Unknown) or access.maybe is not None:
        return lanes
    if isinstance(place, Points):
        if place.mask is None:
            return lanes
        return lanes & place.mask.reshape(place.mask.shape[0], -1).any(axis=1)
    for start, size, extent in zip(place.starts, place.sizes, place.view.shape, strict=True):
        lanes = lanes & (start < extent) & (start + size > 0)
    return lanes


def told(launch: Launch, dead: Array) -> str:
    """Tile blocks that write nothing, in words; empty where there are none."""
    if not dead.size:
        return ""
    if dead.size == launch.blocks:
        return "no tile block writes anything"
    shown = ", ".join(launch.block(int(block)) for block in dead[:_SHOWN])
    more = ", ..." if dead.size > _SHOWN else ""
    verb = "writes" if dead.size == 1 else "write"
    return f"{dead.size} of {launch.blocks} tile blocks {verb} nothing: {shown}{more}"
