"""Distributions: a block a point, or a loop over the points of a persistent block; and the end of a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.dialects.builtin import UNKNOWN_LOC
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from freehold.dialects.classes import detach, insert_before, replace_uses
from freehold.dialects.cuda_tile.ops.control_flow import ContinueOp, ForOp
from freehold.dialects.cuda_tile.ops.control_flow import ReturnOp as TileReturnOp
from freehold.dialects.cuda_tile.ops.module import GetNumTileBlocksOp, GetTileBlockIdOp
from freehold.dialects.ownership import BlocksKind, DistributeOp, ReturnOp
from freehold.passes import schedules
from freehold.passes.patterns.context import Conversion, Patterns
from freehold.passes.rewriting import Inserter, inline_behind
from freehold.support import terms
from freehold.support.terms import Term


def distribute(c: Conversion, op: DistributeOp, at: Inserter) -> bool:
    """One block a point: the point's coordinates from the block's number. Persistent blocks: a loop around that."""
    if op is not c.distribution:
        raise PassFailedException(f"{c.kernel.sym_name.data}: a distribution stands inside another operation")
    grid = op.extents
    first = at.value(GetTileBlockIdOp(), "block")
    body = op.body.block
    if op.blocks.kind is BlocksKind.EACH:
        # At most 2^24 - 1 points: groups of up to 128 rows cannot make any product overflow.
        narrow = op.order.size.data > 128
        coordinates = _point(c, op, grid, first, at, narrow=narrow)
        inline_behind(body, op, coordinates)
        return True
    blocks = at.value(GetNumTileBlocksOp(), "blocks")
    loop = ForOp(first, c.term(schedules.count(grid)), blocks)
    loop.block.args[0].name_hint = "point"
    at.insert(loop)
    end = ContinueOp()
    end.location = op.location
    loop.block.add_op(end)
    coordinates = _point(c, op, grid, loop.block.args[0], Inserter(end, op.location), narrow=True)
    for argument, value in zip(body.args, coordinates, strict=True):
        replace_uses(argument, value)
    for moved in list(body.ops):
        detach(moved)
        insert_before(moved, end)
    c.visit(loop.block)
    return True


def _point(
    c: Conversion, op: DistributeOp, grid: Sequence[Term], number: SSAValue, at: Inserter, *, narrow: bool
) -> list[SSAValue]:
    """The coordinates of point `number`. What does not depend on the number is computed once, at the top."""
    # By identity, for terms are slow to hash; equal ones that are not the same are merged later.
    known = {id(_NUMBER): number}
    varies: dict[int, bool] = {id(_NUMBER): True}

    def depends(wanted: Term) -> bool:
        if (found := varies.get(id(wanted))) is None:
            found = varies[id(wanted)] = any(depends(a) for a in wanted.args)
        return found

    def value(wanted: Term) -> SSAValue:
        if not depends(wanted):
            return c.term(wanted)
        if (found := known.get(id(wanted))) is None:
            found = known[id(wanted)] = c.emit(wanted, value, at)
        return found

    coordinates = schedules.point(op.order, _NUMBER, grid, narrow=narrow)
    result = [value(t) for t in coordinates]
    for argument, term, coordinate in zip(op.body.block.args, coordinates, result, strict=True):
        if depends(term) and coordinate.name_hint is None:
            coordinate.name_hint = argument.name_hint
    return result


def leave(c: Conversion, op: ReturnOp, at: Inserter) -> bool:
    """The end of the kernel."""
    end = at.insert(TileReturnOp())
    if end.location is UNKNOWN_LOC:  # text leaves the terminator out
        end.location = c.kernel.location
    return True


_NUMBER: Final = terms.sym("$number")
"""The number of a point. No user's symbol is spelled like this."""


PATTERNS: Final[Patterns] = {DistributeOp: distribute, ReturnOp: leave}
