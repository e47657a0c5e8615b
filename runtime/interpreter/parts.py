"""Parts of tensors: windows at a position, groups that offsets bound, and where regions begin and end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from freehold.dialects.location import span_of
from freehold.dialects.ownership import Duty, GroupTilesOp, PartitionOp, PartitionType, RegionOp, WindowOp
from freehold.passes.analysis.groups import reach
from freehold.runtime.errors.kernel_checks import failure
from freehold.runtime.interpreter.access import integer
from freehold.runtime.interpreter.compile import reject, unary
from freehold.runtime.interpreter.ownership import EFFECTS as WHOLE
from freehold.runtime.interpreter.ownership import Box, kernel_checks, starts_of
from freehold.runtime.interpreter.views import refuse_index
from freehold.runtime.interpreter.windows import Window
from freehold.support.contract import KernelCheck

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from freehold.runtime.interpreter.compile import Compiler, Effect, Frame, Function, Pure, Step
    from freehold.runtime.interpreter.machine import Machine


_WINDOW: Final = (("start", "i32"), ("last", "i32"))
_GROUP: Final = (("group", "i32"), ("groups", "i32"))


@dataclass(slots=True)
class Groups(Window):
    """A tensor that falls into groups along an axis."""

    bounds: Sequence[int] = ()
    """Where each group begins, and behind the last one where it ends."""


@dataclass(frozen=True, slots=True)
class GroupBox(Box):
    """A region of a group: a box of that."""

    axis: int = 0
    first: int = 0
    """Where the group begins."""


def part_of(window: Window, axis: int, start: int, length: int) -> Window:
    """Elements `start` and on of a window, along an axis."""
    index = (*[slice(None)] * axis, slice(start, start + length))
    return Window(
        window.name,
        window.address + start * window.strides[axis],
        (*window.shape[:axis], length, *window.shape[axis + 1 :]),
        window.strides,
        window.element,
        None if window.array is None else window.array[index],
        window.constant,
    )


def _window(op: Operation, c: Compiler) -> Step:
    assert isinstance(op, WindowOp)
    tensor, start, result, axis = c.slot(op.tensor), c.slot(op.start), c.slot(op.result), op.axis.data
    length = op.result.type.extent(axis)

    def make(v: Frame) -> None:
        machine: Machine = v[0]
        window: Window = v[tensor]
        first, count = int(v[start]), length.evaluate(machine.symbols)
        if count < 1 or not 0 <= first <= window.shape[axis] - count:
            check = KernelCheck(str(length), _WINDOW, span_of(op), window.name, axis)
            reject(failure("the kernel", check, machine.label, (first, window.shape[axis] - count)))
        v[result] = part_of(window, axis, first, count)

    return make


def _partition(op: Operation, c: Compiler) -> Step:
    assert isinstance(op, PartitionOp)
    tensor, result = c.slot(op.tensor), c.slot(op.result)
    if op.offsets is None:

        def spend(v: Frame) -> None:
            v[result] = v[tensor]

        return spend
    offsets, kind = c.slot(op.offsets), op.result.type
    limit, axis = reach(op), cast(int, kind.groups_axis)
    check = KernelCheck(op.duty(Duty.GROUPED, axis).text or "offsets ascend", _GROUP, span_of(op), "", axis)

    def group(v: Frame) -> None:
        machine: Machine = v[0]
        window: Window = v[tensor]
        found: Window = v[offsets]
        assert found.array is not None
        bounds = [int(n) for n in found.array]
        most = None if limit is None else limit.evaluate(machine.symbols)
        bad = _first_bad(kind, window.shape[axis], bounds, most)
        if bad is not None:
            reject(failure("the kernel", replace(check, tensor=window.name), machine.label, (bad, len(bounds) - 1)))
        fields = {name: getattr(window, name) for name in Window.__slots__}
        v[result] = Groups(**fields, bounds=bounds)

    return group


def _first_bad(kind: PartitionType, extent: int, bounds: Sequence[int], most: int | None) -> int | None:
    """The first group that is none of a tensor, or that leaves elements to nobody."""
    tile = kind.tile_shape[cast(int, kind.groups_axis)]
    last = len(bounds) - 2
    for n, (low, high) in enumerate(pairwise(bounds)):
        large = most is not None and -(-(high - low) // tile) > most
        ends = kind.covered and ((n == 0 and low != 0) or (n == last and high != extent))
        if not 0 <= low <= high <= extent or large or ends:
            return n
    return None


def _region(op: Operation, c: Compiler) -> Step:
    assert isinstance(op, RegionOp)
    kind = op.result.type.partition
    if kind.groups_axis is None:
        return WHOLE["ownership.region"](op, c)
    axis, steps, sizes = kind.groups_axis, kind.steps, kind.tile_shape
    partition, group, *coordinates = c.slots(op.operands)
    result, checks = c.slot(op.result), kernel_checks(op)

    def take(v: Frame) -> None:
        whole: Groups = v[partition]
        number = int(v[group])
        if not 0 <= number < len(whole.bounds) - 1:
            refuse_index(v[0], op, whole.name, axis, number, len(whole.bounds) - 1, 1)
        low, high = whole.bounds[number : number + 2]
        window = part_of(whole, axis, low, high - low)
        places = tuple(v[slot] for slot in coordinates)
        starts = starts_of(v[0], op, window, places, steps, checks)
        v[result] = GroupBox(window, starts, sizes, (v[group], *places), axis, low)

    return take


def _group_tiles(op: Operation, c: Compiler) -> Step:
    assert isinstance(op, GroupTilesOp)
    kind = op.partition.type
    assert isinstance(kind, PartitionType)
    partition, group, result = c.slot(op.partition), c.slot(op.group), c.slot(op.result)
    tile = kind.tile_shape[cast(int, kind.groups_axis)]

    def count(v: Frame) -> None:
        bounds, number = cast(Groups, v[partition]).bounds, int(v[group])
        there = 0 <= number < len(bounds) - 1
        v[result] = np.int32(-(-(bounds[number + 1] - bounds[number]) // tile) if there else 0)

    return count


def _start(op: Operation, _: Compiler) -> Function:
    axis = integer(op, "axis")
    return unary(lambda box: np.int32(_first(box, axis) + box.starts[axis]))


def _stop(op: Operation, _: Compiler) -> Function:
    axis = integer(op, "axis")

    def stop(box: Box) -> Any:
        end = min(box.starts[axis] + box.sizes[axis], box.window.shape[axis])
        return np.int32(_first(box, axis) + end)

    return unary(stop)


def _first(box: Box, axis: int) -> int:
    """Where what a region is a box of begins."""
    return box.first if isinstance(box, GroupBox) and box.axis == axis else 0


PURE: Final[dict[str, Pure]] = {"ownership.start": _start, "ownership.stop": _stop}
"""The definitions without effects, by name."""

EFFECTS: Final[dict[str, Effect]] = {
    "ownership.window": _window,
    "ownership.partition": _partition,
    "ownership.group_tiles": _group_tiles,
    "ownership.region": _region,
}
"""The definitions of what takes a part, by name."""
