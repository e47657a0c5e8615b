"""Checks in the kernel: of indices, of windows, of the offsets that bound groups, and of what authors assert."""

from __future__ import annotations

from typing import Final

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import SSAValue

from freehold.dialects.cuda_tile.attrs import UNSIGNED
from freehold.dialects.cuda_tile.ops.arith_int import CmpIOp
from freehold.dialects.cuda_tile.ops.control_flow import AssertOp
from freehold.dialects.cuda_tile.ops.shape import SelectOp
from freehold.dialects.ownership import AccessOp, Action, CheckOp, Duty, PartitionOp, Rung, WindowOp, tensor_type
from freehold.passes.analysis.wording import name_of
from freehold.passes.patterns.context import Conversion, Patterns
from freehold.passes.rewriting import Inserter


def check(c: Conversion, op: CheckOp, at: Inserter) -> bool:
    """A check by its number, or an assertion."""
    if c.checks == "trap":
        at.insert(AssertOp(op.condition, c.message(op, op.message.data)))
        return True
    op.number = IntegerAttr(c.numbers[op, -1], i32)
    return False


def checked_places(c: Conversion, op: AccessOp, at: Inserter) -> tuple[SSAValue, ...]:
    """The index of an access, with a check for each axis whose bounds are checked in the kernel.

    An assertion orders nothing, a check of a read may be deferred, and an index out of range is undefined: so the
    access takes index 0 where the index is not inside, and is harmless whichever of the two comes first.
    """
    index, tensor, steps = op.places, tensor_type(op.memory), op.steps
    result = list(index)
    for obligation in op.owes:
        if obligation.duty is not Duty.IN_BOUNDS or obligation.rung is not Rung.KERNEL or not c.checks:
            continue
        axis = obligation.axis.data
        count = c.tiles(tensor.extent(axis), steps[axis])
        # Read as unsigned, a negative index is larger than any count.
        inside = at.value(CmpIOp("less_than", index[axis], count, UNSIGNED))
        result[axis] = guarded(c, index[axis], inside, count, op, axis, at)
    return tuple(result)


def guarded(
    c: Conversion, index: SSAValue, inside: SSAValue, bound: SSAValue, op: AccessOp | WindowOp, axis: int, at: Inserter
) -> SSAValue:
    """An index that is checked to be inside; 0 where an assertion stops the GPU because it is not."""
    if c.checks != "trap":
        reads = isinstance(op, AccessOp) and op.ACTION is Action.READ
        number = c.numbers[op, axis]
        at.insert(CheckOp(inside, "", [index, bound], *_INDEX_VALUES, number, deferrable=reads))
        return at.value(SelectOp(inside, index, c.constant(0))) if reads else index
    name = name_of(op.memory if isinstance(op, AccessOp) else op.tensor)
    what = f"{'tile index' if isinstance(op, AccessOp) else 'window'} out of bounds: axis {axis} of {name}"
    at.insert(AssertOp(inside, c.message(op, what)))
    return at.value(SelectOp(inside, index, c.constant(0)))


def check_groups(c: Conversion, op: PartitionOp, bad: SSAValue, count: SSAValue, valid: SSAValue, at: Inserter) -> None:
    """The check that offsets bound groups: of all of them, `bad` is the first that does not."""
    if c.checks == "trap":
        at.insert(AssertOp(valid, c.message(op, f"offsets bound no groups of {name_of(op.tensor)}")))
    elif c.checks:
        values = ("group", "groups"), ("i32", "i32")
        at.insert(CheckOp(valid, "", [bad, count], *values, c.numbers[op, op.result.type.ragged.data]))


_INDEX_VALUES: Final = ("index", "count"), ("i32", "i32")
"""The names and dtypes of what the check of an index shows."""


PATTERNS: Final[Patterns] = {CheckOp: check}
