"""Rewrites that change structure, for `canonicalize`: an `if` whose condition is known is the region that runs."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from freehold.dialects.cuda_tile.folding import literal
from freehold.dialects.cuda_tile.ops.control_flow import IfOp, YieldOp


class InlineDecidedIf(RewritePattern):
    """Puts the region that runs in place of an `if` on a constant.

    A region that leaves by `break`, `continue` or `return` stays: what follows the `if` would have to go with it.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Rewrite one `if`."""
        if not isinstance(op, IfOp):
            return
        condition = literal(op.condition)
        if condition is None:
            return
        region = op.thenRegion if condition.splat_value else op.elseRegion
        if not region.blocks:
            rewriter.erase(op)
            return
        block = region.block
        end = block.last_op
        if not isinstance(end, YieldOp):
            return
        values = tuple(end.operands)
        rewriter.erase(end)
        rewriter.inline_block(block, InsertPoint.before(op))
        rewriter.replace(op, [], values)
