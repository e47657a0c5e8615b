"""Which values of a kernel decide where its accesses go: what addresses, masks, conditions and tokens are made of."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from freehold.audit.folds import followed
from freehold.dialects.cuda_tile.ops.control_flow import (
    BreakOp,
    ContinueOp,
    ForOp,
    IfOp,
    LoopOp,
    ReturnOp,
    YieldOp,
)
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.cuda_tile.ops.reduce import Aggregate
from freehold.dialects.cuda_tile.types import TOKEN
from freehold.passes.rewriting import walk

_WHERE = ("view", "index", "source", "destination", "pointers", "mask", "token", "tokens")
"""Operands of accesses that say where they go and when, and not what is stored."""


def relevant(entry: EntryOp) -> set[SSAValue]:
    """The values that matter."""
    found: set[SSAValue] = set()
    todo: list[SSAValue] = []
    jumps = _jumps(entry)
    for op in walk(entry):
        todo += _asked(op)
    while todo:
        value = todo.pop()
        if value in found:
            continue
        found.add(value)
        todo += _sources(value, jumps)
    return found


def _asked(op: Operation) -> Iterator[SSAValue]:
    """What an operation reads that decides where accesses go, whatever becomes of its results."""
    if isinstance(op, ForOp):
        yield from (op.lowerBound, op.upperBound, op.step)
    elif isinstance(op, IfOp):
        yield op.condition
    elif op.results and op.results[-1].type == TOKEN and not isinstance(op, LoopOp):
        for name in _WHERE:
            if isinstance(found := getattr(op, name, None), SSAValue):
                yield found
            elif found is not None:
                yield from found
    elif op.name == "cuda_tile.assume":
        yield from op.operands if isinstance(op.operands[0].owner, Block) else ()


def _sources(value: SSAValue, jumps: dict[Operation, list[Operation]]) -> Iterator[SSAValue]:
    """What a value is made of."""
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op()
        if isinstance(loop, ForOp | LoopOp):
            number = value.index - isinstance(loop, ForOp)
            if number >= 0:
                yield loop.initValues[number]
                yield from (jump.operands[number] for jump in jumps[loop] if isinstance(jump, ContinueOp))
        return
    op = value.owner
    assert isinstance(op, Operation)
    number = next(n for n, result in enumerate(op.results) if result is value)
    if isinstance(op, ForOp):
        yield op.initValues[number]
    if isinstance(op, ForOp | IfOp | LoopOp):
        kinds = {ForOp: ContinueOp, LoopOp: BreakOp, IfOp: YieldOp}[type(op)]
        yield from (jump.operands[number] for jump in jumps[op] if isinstance(jump, kinds))
    elif not isinstance(op, Aggregate) or followed(op):
        yield from op.operands


def _jumps(entry: EntryOp) -> dict[Operation, list[Operation]]:
    """The ends of the bodies of each loop and branch."""
    found: dict[Operation, list[Operation]] = {op: [] for op in walk(entry) if isinstance(op, ForOp | LoopOp | IfOp)}

    def look(block: Block, branch: Operation | None, loops: tuple[Operation, ...]) -> None:
        for op in block.ops:
            match op:
                case YieldOp() if branch is not None and branch in found:
                    found[branch].append(op)
                case ContinueOp() if loops:
                    found[loops[-1]].append(op)
                case BreakOp():
                    loop = next((loop for loop in reversed(loops) if isinstance(loop, LoopOp)), None)
                    if loop is not None:
                        found[loop].append(op)
                case ForOp() | LoopOp():
                    look(op.region.block, None, (*loops, op))
                case IfOp():
                    for region in op.regions:
                        for inner in region.blocks:
                            look(inner, op, loops)
                case ReturnOp():
                    pass
                case _:
                    pass

    look(entry.body.block, None, ())
    return found
