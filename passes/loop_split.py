"""`loop-split`: a loop of Tile IR with an `if` on its counter becomes two loops, in each of which the `if` is decided.

Name, option and hints are those of the pass in NVIDIA's `cuda-tile-opt`: the first `if` of a loop that compares the
counter with a number which the loop does not change, for order, cuts it; the attribute `cuda_tile.loop_split` of the
`if`, the loop or the entry says from how many operations on, 0 for never. `split-loops` is for ownership kernels, finds
cuts by their proofs, and verifies what it makes.

The first loop ends where the comparison changes, and the second begins there, so each turn is in one of them, in order,
and no number on the way wraps: a cut behind the greatest number is clamped, and where a step other than one is not
known to end in range, the way to the second loop's first turn is no longer than that to the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Region, SSAValue
from xdsl.passes import ModulePass

from freehold.dialects.classes import erase, insert_before, replace_uses
from freehold.dialects.cuda_tile.attrs import SIGNED, UNSIGNED, RoundingModeAttr, SignednessAttr
from freehold.dialects.cuda_tile.integers import element_width
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, CmpIOp, DivIOp, MaxIOp, MinIOp, MulIOp, RemIOp, SubIOp
from freehold.dialects.cuda_tile.ops.control_flow import ContinueOp, ForOp, IfOp, YieldOp
from freehold.dialects.cuda_tile.ops.memory import LoadPtrTkoOp, StorePtrTkoOp
from freehold.dialects.cuda_tile.ops.mma import Mma
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.cuda_tile.ops.reduce import ReduceOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp, SelectOp
from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp, StoreViewTkoOp
from freehold.dialects.cuda_tile.types import TileType
from freehold.passes.rewriting import Inserter, around, copy, defined_outside, integer, loops, walk
from freehold.support.integers import limits, read

HINT: Final = "cuda_tile.loop_split"
"""The attribute with the fewest operations in a region for which a loop is cut; 0 for never, 1 for always."""
_HEAVY: Final = (
    LoadPtrTkoOp, StorePtrTkoOp, LoadViewTkoOp, StoreViewTkoOp, Mma, ReduceOp, IfOp, ForOp,
)  # fmt: skip
"""What is worth a cut however few there are."""
_MIRRORED: Final = {
    "less_than": "greater_than",
    "less_than_or_equal": "greater_than_or_equal",
    "greater_than": "less_than",
    "greater_than_or_equal": "less_than_or_equal",
}


@dataclass(frozen=True)
class LoopSplitPass(ModulePass):
    """Cuts loops of Tile IR in two where an `if` on their counter changes. Refuses nothing."""

    name = "loop-split"

    split_threshold: int = 1
    """The fewest operations in a region of the `if`, where no hint says others."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Cuts every loop once, inner loops first."""
        for loop in [each for each in loops(op) if isinstance(each, ForOp)]:
            if (cut := _cut_of(loop, self.split_threshold)) is not None:
                _carry_out(loop, cut)


class Cut(NamedTuple):
    """Where a loop is cut."""

    comparison: CmpIOp
    number: SSAValue
    """What the counter is compared with."""
    behind: bool
    """Whether the second loop begins behind the number, not at it."""
    then: bool
    """What the comparison comes to in the second loop."""


def _cut_of(loop: ForOp, threshold: int) -> Cut | None:
    """The cut at the first `if` of a loop that has one and is worth it."""
    if (element_width(loop.lowerBound.type) or 0) < 8:
        return None
    for op in walk(loop):
        if not isinstance(op, IfOp) or not (least := _hint(op, loop, threshold)):
            continue
        comparison = op.condition.owner
        if not isinstance(comparison, CmpIOp) or (cut := _compares(loop, comparison)) is None:
            continue
        users = [use.operation for use in comparison.result.uses]
        if any(isinstance(user, IfOp) and _worth(user, least) for user in users):
            return cut
    return None


def _hint(op: IfOp, loop: ForOp, otherwise: int) -> int:
    entries = (each for each in around(loop) if isinstance(each, EntryOp))
    for each in (op, loop, *entries):
        if isinstance(said := each.attributes.get(HINT), IntegerAttr):
            return said.value.data
    return otherwise


def _compares(loop: ForOp, comparison: CmpIOp) -> Cut | None:
    """The cut that a comparison of the counter asks for, if it is read as the loop counts."""
    if comparison.signedness != _sign(loop):
        return None
    predicate, counter = comparison.comparison_predicate.data.value, loop.block.args[0]
    number = comparison.rhs
    if comparison.lhs is not counter:
        predicate, number = _MIRRORED.get(predicate, ""), comparison.lhs
        if comparison.rhs is not counter:
            return None
    if predicate not in _MIRRORED or not defined_outside(number, loop):
        return None
    then = predicate.startswith("greater")
    return Cut(comparison, number, predicate in ("greater_than", "less_than_or_equal"), then)


def _sign(loop: ForOp) -> SignednessAttr:
    return SIGNED if loop.unsignedCmp is None else UNSIGNED


def _worth(op: IfOp, least: int) -> bool:
    inside = [[*region.block.ops][:-1] for region in op.regions if region.blocks]
    return least <= 1 or any(len(ops) >= least or any(isinstance(each, _HEAVY) for each in ops) for ops in inside)


# Cutting


