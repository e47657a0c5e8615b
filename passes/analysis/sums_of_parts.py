"""
Sums of which it does not matter whether they are of a whole or of its parts: those that go to an accumulator, to which
all tile blocks add.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from freehold.dialects.cuda_tile.ops.arith_float import AddFOp, MaxFOp, MinFOp
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, AndIOp, MaxIOp, MinIOp, OrIOp
from freehold.dialects.cuda_tile.ops.reduce import ReduceOp, ScanOp
from freehold.dialects.cuda_tile.ops.shape import BroadcastOp, ReshapeOp
from freehold.dialects.ownership import AccessOp, Update


def adds(op: ReduceOp | ScanOp) -> bool:
    """Whether it is a sum."""
    ops = [*op.regions[0].block.ops]
    return len(ops) == 2 and isinstance(ops[0], AddFOp | AddIOp)


def repeats(op: ReduceOp | ScanOp) -> bool:
    """Whether it gives what it is given many times, as an extremum does."""
    return isinstance(op.regions[0].block.first_op, MaxFOp | MinFOp | MaxIOp | MinIOp | AndIOp | OrIOp)


def only_added(value: SSAValue) -> bool:
    """Whether a sum goes nowhere but to sums that all tile blocks share: then it may as well be of parts."""
    users = [use.operation for use in value.uses]
    return bool(users) and all(
        (isinstance(u, AccessOp) and u.commuting is Update.ADD and _only_updates(u, value))
        or (passes_sums(u) and only_added(u.results[0]))
        for u in users
    )


def _only_updates(op: AccessOp, value: SSAValue) -> bool:
    """Whether an update adds a value, and neither is at a place that it tells nor chosen by it."""
    return [operand for operand in op.operands if operand is value] == [op.value]


def passes_sums(op: Operation) -> bool:
    """Whether an operation gives a sum of what it makes of parts, where it is given their sum."""
    return (
        isinstance(op, ReshapeOp | BroadcastOp)
        or op.name in ("cuda_tile.ftof", "cuda_tile.itof")
        or (isinstance(op, ReduceOp) and len(op.operands) == 1 and adds(op))
    )
