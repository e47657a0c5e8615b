"""The ways in which `mutants` damages a kernel: each an operator on ownership IR, with the places it applies to.

The list follows what goes wrong in hand-written kernels: indices swapped, dropped or shifted, guards lost, tiles and
steps that disagree, schedules that hand out too much or too little. What has no form in the dialect says so in `NONE`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Final, cast

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr, i1, i8, i32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from freehold.dialects.cuda_tile import TileType
from freehold.dialects.cuda_tile.attrs import BoundedAttr, RoundingModeAttr, SignednessAttr
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, CmpIOp, DivIOp, MaxIOp, MinIOp, MulIOp, RemIOp, SubIOp
from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp
from freehold.dialects.cuda_tile.ops.conversion import ExtIOp, TruncIOp
from freehold.dialects.cuda_tile.ops.misc import AssumeOp
from freehold.dialects.cuda_tile.ops.module import GetTileBlockIdOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp, SelectOp
from freehold.dialects.ownership import (
    AccumulateOp,
    BorrowOp,
    DimOp,
    DistributeOp,
    GatherOp,
    GroupTilesOp,
    LoadFromOp,
    LoadOp,
    PartitionOp,
    PartitionType,
    RegionOp,
    RegionType,
    ReleaseOp,
    StoreOp,
    TensorType,
    TilesOp,
    WindowOp,
)
from freehold.dialects.ownership.ops import INDEX

Change = Callable[[], object]
"""Makes one change, in place."""

SIGNED: Final = SignednessAttr.of("signed")
NONE: Final[dict[str, str]] = {
    "no token before a store": "tokens are made by thread-tokens after verification, and no kernel names one",
    "dependent launch without a wait": "a kernel cannot be told to start before those in front of it have finished",
    "a stride of 0": "strides belong to arguments: the launcher refuses outputs whose strides overlap",
}
"""Operators that nobody can express in the dialect, and why."""


def _before(op: Operation, new: Operation) -> SSAValue:
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)
    return new.results[0]


def _number(op: Operation, value: int) -> SSAValue:
    return _before(op, ConstantOp(DenseElementsAttr.splat(INDEX, value)))


def _indices(op: Operation) -> range:
    """The numbers of the operands that are coordinates."""
    match op:
        case RegionOp():
            return range(1, 1 + len(op.coordinates))
        case LoadOp():
            return range(1, 1 + len(op.coordinates))
        case AccumulateOp():
            return range(2, 2 + len(op.coordinates))
        case LoadFromOp():
            return range(1, 1 + len(op.start))
        case _:
            return range(0)


def _accesses(top: Operation, *kinds: type[Operation]) -> Iterator[Operation]:
    for op in list(top.walk()):
        if isinstance(op, kinds or (RegionOp, LoadOp, AccumulateOp, LoadFromOp)) and len(_indices(op)):
            yield op


def _each_index(
    top: Operation, make: Callable[[Operation, SSAValue], SSAValue], *kinds: type[Operation]
) -> Iterator[Change]:
    """One change for every coordinate of every access: it becomes `make(op, coordinate)`."""
    for op in _accesses(top, *kinds):
        for n in _indices(op):
            yield _setter(op, n, make)


def _setter(op: Operation, n: int, make: Callable[[Operation, SSAValue], SSAValue]) -> Change:
    def change() -> None:
        op.operands[n] = make(op, op.operands[n])

    return change


def _swapped(*kinds: type[Operation]) -> Callable[[Operation], Iterator[Change]]:
    def operator(top: Operation) -> Iterator[Change]:
        for op in _accesses(top, *kinds):
            places = _indices(op)
            for a, b in pairwise(places):

                def change(op: Operation = op, a: int = a, b: int = b) -> None:
                    op.operands[a], op.operands[b] = op.operands[b], op.operands[a]

                yield change

    return operator


def _points(top: Operation) -> Iterator[DistributeOp]:
    return (op for op in top.walk() if isinstance(op, DistributeOp))


def swap_axes(top: Operation) -> Iterator[Change]:
    """Two coordinates of the point, everywhere."""
    for op in _points(top):
        arguments = op.body.block.args
        for a, b in pairwise(arguments):

            def change(a: SSAValue = a, b: SSAValue = b) -> None:
                uses = [(u.operation, u.index, new) for old, new in ((a, b), (b, a)) for u in old.uses]
                for user, n, new in uses:
                    user.operands[n] = new

            yield change


def drop_variable(top: Operation) -> Iterator[Change]:
    """One side of a sum, difference or product."""
    for op in list(top.walk()):
        if isinstance(op, AddIOp | SubIOp | MulIOp) and op.result.type == INDEX:
            for side in (op.lhs, op.rhs):
                yield _replaced(op, side)


def _replaced(op: Operation, value: SSAValue) -> Change:
    return lambda: op.results[0].replace_all_uses_with(value)


def quotient_for_remainder(top: Operation) -> Iterator[Change]:
    """`//` and `%` exchanged."""
    for op in list(top.walk()):
        if isinstance(op, DivIOp | RemIOp) and op.result.type == INDEX:

            def change(op: DivIOp | RemIOp = op) -> None:
                other = RemIOp if isinstance(op, DivIOp) else DivIOp
                op.result.replace_all_uses_with(_before(op, other(op.lhs, op.rhs, op.signedness)))

            yield change


def wrong_divisor(top: Operation) -> Iterator[Change]:
    """One more than the divisor."""
    for op in list(top.walk()):
        if isinstance(op, DivIOp | RemIOp) and op.result.type == INDEX:
            yield _setter(op, 1, lambda at, value: _before(at, AddIOp(value, _number(at, 1))))


def drop_clamp(top: Operation) -> Iterator[Change]:
    """One side of a minimum or maximum."""
    for op in list(top.walk()):
        if isinstance(op, MinIOp | MaxIOp) and op.result.type == INDEX:
            for side in (op.lhs, op.rhs):
                yield _replaced(op, side)


def clamp_index(at: Operation, value: SSAValue) -> SSAValue:
    """The last but one where it is greater: a clamp instead of a mask."""
    source = at.operands[0] if not isinstance(at, AccumulateOp) else at.operands[1]
    if isinstance(at, RegionOp) and at.result.type.partition.groups_axis is not None:
        count = _number(at, 4)  # one coordinate more than axes: it counts groups, and tiles within one
    else:
        count = _before(at, TilesOp(source, list(_indices(at)).index(_position(at, value)), 1))
    return _before(at, MinIOp(value, _before(at, SubIOp(count, _number(at, 2))), SIGNED))


def _position(op: Operation, value: SSAValue) -> int:
    return next(n for n in _indices(op) if op.operands[n] is value)


def drop_guard(top: Operation) -> Iterator[Change]:
    """The condition of an `if` is always true, or always false."""
    for op in list(top.walk()):
        if isinstance(op, IfOp):
            for always in (1, 0):

                def change(op: IfOp = op, always: int = always) -> None:
                    op.operands[0] = _before(op, ConstantOp(DenseElementsAttr.splat(TileType([], i1), always)))

                yield change


def loosen_guard(top: Operation) -> Iterator[Change]:
    """`<=` for `<`, and the other way about."""
    other = {
        "less_than": "less_than_or_equal",
        "less_than_or_equal": "less_than",
        "greater_than": "greater_than_or_equal",
        "greater_than_or_equal": "greater_than",
        "equal": "not_equal",
        "not_equal": "equal",
    }
    for op in list(top.walk()):
        if isinstance(op, CmpIOp) and op.lhs.type == INDEX:

            def change(op: CmpIOp = op) -> None:
                name = other[op.comparison_predicate.data.value]
                op.result.replace_all_uses_with(_before(op, CmpIOp(name, op.lhs, op.rhs, op.signedness)))

            yield change


def round_down(top: Operation) -> Iterator[Change]:
    """The whole tiles alone are counted."""
    for op in list(top.walk()):
        if isinstance(op, TilesOp):

            def change(op: TilesOp = op) -> None:
                extent = _before(op, DimOp(op.source, op.axis.data))
                size = _number(op, op.size.data)
                op.result.replace_all_uses_with(_before(op, DivIOp(extent, size, SIGNED)))

            yield change


def round_up(top: Operation) -> Iterator[Change]:
    """A quotient is rounded up."""
    for op in list(top.walk()):
        if isinstance(op, DivIOp) and op.result.type == INDEX and op.rounding.data.value != "positive_inf":

            def change(op: DivIOp = op) -> None:
                new = DivIOp(op.lhs, op.rhs, op.signedness, RoundingModeAttr.of("positive_inf"))
                op.result.replace_all_uses_with(_before(op, new))

            yield change


def _loops(n: int, by: int) -> Callable[[Operation], Iterator[Change]]:
    def operator(top: Operation) -> Iterator[Change]:
        for op in list(top.walk()):
            if isinstance(op, ForOp) and op.lowerBound.type == INDEX:
                yield _setter(op, n, lambda at, value: _before(at, AddIOp(value, _number(at, by))))

    return operator


def _partitions(top: Operation) -> Iterator[PartitionOp]:
    return (op for op in list(top.walk()) if isinstance(op, PartitionOp))


def _retyped(op: PartitionOp, tile: list[int], step: list[int]) -> None:
    """Gives a partition, and the regions of it, another tile or step."""
    old = op.result.type
    new = PartitionType(
        old.access, ArrayAttr(map(IntAttr, tile)), ArrayAttr(map(IntAttr, step)), old.ragged, old.tensor
    )
    _set_type(op, new)
    for use in list(op.result.uses):
        if isinstance(use.operation, RegionOp):
            _set_type(use.operation, RegionType(new))


def _set_type(op: Operation, type_: Any) -> None:
    Rewriter.replace_value_with_new_type(op.results[0], type_)


def smaller_step(top: Operation) -> Iterator[Change]:
    """Regions begin half a tile apart."""
    for op in _partitions(top):
        for axis, step in enumerate(op.result.type.steps):
            if step > 1:
                steps = [s // 2 if n == axis else s for n, s in enumerate(op.result.type.steps)]
                yield lambda op=op, steps=steps: _retyped(op, list(op.result.type.tile_shape), steps)


def larger_step(top: Operation) -> Iterator[Change]:
    """Regions begin two tiles apart."""
    for op in _partitions(top):
        for axis in range(op.result.type.tensor.rank):
            steps = [s * 2 if n == axis else s for n, s in enumerate(op.result.type.steps)]
            yield lambda op=op, steps=steps: _retyped(op, list(op.result.type.tile_shape), steps)


def other_count(top: Operation) -> Iterator[Change]:
    """Tiles are counted by another size than that of the tiles that are read."""
    for op in list(top.walk()):
        if isinstance(op, TilesOp) and op.size.data > 1:

            def change(op: TilesOp = op) -> None:
                op.result.replace_all_uses_with(_before(op, TilesOp(op.source, op.axis.data, op.size.data // 2)))

            yield change


def alias_output(top: Operation) -> Iterator[Change]:
    """What is written is lent for reading, too."""
    for op in _partitions(top):

        def change(op: PartitionOp = op) -> None:
            _before(op, BorrowOp(cast("SSAValue[TensorType]", op.tensor)))

        yield change


def read_output(top: Operation) -> Iterator[Change]:
    """A region is read in front of the store to it."""
    for op in list(top.walk()):
        if isinstance(op, StoreOp) and isinstance(op.target.type, RegionType):
            tile = op.tile.type
            assert isinstance(tile, TileType)
            yield lambda op=op, tile=tile: _before(op, LoadOp(op.target, [], tile))


def drop_store(top: Operation) -> Iterator[Change]:
    """A store is lost."""
    for op in list(top.walk()):
        if isinstance(op, StoreOp):

            def change(op: StoreOp = op) -> None:
                op.detach()
                op.erase()

            yield change


def weaken_update(top: Operation) -> Iterator[Change]:
    """A plain store instead of an update, through a borrow."""
    for op in list(top.walk()):
        if isinstance(op, AccumulateOp):

            def change(op: AccumulateOp = op) -> None:
                owner = op.target.owner
                assert isinstance(owner, Operation)
                borrow = _before(owner, BorrowOp(cast("SSAValue[TensorType]", owner.operands[0])))
                _plain(op, StoreOp(op.tile, borrow, list(op.coordinates)))

            yield change


def _plain(op: Operation, new: Operation) -> None:
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)
    op.detach()
    op.erase()


def through_borrow(top: Operation) -> Iterator[Change]:
    """A store to what is only lent."""
    for op in list(top.walk()):
        if isinstance(op, LoadOp) and not isinstance(op.source.type, RegionType):

            def change(op: LoadOp = op) -> None:
                block = op.parent
                assert block is not None
                block.insert_op_after(StoreOp(op.result, op.source, list(op.coordinates)), op)

            yield change


def promise(at: Operation, value: SSAValue) -> SSAValue:
    """A promise about an index, which nobody checks."""
    return _before(at, AssumeOp(value, BoundedAttr(0, 4)))


def narrow(at: Operation, value: SSAValue) -> SSAValue:
    """The lower eight bits of an index."""
    return _before(at, ExtIOp(_before(at, TruncIOp(value, i8)), i32, SIGNED))


def _domain(by: int) -> Callable[[Operation], Iterator[Change]]:
    def operator(top: Operation) -> Iterator[Change]:
        for op in _points(top):
            for axis in range(len(op.extents)):

                def change(op: DistributeOp = op, axis: int = axis) -> None:
                    extents = [e + by if n == axis else e for n, e in enumerate(op.extents)]
                    op.properties["domain"] = ArrayAttr([StringAttr(str(e)) for e in extents])

                yield change

    return operator


def early_release(top: Operation) -> Iterator[Change]:
    """A region is given back before it is stored."""
    for op in list(top.walk()):
        if isinstance(op, StoreOp) and isinstance(op.target.type, RegionType):

            def change(op: StoreOp = op) -> None:
                block = op.parent
                assert block is not None
                block.insert_op_before(ReleaseOp(op.target), op)

            yield change


def divergent(at: Operation, value: SSAValue) -> SSAValue:
    """The one before, but where it is the first: a choice that differs between blocks."""
    first = _before(at, CmpIOp("equal", value, _number(at, 0), SIGNED))
    return _before(at, SelectOp(first, value, _before(at, SubIOp(value, _number(at, 1)))))


def drop_mask(top: Operation) -> Iterator[Change]:
    """A gather without its mask."""
    for op in list(top.walk()):
        if isinstance(op, GatherOp) and op.mask is not None:

            def change(op: GatherOp = op) -> None:
                op.result.replace_all_uses_with(_before(op, GatherOp(op.source, list(op.indices), op.result.type)))

            yield change


def twice(top: Operation) -> Iterator[Change]:
    """The same region under a second name."""
    for op in list(top.walk()):
        if isinstance(op, RegionOp):

            def change(op: RegionOp = op) -> None:
                block = op.parent
                assert block is not None
                block.insert_op_after(RegionOp(op.partition, list(op.coordinates)), op)

            yield change


def _starts(by: int) -> Callable[[Operation], Iterator[Change]]:
    """Windows begin at another place."""

    def operator(top: Operation) -> Iterator[Change]:
        for op in list(top.walk()):
            if isinstance(op, WindowOp):
                yield _setter(op, 1, lambda at, value: _before(at, AddIOp(value, _number(at, by))))

    return operator


def window_of_all_blocks(top: Operation) -> Iterator[Change]:
    """A window begins where the tile block says."""
    for op in list(top.walk()):
        if isinstance(op, WindowOp):
            yield _setter(op, 1, lambda at, _: _before(at, GetTileBlockIdOp()))


def whole_for_window(top: Operation) -> Iterator[Change]:
    """What is in front of a window, or behind it, is lent: the whole tensor."""
    for op in list(top.walk()):
        if isinstance(op, WindowOp):
            yield lambda op=op: _before(op, BorrowOp(cast("SSAValue[TensorType]", op.tensor)))


def other_group(top: Operation) -> Iterator[Change]:
    """The number of regions of the next group, for this one's."""
    for op in list(top.walk()):
        if isinstance(op, GroupTilesOp):
            yield _setter(op, 1, lambda at, value: _before(at, AddIOp(value, _number(at, 1))))


