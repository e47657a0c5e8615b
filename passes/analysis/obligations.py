"""Writing obligations on operations, and the words that go with them."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation, SSAValue

from freehold.dialects.classes import array
from freehold.dialects.ownership import (
    AccumulateAtOp,
    AccumulateOp,
    DistributeOp,
    Duty,
    GatherOp,
    LoadOp,
    LoadWindowOp,
    ObligationAttr,
    PartitionOp,
    RegionOp,
    WindowOp,
)
from freehold.passes.analysis.wording import name_of
from freehold.passes.launch_contract import obligations_of
from freehold.passes.rewriting import walk

Indexed = LoadWindowOp | GatherOp | AccumulateOp | AccumulateAtOp
"""The accesses by element, and updates of tiles."""


def record(
    op: DistributeOp | PartitionOp | WindowOp | LoadOp | RegionOp | Indexed,
    duties: Iterable[Duty],
    found: Iterable[ObligationAttr],
) -> None:
    """Replaces what is recorded on `op` about `duties`."""
    replaced = set(duties)
    kept = [o for o in obligations_of(op) if o.duty not in replaced]
    op.obligations = array([*kept, *found])


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


def owing(op: Operation) -> list[Operation]:
    """The operations in `op` that owe something, in order."""
    kinds = DistributeOp | PartitionOp | WindowOp | LoadOp | RegionOp | Indexed
    return [inner for inner in walk(op) if isinstance(inner, kinds)]
