"""`hoist-invariants`: moves out of loops what is the same in every turn and cheap to keep.

Scalars, views and constants move; other tiles stay, for a tile that lives through a loop takes registers that the loop
may need. Only what is `Pure` moves, because the loop may have no turn; a division is, where its divisor is a constant
that cannot fail.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from freehold.dialects.classes import detach, insert_before, operands_of, ops_of, type_of
from freehold.dialects.cuda_tile.ops.arith_int import DivIOp, RemIOp
from freehold.dialects.cuda_tile.ops.control_flow import ForOp, LoopOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp
from freehold.dialects.cuda_tile.ops.views import MakeView
from freehold.dialects.cuda_tile.types import is_scalar
from freehold.passes.rewriting import Effect, defined_outside, effect, integer, loops


@dataclass(frozen=True)
class HoistInvariantsPass(ModulePass):
    """Moves scalars, views and constants out of the loops in which they never change."""

    name = "hoist-invariants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Hoists in every loop of the module, innermost first."""
        hoist_invariants(op)


def hoist_invariants(root: Operation) -> None:
    """Hoists in every loop inside `root`, innermost first, in place."""
    for loop in loops(root):
        hoist_from(loop)


def hoist_from(loop: ForOp | LoopOp) -> None:
    """Moves what is invariant in one loop, but not inside a nested one, to directly before it."""
    body, outer = loop.region.block, loop.parent
    assert outer is not None
    for op in ops_of(body):
        if _cheap(op) and all(defined_outside(operand, loop) for operand in operands_of(op)):
            detach(op)
            insert_before(op, loop)


def _cheap(op: Operation) -> bool:
    found = effect(type(op))
    if found is Effect.FREE and isinstance(op, DivIOp | RemIOp):
        return integer(op.rhs) not in (None, 0, -1) and is_scalar(op.result.type)
    if op.regions or found is not Effect.PURE:
        return False
    return all(map(is_scalar, map(type_of, op.results))) or isinstance(op, ConstantOp | MakeView)
