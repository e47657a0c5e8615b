"""Operations that owe something, and the words that go with them."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from freehold.dialects.ownership import (
    AccumulateOp,
    LoadOp,
    OwingOp,
    RegionOp,
)
from freehold.passes.analysis.wording import name_of
from freehold.passes.rewriting import walk


def accessed(op: LoadOp | RegionOp | AccumulateOp) -> SSAValue:
    """What an access owes its bounds to: a borrow, a partition or an accumulator."""
    return op.target if isinstance(op, AccumulateOp) else op.operands[0]


def steps_of(op: LoadOp | RegionOp | AccumulateOp) -> tuple[int, ...]:
    """The distance between neighbouring tiles, by axis."""
    match op:
        case LoadOp():
            return op.result.type.dims
        case RegionOp():
            return op.result.type.partition.steps
        case _:
            return op.steps


def access_text(op: LoadOp | RegionOp | AccumulateOp) -> str:
    """An access in the user's words."""
    what = {LoadOp: "this load from", RegionOp: "this region of", AccumulateOp: "this update of"}[type(op)]
    return f"{what} `{name_of(accessed(op))}`"


def owing(op: Operation) -> list[OwingOp]:
    """The operations in `op` that owe something, in order."""
    return [inner for inner in walk(op) if isinstance(inner, OwingOp)]
