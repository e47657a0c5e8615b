"""`hoist-assertions`: moves an assertion, or a check, out of the loops in which its condition never changes.

A loop without a turn asserts nothing, so outside the loop the condition is "no turn, or as before". An assertion moves
only past what it would have been reached through anyway: nothing before it in the body may leave the turn, or run for
ever. An assertion that fails stops the kernel earlier than before; what a kernel that is stopped has written is not
defined anyway.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from freehold.dialects.classes import detach, erase, ops_of
from freehold.dialects.cuda_tile.attrs import SIGNED, UNSIGNED
from freehold.dialects.cuda_tile.integers import width_of
from freehold.dialects.cuda_tile.ops.arith_int import CmpIOp, OrIOp
from freehold.dialects.cuda_tile.ops.control_flow import AssertOp, ForOp, LoopOp
from freehold.dialects.cuda_tile.types import is_scalar
from freehold.dialects.ownership import CheckOp
from freehold.passes.hoist_invariants import hoist_from
from freehold.passes.rewriting import Inserter, defined_outside, integer, loops, may_leave, of_kind
from freehold.support.integers import read


@dataclass(frozen=True)
class HoistAssertionsPass(ModulePass):
    """Moves assertions out of the loops in which their conditions never change."""

    name = "hoist-assertions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Hoists every assertion of the module as far out as it is decided."""
        hoist_assertions(op)


def hoist_assertions(root: Operation) -> None:
    """Hoists every assertion inside `root` as far out as it is decided, in place."""
    for loop in loops(root) if of_kind(root, AssertOp, CheckOp) else ():
        _hoist(loop)


def _hoist(loop: ForOp | LoopOp) -> None:
    body = loop.region.block
    if not any(isinstance(op, AssertOp | CheckOp) for op in ops_of(body)):
        return
    hoist_from(loop)  # the condition, which may have come out of an inner loop
    no_turn: SSAValue | None = None
    known = isinstance(loop, LoopOp) or _has_turns(loop)
    op = body.first_op
    while op is not None and not may_leave(op):
        following = op.next_op
        if isinstance(op, AssertOp | CheckOp) and _decided_outside(op, loop):
            condition = op.condition
            at = Inserter(loop, op.location)
            if not known:
                if no_turn is None:
                    assert isinstance(loop, ForOp)
                    signedness = SIGNED if loop.unsignedCmp is None else UNSIGNED
                    no_turn = at.value(CmpIOp("greater_than_or_equal", loop.lowerBound, loop.upperBound, signedness))
                condition = at.value(OrIOp(no_turn, condition))
            if isinstance(op, AssertOp):
                at.insert(AssertOp(condition, op.message.data))
                erase(op)
            else:  # its number and values go with it
                detach(op)
                op.operands = (condition, *op.values)
                at.insert(op)
        op = following


def _decided_outside(op: AssertOp | CheckOp, loop: ForOp | LoopOp) -> bool:
    return is_scalar(op.condition.type) and all(defined_outside(operand, loop) for operand in op.operands)


def _has_turns(loop: ForOp) -> bool:
    lower, upper, width = integer(loop.lowerBound), integer(loop.upperBound), width_of(loop.lowerBound.type)
    if lower is None or upper is None or width is None:
        return False
    signed = loop.unsignedCmp is None
    return read(lower, width, signed=signed) < read(upper, width, signed=signed)
