"""The signature that a kernel would have in Freehold, from what an audit saw it do."""

from __future__ import annotations

from math import prod

import numpy as np

from freehold.audit.accesses import Access, Box, Points
from freehold.audit.facts import Placed, Tensor
from freehold.audit.verdict import ArrayVerdict, Audit
from freehold.runtime.interpreter.elements import Array

_MOST = 1 << 22
"""Elements that are looked at one by one to find regions."""


def proposed(found: Audit) -> str:
    """A line of Python: each array with what is done to it, then the partition of what is written."""
    parameters: list[str] = []
    partitions: list[str] = []
    by_number = {array.number: array for array in found.arrays}
    for number, name in enumerate(found.call.names):
        array = by_number.get(number)
        if number < len(found.call.values) and not isinstance(value := found.call.values[number], Placed):
            if "." not in name:  # else an extent or a stride, which Freehold's tensors have themselves
                parameters.append(f"{name}: {'f32' if isinstance(value, float) else 'i32'}")
        elif array is not None and not found.call.arrays[number].tensor.words:
            name = name.replace("[", "_").replace("]", "")
            tensor = found.call.arrays[number].tensor
            mode = _mode(found, array)
            dims = ", ".join(repr(f"{name.upper()}{axis}") for axis in range(len(tensor.shape)))
            parameters.append(f"{name}: {mode}[{tensor.dtype}, {dims}]" if dims else f"{name}: {mode}[{tensor.dtype}]")
            if mode in ("Out", "Mut") and (tile := _tile(found, array)) is not None:
                here = "" if array.everywhere else " in this launch"
                partitions.append(f"{name} by {list(tile)}{here}")
    line = f"def {found.kernel.split('_K')[0]}({', '.join(parameters)})"
    return f"{line}  # partition {', '.join(partitions)}" if partitions else line


def _mode(found: Audit, array: ArrayVerdict) -> str:
    kinds = {a.kind for a in found.trace.accesses if a.base == array.number}
    tensor: Tensor = found.call.arrays[array.number].tensor
    if array.share in ("untouched", "read only"):
        return "Ref"
    if array.share == "commuting":
        return "Acc"
    if array.share != "disjoint" or not tensor.regular:
        return "Raw"
    return "Mut" if "read" in kinds else "Out"


def _tile(found: Audit, array: ArrayVerdict) -> tuple[int, ...] | None:
    """The shape of the regions in which an array is written, if there is one."""
    own = [a for a in found.trace.accesses if a.base == array.number]
    writes = [a for a in own if a.kind == "write"]
    sizes = {a.place.sizes for a in writes if isinstance(a.place, Box)}
    placed = found.call.arrays[array.number]
    if len(sizes) == 1 and len(writes) == len(own):
        (size,) = sizes
        starts = [_starts(a.place, placed, a.lanes.shape[0]) for a in writes if isinstance(a.place, Box)]
        lanes = [a.lanes for a in writes]
        if len(starts) == len(writes) and all(
            s is not None and not (s[which] % size).any() for s, which in zip(starts, lanes, strict=True)
        ):
            return size  # of a block that writes several tiles, each may be a region
    return _region(found, placed, own)


def _starts(box: Box, placed: Placed, n: int) -> Array | None:
    """The index in the array of a tile's first element, in each of `n` tile blocks; None where it has other axes."""
    view, tensor = box.view, placed.tensor
    if len(box.starts) != len(tensor.shape):
        return None
    if any((given != step).any() for given, step in zip(view.strides, tensor.steps, strict=True)):
        return None
    first = _index((np.broadcast_to(view.address, (n,)) - placed.start) // view.size, tensor)
    return np.stack([np.broadcast_to(s, (n,)) + f for s, f in zip(box.starts, first, strict=True)], 1)


def _index(offset: Array, tensor: Tensor) -> list[Array]:
    """The indices of elements, by how many elements behind the first one they are."""
    found: list[Array] = [offset * 0] * len(tensor.shape)
    for axis in sorted(range(len(found)), key=lambda a: -tensor.steps[a]):
        if tensor.shape[axis] > 1:
            found[axis], offset = np.divmod(offset, tensor.steps[axis])
    return found


def _region(found: Audit, placed: Placed, accesses: list[Access]) -> tuple[int, ...] | None:
    """The shape of regions, side by side from the first element, of which each has all that a tile block touches."""
    blocks, rank = found.launch.blocks, len(placed.tensor.shape)
    if not rank:
        return None
    low = np.full((blocks, rank), np.iinfo(np.int64).max)
    high = np.full((blocks, rank), -1)
    seen = 0
    for access in accesses:
        corners = _corners(access, placed)
        seen += 0 if corners is None else corners[2]
        if corners is None or seen > _MOST:
            return None
        lanes = access.lanes & (corners[0] <= corners[1]).all(axis=1)
        which = access.blocks[lanes]
        np.minimum.at(low, which, corners[0][lanes])
        np.maximum.at(high, which, corners[1][lanes])
    some = (high >= 0).all(axis=1)
    if not some.any():
        return None
    extents = (high - low + 1)[some].max(axis=0)
    aligned = (low[some] % extents == 0).all()
    whole = prod(-(-n // int(e)) for n, e in zip(placed.tensor.shape, extents, strict=True)) >= some.sum()
    return tuple(int(e) for e in extents) if aligned and whole else None


def _corners(access: Access, placed: Placed) -> tuple[Array, Array, int] | None:
    """The first and the last index of an access in each tile block, and how many elements were looked at."""
    n, tensor, place = access.lanes.shape[0], placed.tensor, access.place
    if isinstance(place, Box):
        starts = _starts(place, placed, n)
        if starts is None:
            return None
        return starts, np.minimum(starts + np.array(place.sizes), np.array(tensor.shape)) - 1, 0
    if not isinstance(place, Points) or place.address.size > _MOST:
        return None
    address = np.broadcast_to(place.address, (n, *place.address.shape[1:])).reshape(n, -1)
    chosen = np.ones(address.shape, np.bool_)
    if place.mask is not None:
        chosen = np.broadcast_to(place.mask, (n, *place.address.shape[1:])).reshape(n, -1)
    index = _index((address - placed.start) // access.size, tensor)
    low = np.stack([np.where(chosen, i, np.iinfo(np.int64).max).min(axis=1) for i in index], 1)
    high = np.stack([np.where(chosen, i, -1).max(axis=1) for i in index], 1)
    return low, high, int(address.size)
