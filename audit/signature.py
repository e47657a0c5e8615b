"""The signature that a kernel would have in Freehold, from what an audit saw it do."""

from __future__ import annotations

from freehold.audit.accesses import Box
from freehold.audit.facts import Placed, Tensor
from freehold.audit.verdict import ArrayVerdict, Audit


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
                partitions.append(f"{name} by {list(tile)}")
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
    """The shape of the tiles in which an array is written, if it is one."""
    places = [a.place for a in found.trace.accesses if a.base == array.number and a.kind == "write"]
    sizes = {place.sizes for place in places if isinstance(place, Box)}
    return sizes.pop() if len(sizes) == 1 and all(isinstance(place, Box) for place in places) else None
