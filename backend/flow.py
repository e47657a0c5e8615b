"""What of a kernel of Tile IR goes into what, which hints it has, and what its loops hand on: for `wrong_code`."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final, cast

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, IntegerType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xdsl.ir import Operation, SSAValue

    from freehold.dialects.cuda_tile.attrs import OptimizationHintsAttr
    from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp, LoopOp
    from freehold.dialects.cuda_tile.ops.module import EntryOp
    from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp

CLUSTER: Final = "num_cta_in_cga"
WORKERS: Final = "num_worker_warps_per_cta"
WARPS: Final = 4
"""Warps that multiply together, and as many as compute without a hint."""
ROWS: Final = 64
"""Rows that they multiply at once."""


def hint_of(entry: EntryOp, arch: str, name: str, otherwise: int) -> int:
    """A hint of a kernel for an architecture, or for all, or what is so without it."""
    for place in (arch, "default"):
        if (number := said(entry.optimization_hints, place, name)) is not None:
            return number
    return otherwise


def said(hints: OptimizationHintsAttr | None, arch: str, name: str) -> int | None:
    """What a hint says for an architecture; a truth value is 0 or 1."""
    if hints is None:
        return None
    said = cast("DictionaryAttr", hints.hints.data.get(arch, DictionaryAttr({}))).data.get(name)
    return cast("IntegerAttr[IntegerType]", said).value.data if isinstance(said, IntegerAttr) else None


def elements(value: SSAValue) -> int:
    """Of a tile; 0 for what is none."""
    from freehold.dialects.cuda_tile.types import TileType

    return prod(value.type.dims) if isinstance(value.type, TileType) else 0


def reached(operations: Sequence[Operation], kind: type[Operation]) -> set[SSAValue]:
    """The values that results of operations of a kind go into: not by way of memory."""
    return reached_from({result for op in operations if isinstance(op, kind) for result in op.results}, operations)


def reached_from(
    values: set[SSAValue], operations: Sequence[Operation], but: tuple[type[Operation], ...] = ()
) -> set[SSAValue]:
    """These values and those that they go into: not by way of memory, nor of some operations."""
    found = set(values)
    before = -1 if found else 0
    while before < len(found):  # a loop carries what its body computes
        before = len(found)
        for op in operations:
            if not isinstance(op, but) and not found.isdisjoint(op.operands):
                found.update(into for value, into in goes_into(op) if value in found)
    return found


def goes_into(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The operands of an operation, each with the values that it goes into."""
    from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, ForOp, IfOp, LoopOp, YieldOp
    from freehold.dialects.cuda_tile.ops.views import Ordered

    if isinstance(op, (ForOp, LoopOp)):
        yield from zip(op.initValues, op.carried, strict=True)
        if isinstance(op, ForOp):  # without a turn
            yield from zip(op.initValues, op.results, strict=True)
            yield from ((bound, op.block.args[0]) for bound in op.operands[:3])
    elif isinstance(op, ContinueOp):
        yield from zip(op.operands, op.loop.carried, strict=True)
        if isinstance(op.loop, ForOp):
            yield from zip(op.operands, op.loop.results, strict=True)
    elif isinstance(op, BreakOp):
        yield from zip(op.operands, op.loop.results, strict=True)
    elif isinstance(op, YieldOp) and isinstance(op.parent_op(), IfOp):
        yield from zip(op.operands, cast("IfOp", op.parent_op()).results, strict=True)
    elif not isinstance(op, (Ordered, IfOp)):
        around = cast("Operation", op.parent_op()) if isinstance(op, YieldOp) else op
        for value in op.operands:
            yield from ((value, result) for result in around.results)
            yield from ((value, arg) for region in around.regions for block in region.blocks for arg in block.args)


def yielded(value: SSAValue) -> list[SSAValue]:
    """What the branches of an `if` yield as this result of it; nothing where it is none."""
    from freehold.dialects.cuda_tile.ops.control_flow import IfOp, YieldOp

    owner = value.owner
    if not isinstance(owner, IfOp):
        return []
    ends = [region.block.last_op for region in owner.regions if region.blocks]
    return [end.operands[owner.results.index(value)] for end in ends if isinstance(end, YieldOp)]


def by_threads(load: LoadViewTkoOp, arch: str) -> bool:
    """Whether threads load a tile, as its hints say, and not the tensor memory accelerator."""
    for place in (arch, "default"):
        if (allowed := said(load.optimization_hints, place, "allow_tma")) is not None:
            return allowed == 0
    return False


def moves(loop: ForOp | LoopOp, kinds: tuple[type[Operation], ...]) -> bool:
    """Whether a turn hands on what operations of these kinds make of a tile that it was given; not by way of sums."""
    from freehold.dialects.cuda_tile.ops.control_flow import ContinueOp
    from freehold.dialects.cuda_tile.ops.mma import Mma
    from freehold.dialects.cuda_tile.ops.reduce import ReduceOp, ScanOp

    inside, sums = [*loop.walk()], (Mma, ReduceOp, ScanOp)
    carried = reached_from({value for value in loop.carried if elements(value) > 1}, inside, sums)
    moved: set[SSAValue] = {
        v for op in inside if isinstance(op, kinds) and not carried.isdisjoint(op.operands) for v in op.results
    }
    moved = reached_from(moved, inside, sums)
    return any(isinstance(op, ContinueOp) and op.loop is loop and not moved.isdisjoint(op.operands) for op in inside)