def more_tiles(top: Operation) -> Iterator[Change]:
    """One region more than a group has."""
    for op in list(top.walk()):
        if isinstance(op, GroupTilesOp):

            def change(op: GroupTilesOp = op) -> None:
                count = GroupTilesOp(op.partition, op.group)
                more = AddIOp(_before(op, count), _number(op, 1))
                op.result.replace_all_uses_with(_before(op, more))

            yield change


def _index(
    make: Callable[[Operation, SSAValue], SSAValue], *kinds: type[Operation]
) -> Callable[[Operation], Iterator[Change]]:
    return lambda top: _each_index(top, make, *kinds)


def _plus(by: int) -> Callable[[Operation, SSAValue], SSAValue]:
    return lambda at, value: _before(at, AddIOp(value, _number(at, by)))


OPERATORS: Final[dict[str, Callable[[Operation], Iterator[Change]]]] = {
    "two indices of a region swapped": _swapped(RegionOp, AccumulateOp),
    "two indices of a load swapped": _swapped(LoadOp, LoadFromOp),
    "axes of the point swapped": swap_axes,
    "an index is 0": _index(lambda at, _: _number(at, 0)),
    "an index variable dropped": drop_variable,
    "one more": _index(_plus(1)),
    "one less": _index(_plus(-1)),
    "twice as much": _index(lambda at, value: _before(at, AddIOp(value, value))),
    "half as much": _index(lambda at, value: _before(at, DivIOp(value, _number(at, 2), SIGNED))),
    "quotient for remainder": quotient_for_remainder,
    "wrong divisor": wrong_divisor,
    "clamp dropped": drop_clamp,
    "clamp instead of mask": _index(clamp_index),
    "guard dropped": drop_guard,
    "comparison loosened": loosen_guard,
    "mask dropped": drop_mask,
    "tiles rounded down": round_down,
    "quotient rounded up": round_up,
    "loop begins later": _loops(0, 1),
    "loop goes one further": _loops(1, 1),
    "loop step is wrong": _loops(2, 1),
    "step below the tile": smaller_step,
    "step above the tile": larger_step,
    "tiles counted by another size": other_count,
    "output lent for reading": alias_output,
    "output read before it is stored": read_output,
    "store lost": drop_store,
    "update as a plain store": weaken_update,
    "store through a borrow": through_borrow,
    "a promise about an index": _index(promise),
    "index narrowed": _index(narrow),
    "more points than regions": _domain(1),
    "fewer points than regions": _domain(-1),
    "region released early": early_release,
    "choice by block": _index(divergent),
    "a region under two names": twice,
    "window begins later": _starts(1),
    "window begins before": _starts(-1),
    "window by block": window_of_all_blocks,
    "tensor lent beside its window": whole_for_window,
    "tiles of another group": other_group,
    "one tile more than a group has": more_tiles,
}
"""By name: the changes that an operator can make to a kernel."""
