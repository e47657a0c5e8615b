"""Partitions with groups: their groups become windows between two offsets.

Once a block, before anything else, all offsets are looked at: 128 at a time, each with its neighbour. Where they bound
no groups of the tensor, the check of the partition fails, and no group has a region. A region is a tile of its group,
which is a window of the tensor with an extent of its own: what overhangs the group is not accessed.
"""

from __future__ import annotations

from math import gcd
from typing import Final, cast

from xdsl.dialects.builtin import IntegerAttr, i32, i64
from xdsl.ir import Block, Operation, SSAValue

from freehold.dialects.classes import ops_of, replace_uses
from freehold.dialects.cuda_tile.attrs import SIGNED, UNSIGNED
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, AndIOp, CmpIOp, DivIOp, MinIOp, MulIOp, OrIOp, SubIOp
from freehold.dialects.cuda_tile.ops.control_flow import ContinueOp, ForOp, YieldOp
from freehold.dialects.cuda_tile.ops.conversion import ExtIOp
from freehold.dialects.cuda_tile.ops.memory import LoadPtrTkoOp
from freehold.dialects.cuda_tile.ops.reduce import ReduceOp
from freehold.dialects.cuda_tile.ops.shape import BroadcastOp, ConstantOp, IotaOp, OffsetOp, ReshapeOp, SelectOp
from freehold.dialects.cuda_tile.types import tile
from freehold.dialects.ownership import (
    GroupTilesOp,
    PartitionOp,
    PartitionType,
    RegionOp,
    RegionType,
    StartOp,
    StopOp,
    tensor_type,
)
from freehold.passes.analysis.divisibility import step
from freehold.passes.analysis.groups import reach
from freehold.passes.analysis.wording import tensor_of
from freehold.passes.patterns.checks import check_groups
from freehold.passes.patterns.context import Conversion, Group, Patterns
from freehold.passes.rewriting import Inserter

_WIDTH: Final = 512
"""How many groups are looked at together. With 128 and 256 the assembler 13.5.37 refuses products by eight warps, and
with this those by 16. It takes all with 1024, which was not timed."""
_LINE: Final = tile((_WIDTH,), i32)
_NONE: Final = 2**31 - 1


def partition(c: Conversion, op: PartitionOp, at: Inserter) -> bool:
    """The check of a partition's offsets."""
    if op.offsets is None:
        return True
    count = c.term(op.groups)
    bad = _first_bad(c, op, count, at)
    valid = at.value(CmpIOp("equal", bad, c.constant(_NONE), SIGNED))
    check_groups(c, op, bad, count, valid, at)
    c.valid = valid if c.valid is None else at.value(AndIOp(c.valid, valid))
    return True


