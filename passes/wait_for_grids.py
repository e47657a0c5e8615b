"""
`wait-for-grids`: a kernel that may begin before those in front of it have ended, and touches no memory until they have.

The first that each tile block does is to wait for the kernels in front (`gdc_wait_tko`), until they have ended and all
that they wrote is there, and then to let those behind begin (`gdc_launch_dependents_tko`). Each access takes the token
of that wait, or one that came of it. No block ends before it has waited. So a kernel does not end before those in front
of it either, and who waits for it has waited for all of them. Nor does what is behind it begin before they have ended.

Tensors that are `early`, by position among the tensors, are loaded before the wait as far as the text has them there,
and the kernels behind may begin before it, too: whoever launches the kernel sees to it that no kernel that may still
run writes what is loaded so. The wait takes the tokens of these loads. Without them the assembler moves a load behind
the wait, to where its tile is first needed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from freehold.dialects.classes import insert_before, replace_uses
from freehold.dialects.cuda_tile.op import SEGMENTS, segments
from freehold.dialects.cuda_tile.ops.control_flow import ReturnOp
from freehold.dialects.cuda_tile.ops.memory import (
    Dependency,
    GdcLaunchDependentsTkoOp,
    GdcWaitTkoOp,
    JoinTokensOp,
    MakeTokenOp,
)
from freehold.dialects.cuda_tile.ops.misc import AssumeOp
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp, MakePartitionViewOp, MakeTensorViewOp
from freehold.dialects.cuda_tile.types import TOKEN
from freehold.dialects.location import span_of
from freehold.passes.errors.translation import TranslationNotShown
from freehold.passes.rewriting import walk
from freehold.support.diagnostic import Rejected

if TYPE_CHECKING:
    from xdsl.dialects.builtin import DenseArrayBase, IntegerType


@dataclass(frozen=True)
class WaitForGridsPass(ModulePass):
    """Has kernels wait for those in front of them before they touch memory."""

    name = "wait-for-grids"
    early: tuple[int, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrites each entry point of the module."""
        for entry in walk(op):
            if isinstance(entry, EntryOp):
                wait_for_grids(entry, self.early)


def wait_for_grids(entry: EntryOp, early: Collection[int] = ()) -> None:
    """Rewrites an entry point, in place."""
    block, ops = entry.body.block, walk(entry)
    first = block.first_op
    assert first is not None
    late = (op for op in block.ops if any(_has_to_wait(o, early) for o in walk(op)))
    place = next(late, first)
    joins, ahead = _loaded_before(block, place)
    wait = GdcWaitTkoOp(ahead)
    begin = GdcLaunchDependentsTkoOp(None if early else wait.result_token)
    for op, where in (*((op, place) for op in (*joins, wait)), (begin, first if early else place)):
        op.location = entry.location
        insert_before(op, where)
    for op in ops:
        if isinstance(op, MakeTokenOp):
            replace_uses(op.result, wait.result_token)
            _erase(op)
        elif _is_loose(op, early):
            op.operands = (*op.operands, wait.result_token)
            if SEGMENTS in op.properties:
                sizes = cast("DenseArrayBase[IntegerType]", op.properties[SEGMENTS]).get_values()
                op.properties[SEGMENTS] = segments(*map(int, sizes[:-1]), 1)


def _loaded_before(block: Block, place: Operation) -> tuple[list[Operation], SSAValue | None]:
    """The token of all loads of a block in front of a place, and what joins theirs; None where there are none."""
    before = takewhile(lambda op: op is not place, block.ops)
    tokens = [op.result_token for op in before if isinstance(op, LoadViewTkoOp)]
    if len(tokens) < 2:
        return [], next(iter(tokens), None)
    join = JoinTokensOp(tokens)
    return [join], join.result


def take_wait(entry: EntryOp, early: Collection[int] = ()) -> None:
    """
    Shows of an entry point that it touches no memory but what is early before it has waited, and takes the wait out,
    in place: what is left is the entry point without it. Raises `Rejected` (O140).
    """
    block = entry.body.block
    begins = [op for op in block.ops if isinstance(op, GdcLaunchDependentsTkoOp)]
    waits = [op for op in block.ops if isinstance(op, GdcWaitTkoOp)]
    if len(begins) != 1 or len(waits) != 1:
        raise _not_shown(entry, entry, "this does not wait once for the kernels in front of it")
    if not early and begins[0].token is not waits[0].result_token:
        raise _not_shown(entry, begins[0], "this lets the kernels behind begin before it has waited for those in front")
    for op in takewhile(lambda op: op is not waits[0], block.ops):
        for end in walk(op):
            if isinstance(end, ReturnOp):
                raise _not_shown(entry, end, "this may end before it has waited for the kernels in front of it")
    for op in walk(entry):
        orders = isinstance(op, MakeTokenOp | Dependency) and op not in (*begins, *waits)
        if orders or _is_loose(op, early) or _goes_past(op, waits[0]):
            raise _not_shown(entry, op, "this is not shown to wait for the kernels in front")
    start, first = MakeTokenOp(), block.first_op
    assert first is not None
    insert_before(start, first)
    loaded = waits[0].token.owner if waits[0].token is not None else None
    for op in begins:
        _erase(op)
    replace_uses(waits[0].result_token, start.result)
    for op in waits:
        _erase(op)
    if isinstance(loaded, JoinTokensOp) and not loaded.result.uses:
        _erase(loaded)


def _goes_past(op: Operation, wait: Operation) -> bool:
    """Whether the token of a load that waits for nothing goes elsewhere than to the wait."""
    if not isinstance(op, LoadViewTkoOp) or op.token is not None:
        return False
    users = [use.operation for use in op.result_token.uses]
    ends = ([u.operation for u in o.result.uses] if isinstance(o, JoinTokensOp) else [o] for o in users)
    return any(end is not wait for found in ends for end in found)


def _has_to_wait(op: Operation, early: Collection[int]) -> bool:
    """Whether an operation comes behind the wait: it begins an order of accesses, touches memory, or ends a block."""
    return isinstance(op, MakeTokenOp | ReturnOp) or _is_loose(op, early)


def _is_loose(op: Operation, early: Collection[int]) -> bool:
    """Whether an operation that has to wait for a token, as all do that touch memory, has none."""
    if not op.name.endswith("_tko") or isinstance(op, Dependency):
        return False
    return not any(operand.type == TOKEN for operand in op.operands) and loaded(op) not in early


def loaded(op: Operation) -> int:
    """The position of the tensor that is loaded; -1 where that is not seen."""
    value: SSAValue | None = op.view if isinstance(op, LoadViewTkoOp) else None
    while value is not None and not isinstance(value, BlockArgument):
        owner = value.owner
        known = isinstance(owner, MakePartitionViewOp | MakeTensorViewOp | AssumeOp)
        value = owner.operands[0] if known else None
    return -1 if value is None or not isinstance(value.owner.parent_op(), EntryOp) else value.index


def _erase(op: Operation) -> None:
    op.detach()
    op.erase()


def _not_shown(entry: EntryOp, op: Operation, what: str) -> Rejected:
    name = entry.sym_name.data
    return Rejected([TranslationNotShown(span_of(op), name, what)], kernel=name)
