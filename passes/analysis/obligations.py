"""Writing obligations on operations, and the words that go with them."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Operation

from freehold.dialects.ownership import DistributeOp, Duty, LoadOp, ObligationAttr, RegionOp
from freehold.passes.launch_contract import obligations_of


def record(op: DistributeOp | LoadOp | RegionOp, duties: Iterable[Duty], found: Iterable[ObligationAttr]) -> None:
    """Replaces what is recorded on `op` about `duties`."""
    replaced = set(duties)
    kept = [o for o in obligations_of(op) if o.duty not in replaced]
    op.obligations = ArrayAttr([*kept, *found])


def owing(op: Operation) -> list[Operation]:
    """The operations in `op` that owe something, in order."""
    return [inner for inner in op.walk() if isinstance(inner, DistributeOp | LoadOp | RegionOp)]