def _first_bad(c: Conversion, op: PartitionOp, count: SSAValue, at: Inserter) -> SSAValue:
    """The number of the first group that is none of the tensor; the greatest number where all are."""
    assert op.offsets is not None
    numbers = at.value(IotaOp(_LINE))
    none = at.value(ConstantOp.splat(_LINE, _NONE))
    loop = ForOp(c.constant(0), count, c.constant(_WIDTH), (none,))
    turn, found = loop.block.args
    end = ContinueOp((found,))
    loop.block.add_op(end)
    offsets, limit = tensor_of(op.offsets), c.term(tensor_type(op.offsets).extent(0) - 1)
    pointer, stride = c.pointer(offsets), c.stride(offsets, 0)
    limits = _limits(c, op)
    at.insert(loop)
    inner = Inserter(end, op.location)
    group = inner.value(AddIOp(_line(turn, inner), numbers))
    there = inner.value(CmpIOp("less_than", group, _line(limit, inner), SIGNED))
    base = _line(pointer, inner)
    low = _load(c, _moved(base, group, stride, inner), there, inner)
    following = inner.value(AddIOp(group, inner.value(ConstantOp.splat(_LINE, 1))))
    high = _load(c, _moved(base, following, stride, inner), there, inner)
    extent = _line(limits[0], inner)
    most, last = (None if v is None else _line(v, inner) for v in limits[1:])
    # Read as unsigned, a negative offset is larger than any extent.
    wrong = inner.value(CmpIOp("greater_than", high, extent, UNSIGNED))
    wrong = inner.value(OrIOp(wrong, inner.value(CmpIOp("greater_than", low, high, UNSIGNED))))
    if last is not None:
        zero = inner.value(ConstantOp.splat(_LINE, 0))
        begins = inner.value(CmpIOp("equal", group, zero, SIGNED))
        late = inner.value(AndIOp(begins, inner.value(CmpIOp("not_equal", low, zero, SIGNED))))
        ends = inner.value(CmpIOp("equal", group, last, SIGNED))
        early = inner.value(AndIOp(ends, inner.value(CmpIOp("not_equal", high, extent, SIGNED))))
        wrong = inner.value(OrIOp(wrong, inner.value(OrIOp(late, early))))
    if most is not None:
        large = inner.value(CmpIOp("greater_than", inner.value(SubIOp(high, low)), most, UNSIGNED))
        wrong = inner.value(OrIOp(wrong, large))
    wrong = inner.value(AndIOp(wrong, there))
    end.operands = (inner.value(MinIOp(found, inner.value(SelectOp(wrong, group, none)), SIGNED)),)
    return _least(loop.results[0], at)