def _carry_out(loop: ForOp, cut: Cut) -> None:
    """Puts the turns before the cut into a loop in front; those from it on stay."""
    at = Inserter(loop)
    end, start = _bounds(loop, cut, at)
    values = _Outside()
    first = at.insert(copy(loop, values))
    first.operands = (loop.lowerBound, end, loop.step, *loop.initValues)
    loop.operands = (start, loop.upperBound, loop.step, *first.results)
    before = values[cut.comparison.result].owner
    assert isinstance(before, CmpIOp)
    _decide(first, before, not cut.then)
    _decide(loop, cut.comparison, cut.then)


class _Outside(dict[SSAValue, SSAValue]):
    """Copies of values; what is defined outside of what is copied stands for itself."""

    def __missing__(self, key: SSAValue) -> SSAValue:
        return key


def _bounds(loop: ForOp, cut: Cut, at: Inserter) -> tuple[SSAValue, SSAValue]:
    """Where the first loop ends, and where the second one begins."""
    sign, (low, high, step) = _sign(loop), (loop.lowerBound, loop.upperBound, loop.step)
    split = _behind(cut.number, sign, at) if cut.behind else cut.number
    if integer(step) != 1:
        if not _ends_in_range(cut, loop):
            return _with_steps(split, loop, at)
        turns = at.value(DivIOp(at.value(SubIOp(split, low)), step, sign, RoundingModeAttr.of("positive_inf")))
        split = at.value(AddIOp(low, at.value(MulIOp(turns, step))))
    return at.value(MinIOp(split, high, sign)), at.value(MaxIOp(split, low, sign))


def _behind(number: SSAValue, sign: SignednessAttr, at: Inserter) -> SSAValue:
    """The number behind one; no counter is greater than the last but one, so that stands for the last."""
    type_ = _type(number)
    width = element_width(type_) or 0
    last = limits(width, signed=sign == SIGNED)[1]
    known = _number(number, sign)
    if known is None or known == last:
        number = at.value(MinIOp(number, at.value(ConstantOp.splat(type_, last - 1)), sign))
    return at.value(AddIOp(number, at.value(ConstantOp.splat(type_, 1))))


def _type(value: SSAValue) -> TileType:
    assert isinstance(value.type, TileType)
    return value.type


def _number(value: SSAValue, sign: SignednessAttr) -> int | None:
    """The number that a constant is read as."""
    found, width = integer(value), element_width(value.type)
    return None if found is None or width is None else read(found, width, signed=sign == SIGNED)


def _ends_in_range(cut: Cut, loop: ForOp) -> bool:
    """Whether the first number of the second loop, and what it is computed from, is known not to wrap."""
    sign = _sign(loop)
    number, low, step = (_number(value, sign) for value in (cut.number, loop.lowerBound, loop.step))
    if number is None or low is None or step is None or step <= 0:
        return False
    least, most = limits(element_width(loop.step.type) or 0, signed=sign == SIGNED)
    way = number + cut.behind - low
    return least <= way <= most and least <= -(-way // step) * step and low + -(-way // step) * step <= most


def _with_steps(split: SSAValue, loop: ForOp, at: Inserter) -> tuple[SSAValue, SSAValue]:
    """
    The bounds where nothing is known of the numbers.

    From the cut, between the ends of the loop, the next turn is as far as the step less what is left over; further than
    the end it need not be. Distances are read without a sign, so they are right however far the ends are apart.
    """
    sign, (low, high, step) = _sign(loop), (loop.lowerBound, loop.upperBound, loop.step)
    split = at.value(MaxIOp(at.value(MinIOp(split, high, sign)), low, sign))
    left = at.value(RemIOp(at.value(SubIOp(split, low)), step, UNSIGNED))
    nothing = at.value(ConstantOp.splat(_type(step), 0))
    even = at.value(CmpIOp("equal", left, nothing, sign))
    way = at.value(SelectOp(even, nothing, at.value(SubIOp(step, left))))
    way = at.value(MinIOp(way, at.value(SubIOp(high, split)), UNSIGNED))
    return split, at.value(AddIOp(split, way))


def _decide(loop: ForOp, comparison: CmpIOp, result: bool) -> None:
    """Puts what a comparison comes to in its place, and the region that runs in place of an `if` of the loop's turn."""
    for op in list(_turn(loop)):
        if op.parent is not None and op.condition is comparison.result:
            _inline(op, op.thenRegion if result else op.elseRegion)
    if comparison.result.first_use is not None:
        known = Inserter(comparison).value(ConstantOp.splat(_type(comparison.result), result))
        replace_uses(comparison.result, known)
    assert comparison.parent is not None
    erase(comparison)


def _turn(loop: ForOp) -> Iterator[IfOp]:
    yield from (op for op in loop.block.ops if isinstance(op, IfOp))


def _inline(op: IfOp, region: Region) -> None:
    """Puts what is in a region in place of the `if`. Behind what ends the turn, nothing is left."""
    block = op.parent
    assert block is not None
    inner = region.first_block
    end = inner.last_op if inner is not None else None
    if isinstance(end, ContinueOp):
        while (last := block.last_op) is not None and last is not op:
            erase(last)
    for each in list(inner.ops) if inner is not None else ():
        each.detach()
        if isinstance(each, YieldOp):
            for result, value in zip(op.results, each.operands, strict=True):
                replace_uses(result, value)
            each.erase()
        else:
            insert_before(each, op)
    erase(op)