def _limits(c: Conversion, op: PartitionOp) -> tuple[SSAValue, SSAValue | None, SSAValue | None]:
    """The extent that is split; how many elements the points reach of a group, where that is a limit; and the last
    group, where the groups have to be the whole tensor."""
    type_, before = op.result.type, Inserter(op)
    axis = cast(int, type_.groups_axis)
    extent, size = c.term(type_.tensor.extent(axis)), type_.tile_shape[axis]
    last = before.value(SubIOp(c.term(op.groups), c.constant(1))) if type_.covered else None
    if (tiles := reach(op)) is None:
        return extent, None, last
    # Where the product would wrap, it is no limit.
    fits = before.value(CmpIOp("less_than", c.term(tiles), c.constant((2**31 - 1) // size), SIGNED))
    product = before.value(MulIOp(c.term(tiles), c.constant(size)))
    return extent, before.value(SelectOp(fits, product, c.constant(_NONE))), last


def _load(c: Conversion, pointers: SSAValue, there: SSAValue, at: Inserter) -> SSAValue:
    return at.insert(LoadPtrTkoOp(pointers, there, at.value(ConstantOp.splat(_LINE, 0)))).results[0]


def group_of(c: Conversion, partition: SSAValue, number: SSAValue, at: Inserter) -> Group:
    """Where a group begins, and how many elements it has."""
    block: Block | None = at.block
    around: list[Block] = []
    while block is not None:
        around.append(block)
        block = block.parent_block()
    for known, of, where, group in c.known_groups:
        if known is partition and of is number and where in around:
            return group
    op = partition.owner
    assert isinstance(op, PartitionOp)
    assert op.offsets is not None
    offsets = tensor_of(op.offsets)
    low = at.insert(LoadPtrTkoOp(c.moved(offsets, 0, number, at))).results[0]
    following = at.value(AddIOp(number, c.constant(1)))
    high = at.insert(LoadPtrTkoOp(c.moved(offsets, 0, following, at))).results[0]
    size = at.value(SubIOp(high, low))
    if c.valid is not None:
        size = at.value(SelectOp(c.valid, size, c.constant(0)))
    group = Group(low, size)
    c.known_groups.append((partition, number, at.block, group))
    return group


def group_tiles(c: Conversion, op: GroupTilesOp, at: Inserter) -> bool:
    """How many regions a group has."""
    type_ = op.partition.type
    assert isinstance(type_, PartitionType)
    size = group_of(c, op.partition, op.group, at).size
    tile_size = type_.tile_shape[cast(int, type_.groups_axis)]
    last = at.value(DivIOp(at.value(SubIOp(size, c.constant(1))), c.constant(tile_size), SIGNED))
    some = at.value(CmpIOp("greater_than", size, c.constant(0), SIGNED))
    count = at.value(SelectOp(some, at.value(AddIOp(last, c.constant(1))), c.constant(0)))
    count.name_hint = op.result.name_hint
    replace_uses(op.result, count)
    return True


def region_of_group(c: Conversion, op: RegionOp, at: Inserter) -> None:
    """A region of a group: a tile of a window."""
    type_ = op.result.type.partition
    axis = cast(int, type_.groups_axis)
    group = group_of(c, op.partition, op.coordinates[0], at)
    tensor = tensor_of(op.partition)
    base = c.moved(tensor, axis, group.first, at)
    c.bases[op.result] = c.assume(base, divisor=gcd(c.alignments[tensor], step(type_.tensor, axis)), at=at)
    c.places[op.result] = at
    c.groups[op.result] = axis, group.size
    c.regions[op.result] = tuple(op.coordinates)


def start(c: Conversion, op: StartOp, at: Inserter) -> bool:
    """The first element of a region."""
    replace_uses(op.result, _edges(c, op, at)[0])
    return True


def stop(c: Conversion, op: StopOp, at: Inserter) -> bool:
    """The element behind the last one of a region."""
    replace_uses(op.result, _edges(c, op, at)[1])
    return True


def _edges(c: Conversion, op: StartOp | StopOp, at: Inserter) -> tuple[SSAValue, SSAValue]:
    axis = op.axis.data
    assert isinstance(op.region.type, RegionType)
    type_ = op.region.type.partition
    coordinates, first, extent = c.regions[op.region], None, None
    if type_.groups_axis is not None:
        taken = op.region.owner
        assert isinstance(taken, RegionOp)
        number, *coordinates = coordinates
        if axis == type_.groups_axis:
            group = group_of(c, taken.partition, number, at)
            first, extent = group.first, group.size
    if extent is None:
        extent = c.term(type_.tensor.extent(axis))
    start = at.value(MulIOp(coordinates[axis], c.constant(type_.steps[axis])))
    # What is left behind the start, and not the end of the tile, which may lie beyond all numbers.
    left = at.value(MinIOp(at.value(SubIOp(extent, start)), c.constant(type_.tile_shape[axis]), SIGNED))
    if first is not None:
        start = at.value(AddIOp(first, start))
    return start, at.value(AddIOp(start, left))


def _line(value: SSAValue, at: Inserter) -> SSAValue:
    """A scalar, as often as groups are looked at together."""
    return at.value(BroadcastOp(at.value(ReshapeOp(value, (1,))), (_WIDTH,)))


def _moved(pointers: SSAValue, numbers: SSAValue, stride: int | SSAValue, at: Inserter) -> SSAValue:
    """Pointers to the elements with some numbers, from pointers to the first. Of numbers that there are none wraps."""
    if stride == 1:
        return at.value(OffsetOp(pointers, numbers))
    numbers = at.value(ExtIOp(numbers, i64, SIGNED))
    if isinstance(stride, SSAValue):
        factors = _line(at.value(ExtIOp(stride, i64, SIGNED)), at)
    else:
        factors = at.value(ConstantOp.splat(tile((_WIDTH,), i64), stride))
    return at.value(OffsetOp(pointers, at.value(MulIOp(numbers, factors))))


def _least(line: SSAValue, at: Inserter) -> SSAValue:
    """The least of a line of numbers."""
    op = ReduceOp([line], 0, [IntegerAttr(_NONE, i32)])
    a, b = op.block.args
    smaller = MinIOp(a, b, SIGNED)
    op.block.add_ops([smaller, YieldOp((smaller.result,))])
    at.insert(op)
    for inner in ops_of(op.block):
        inner.location = at.location
    return cast(Operation, op).results[0]


PATTERNS: Final[Patterns] = {PartitionOp: partition, GroupTilesOp: group_tiles, StartOp: start, StopOp: stop}
