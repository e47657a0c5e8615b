"""Faults of a compiler: functions from a verified module to wrong Tile IR of it, each with a kernel that shows it."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final
from unittest.mock import patch

from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, i1, i32, i64
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from freehold.dialects.cuda_tile.attrs import (
    SIGNED,
    AtomicRMWModeAttr,
    DivByAttr,
    IntegerOverflowAttr,
    PaddingValueAttr,
)
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, AndIOp, CmpIOp, DivIOp, MaxIOp, MulIOp, OrIOp, SubIOp
from freehold.dialects.cuda_tile.ops.atomics import AtomicCasTkoOp, AtomicRedViewTkoOp, AtomicRmwTkoOp
from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp, YieldOp
from freehold.dialects.cuda_tile.ops.conversion import ExtIOp
from freehold.dialects.cuda_tile.ops.memory import LoadPtrTkoOp, StorePtrTkoOp
from freehold.dialects.cuda_tile.ops.misc import AssumeOp
from freehold.dialects.cuda_tile.ops.module import EntryOp, GetNumTileBlocksOp
from freehold.dialects.cuda_tile.ops.reduce import ReduceOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp, OffsetOp, SelectOp
from freehold.dialects.cuda_tile.ops.views import (
    LoadViewTkoOp,
    MakePartitionViewOp,
    MakeTensorViewOp,
    StoreViewTkoOp,
)
from freehold.dialects.cuda_tile.types import PartitionViewType
from freehold.dialects.ownership import OrderAttr, OrderKind
from freehold.passes import schedules
from freehold.passes.patterns import distribution
from freehold.passes.pipeline import convert

Edit = Callable[[Any], None]
"""Changes one operation."""


def emitted(edit: Edit, kind: type[Operation], most: int = 1 << 20) -> Callable[[ModuleOp], ModuleOp]:
    """Tile IR in which operations of a kind were changed, the first `most` of them."""

    def plant(module: ModuleOp) -> ModuleOp:
        lowered = convert(module)
        for op in [op for op in lowered.walk() if isinstance(op, kind)][:most]:
            edit(op)
        return lowered

    return plant


def scheduled(wrong: Callable[..., Any]) -> Callable[[ModuleOp], ModuleOp]:
    """Tile IR with another map from numbers to points."""

    def plant(module: ModuleOp) -> ModuleOp:
        with patch.object(distribution, "schedules", SimpleNamespace(**{**vars(schedules), "point": wrong})):
            return convert(module)

    return plant


def swap_indices(op: Any) -> None:
    first = len(op.operands) - len(op.index) - int(op.token is not None)
    rest = op.operands[first + len(op.index) :]
    op.operands = (*op.operands[:first], *reversed(list(op.index)), *rest)


def drop(op: Any) -> None:
    """A sum is its first operand, and so is a product."""
    if op.result.type == op.lhs.type and op.lhs.type.dims:
        op.result.replace_all_uses_with(op.lhs)


def drop_one(op: Any) -> None:
    """Of a number of tiles, the 1 that rounds up."""
    if isinstance(op.lhs.owner, DivIOp):
        op.result.replace_all_uses_with(op.lhs)


def drop_one_of_groups(op: Any) -> None:
    """Of a number of regions of a group, the 1 that rounds up."""
    if isinstance(op.lhs.owner, DivIOp) and op.lhs.owner.signedness == SIGNED:
        op.result.replace_all_uses_with(op.lhs)


def reverse_extents(op: Any) -> None:
    op.operands = (op.base, *reversed(list(op.dynamicShape)), *op.dynamicStrides)


def reverse_strides(op: Any) -> None:
    op.operands = (op.base, *op.dynamicShape, *reversed(list(op.dynamicStrides)))


def without_mask(op: Any) -> None:
    if op.mask is not None:
        new = LoadPtrTkoOp(op.source, token=op.token)
        Rewriter.replace_op(op, new)


def other_bound(op: Any) -> None:
    """Elements are compared with another extent."""
    if op.lhs.type.dims and op.signedness.data.value == "unsigned":
        op.operands = (op.lhs, op.lhs)


def promise_no_wrap(op: Any) -> None:
    op.properties["overflow"] = IntegerOverflowAttr.of("no_signed_wrap")


def promise_more(op: Any) -> None:
    if isinstance(op.predicate, DivByAttr):
        op.properties["predicate"] = DivByAttr(op.predicate.divisor.data * 64)


def promise_in_bounds(op: Any) -> None:
    op.properties["inbounds"] = DenseArrayBase.from_list(i1, [1] * len(op.index))


def pad_otherwise(op: Any) -> None:
    type_ = op.results[0].type
    if isinstance(type_.padding, PaddingValueAttr):
        padding = PaddingValueAttr.of("nan")
        new = MakePartitionViewOp(
            op.tensor_view, PartitionViewType(type_.tile_shape, type_.tensor_view, type_.dim_map, padding)
        )
        Rewriter.replace_op(op, new)


def transposed(op: Any) -> None:
    """Tiles of a view whose axes are exchanged."""
    type_ = op.results[0].type
    if len(type_.tile_shape.data) == 2:
        new = MakePartitionViewOp(
            op.tensor_view, PartitionViewType(type_.tile_shape, type_.tensor_view, (1, 0), type_.padding)
        )
        Rewriter.replace_op(op, new)


def exchange_branches(op: Any) -> None:
    if op.elseRegion.blocks:
        then = op.detach_region(op.regions[0])
        op.add_region(then)


def one_more_turn(op: Any) -> None:
    one = ConstantOp.scalar(1, op.upperBound.type.element_type)
    more = AddIOp(op.upperBound, one.result)
    op.parent.insert_ops_before([one, more], op)
    op.operands = (op.lowerBound, more.result, *op.operands[2:])


def by_ones(op: Any) -> None:
    """A persistent block goes on to the next point, whosever it is."""
    one = ConstantOp.scalar(1, op.results[0].type.element_type)
    op.parent.insert_op_before(one, op)
    op.results[0].replace_all_uses_with(one.result)


def update_otherwise(op: Any) -> None:
    op.properties["mode"] = AtomicRMWModeAttr.of("and" if op.properties["mode"].data.value == "add" else "xchg")


def store_twice(op: Any) -> None:
    op.parent.insert_op_after(op.clone(), op)


def erase(op: Any) -> None:
    if not any(r.first_use for r in op.results):
        op.parent.erase_op(op)


def merge_reads(module: ModuleOp) -> ModuleOp:
    """Reads of one tile are one read, whatever is stored in between."""
    lowered = convert(module)
    reads = [op for op in lowered.walk() if isinstance(op, LoadViewTkoOp)]
    reads[1].tile.replace_all_uses_with(reads[0].tile)
    return lowered


def store_something_else(module: ModuleOp) -> ModuleOp:
    """What is stored is what was read."""
    lowered = convert(module)
    (read,) = (op for op in lowered.walk() if isinstance(op, LoadViewTkoOp))
    (store,) = (op for op in lowered.walk() if isinstance(op, StoreViewTkoOp))
    store.operands = (read.tile, *store.operands[1:])
    return lowered


def is_check(op: Any) -> bool:
    return isinstance(op, IfOp) and any(isinstance(inner, AtomicCasTkoOp) for inner in op.thenRegion.block.ops)


def drop_check(op: Any) -> None:
    if is_check(op):
        op.parent.erase_op(op)


def go_on(op: Any) -> None:
    """A block in which a check has failed goes on."""
    if is_check(op):
        block = op.thenRegion.block
        block.erase_op(block.last_op)
        block.add_op(YieldOp())


def write_elsewhere(op: Any) -> None:
    """A failed check is written beyond the buffer."""
    far = ConstantOp.scalar(1 << 20, i64)
    moved = OffsetOp(op.operands[0], far.result)
    op.parent.insert_ops_before([far, moved], op)
    op.operands = (moved.result, *op.operands[1:])


def write_number(op: Any) -> None:
    """A failed check is written down as another one."""
    if (
        op.token is not None
        and isinstance(op.value.owner, ExtIOp)
        and isinstance(op.value.owner.from_.owner, ConstantOp)
    ):
        other = ConstantOp.scalar(7, i64)
        op.parent.insert_op_before(other, op)
        op.operands = (op.operands[0], other.result, *op.operands[2:])


def write_other(op: Any) -> None:
    """Of a failed check, another value is written."""
    zero = ConstantOp.scalar(0, i64)
    op.parent.insert_op_before(zero, op)
    op.operands = (op.operands[0], zero.result, *op.operands[2:])


def note_another(op: Any) -> None:
    """In loops that run to their end, the first check that failed is said to be another."""
    if isinstance(op.val_if_true.owner, ConstantOp) and isinstance(op.cond.owner, AndIOp):
        other = ConstantOp.scalar(7, i32)
        op.parent.insert_op_before(other, op)
        op.operands = (op.cond, other.result, op.val_if_false)


def keep_value(op: Any) -> None:
    """In loops that run to their end, a value of the first check that failed is not kept."""
    if isinstance(op.cond.owner, AndIOp) and not isinstance(op.val_if_true.owner, ConstantOp):
        op.result.replace_all_uses_with(op.val_if_false)


def take_index(op: Any) -> None:
    """A read takes its index even where that is out of bounds."""
    if not op.result.type.dims:
        op.result.replace_all_uses_with(op.val_if_true)


def _rows_view(op: Any) -> bool:
    """Whether a tensor view is that of a group's rows."""
    return isinstance(op.base.owner, AssumeOp) and isinstance(op.base.owner.value.owner, OffsetOp)


def from_the_start(op: Any) -> None:
    """The tiles of a group are counted from where its tensor begins."""
    if _rows_view(op):
        op.operands = (op.base.owner.value.owner.ptr, *op.dynamicShape, *op.dynamicStrides)


def beyond_the_group(op: Any) -> None:
    """A group ends where its tensor does."""
    if _rows_view(op):
        entry = op.parent_op()
        while not isinstance(entry, EntryOp):
            entry = entry.parent_op()
        extent = next(a for a in entry.body.block.args if a.name_hint == "S")
        op.operands = (op.base, extent, *op.dynamicShape[1:], *op.dynamicStrides)


def next_group(op: Any) -> None:
    """A group begins where it ends, and ends where it begins."""
    following = op.next_op
    while not isinstance(following, LoadPtrTkoOp):
        following = following.next_op
    op.result.replace_all_uses_with(following.result)


def of_groups(edit: Edit) -> Edit:
    """Changes operations outside the loop that looks at offsets."""
    return lambda op: None if isinstance(op.parent_op(), ForOp) else edit(op)


def among_offsets(edit: Edit) -> Edit:
    """Changes operations in the loop that looks at offsets."""
    return lambda op: edit(op) if isinstance(op.parent_op(), ForOp) else None


def skip_offsets(op: Any) -> None:
    """Every second line of offsets is not looked at."""
    twice = ConstantOp.scalar(256, op.step.type.element_type)
    op.parent.insert_op_before(twice, op)
    op.operands = (op.lowerBound, op.upperBound, twice.result, *op.initValues)


def any_size(op: Any) -> None:
    """Groups may be as large as they like, though points reach so far only."""
    if isinstance(op.lhs.owner, SubIOp):
        of = op.lhs.owner
        op.operands = (of.rhs, of.rhs)


def greatest(op: Any) -> None:
    """Not the first group that is none, but the last."""
    inner = op.block.first_op
    Rewriter.replace_op(inner, MaxIOp(inner.lhs, inner.rhs, SIGNED))


def without_second(op: Any) -> None:
    """Of two reasons to refuse a group, the second does not count."""
    op.result.replace_all_uses_with(op.lhs)


def at_distance_1(op: Any) -> None:
    """Offsets are looked at as if they were neighbours."""
    if isinstance(op.offset.owner, MulIOp) and op.result.type.dims:
        op.operands = (op.ptr, op.offset.owner.lhs)


def columns(order: OrderAttr, number: Any, grid: Any, *, narrow: bool = False) -> Any:
    """The points by columns, and those of columns by rows."""
    kind = OrderKind.ROW if order.order is OrderKind.COLUMN else OrderKind.COLUMN
    return schedules.point(OrderAttr(kind), number, grid, narrow=narrow)


def wide(order: OrderAttr, number: Any, grid: Any, *, narrow: bool = False) -> Any:
    """The form of a grouped order in which products may wrap."""
    return schedules.point(order, number, grid)


def shifted(order: OrderAttr, number: Any, grid: Any, *, narrow: bool = False) -> Any:
    """Every point is the next one."""
    return schedules.point(order, number + 1, grid, narrow=narrow)


def as_if_failed(op: Any) -> None:
    """A loop over points begins as if a check had failed: no point is worked on."""
    failed = ConstantOp.scalar(1, i1)
    op.parent.insert_op_before(failed, op)
    op.operands = (op.lowerBound, op.upperBound, op.step, failed.result)


def failed_behind_a_turn(op: Any) -> None:
    """A turn of a loop over points ends as if a check had failed: the points behind the first are left out."""
    failed = ConstantOp.scalar(1, i1)
    end = op.regions[0].block.last_op
    op.regions[0].block.insert_op_before(failed, end)
    end.operands = (failed.result,)


FAULTS: Final[dict[str, tuple[str, Callable[[ModuleOp], ModuleOp]]]] = {
    "the indices of a load are swapped": ("matmul_tiles", emitted(swap_indices, LoadViewTkoOp)),
    "the indices of a store are swapped": ("matmul_tiles", emitted(swap_indices, StoreViewTkoOp)),
    "a part of an address is dropped": ("embedding_rows", emitted(drop, AddIOp)),
    "a stride of an address is dropped": ("embedding_rows", emitted(drop, MulIOp)),
    "extents are reversed": ("matmul_tiles, persistent", emitted(reverse_extents, MakeTensorViewOp)),
    "strides are reversed": ("prefill", emitted(reverse_strides, MakeTensorViewOp)),
    "the axes of a view are exchanged": ("matmul_tiles", emitted(transposed, MakePartitionViewOp)),
    "a mask is dropped": ("embedding_rows", emitted(without_mask, LoadPtrTkoOp)),
    "an element is compared with another number": ("embedding_rows", emitted(other_bound, CmpIOp)),
    "nothing wraps, it is said": ("matmul_tiles", emitted(promise_no_wrap, AddIOp)),
    "more is promised of extents": ("matmul_tiles", emitted(promise_more, AssumeOp)),
    "nothing overhangs, it is said": ("softmax_rows", emitted(promise_in_bounds, LoadViewTkoOp)),
    "tiles are padded with something else": ("softmax_rows", emitted(pad_otherwise, MakePartitionViewOp)),
    "a number of tiles is rounded down": ("matmul_tiles", emitted(drop_one, AddIOp)),
    "points come in another order": ("matmul_tiles", scheduled(columns)),
    "points come in another order, persistent": ("matmul_tiles, persistent", scheduled(columns)),
    "every block works on the next one's point": ("matmul_tiles", scheduled(shifted)),
    "products of a grouped order may wrap": ("grouped", scheduled(wide)),
    "a loop over points begins as if a check had failed": ("append_row_each, persistent", emitted(as_if_failed, ForOp)),
    "a turn of a loop over points ends as if a check had failed": (
        "append_row_each, persistent",
        emitted(failed_behind_a_turn, ForOp),
    ),
    "a persistent block takes others' points": ("matmul_tiles, persistent", emitted(by_ones, GetNumTileBlocksOp)),
    "branches are exchanged": ("collatz", emitted(exchange_branches, IfOp)),
    "a loop has one more turn": ("matmul_tiles", emitted(one_more_turn, ForOp)),
    "an update is another": ("histogram_tiles", emitted(update_otherwise, AtomicRmwTkoOp)),
    "a tile is updated in another way": ("gemm_split_k", emitted(update_otherwise, AtomicRedViewTkoOp)),
    "a store is made twice": ("matmul_tiles", emitted(store_twice, StoreViewTkoOp)),
    "a store is dropped": ("matmul_tiles", emitted(erase, StoreViewTkoOp)),
    "a read is merged with one before a store": ("increment 1", merge_reads),
    "a check is dropped": ("shifted", emitted(drop_check, IfOp)),
    "a block goes on behind a failed check": ("shifted", emitted(go_on, IfOp)),
    "a failed check is written elsewhere": ("shifted", emitted(write_elsewhere, AtomicCasTkoOp)),
    "a failed check is written down as another": ("shifted", emitted(write_number, StorePtrTkoOp)),
    "a failed check is noted as another": ("paged_parts", emitted(note_another, SelectOp)),
    "a value of a failed check is not kept": ("paged_parts", emitted(keep_value, SelectOp)),
    "a value of a failed check is another": ("shifted", emitted(write_other, StorePtrTkoOp, 2)),
    "a read out of bounds is not made harmless": ("shifted", emitted(take_index, SelectOp)),
    "something else is stored": ("transpose", store_something_else),
    "tiles of a group are counted from the tensor's start": (
        "scale_groups",
        emitted(from_the_start, MakeTensorViewOp),
    ),
    "a group ends where its tensor does": ("scale_groups", emitted(beyond_the_group, MakeTensorViewOp)),
    "a group is bounded by another's offset": ("scale_groups", emitted(of_groups(next_group), LoadPtrTkoOp, 3)),
    "a group's number of tiles is rounded down": ("scale_groups", emitted(drop_one_of_groups, AddIOp)),
    "groups that are none have tiles": ("scale_groups", emitted(of_groups(take_index), SelectOp)),
    "offsets are not checked": ("grouped_tiles", emitted(drop_check, IfOp)),
    "a block goes on though offsets bound no groups": ("grouped_tiles, persistent", emitted(go_on, IfOp)),
    "not all offsets are looked at": ("scale_groups", emitted(skip_offsets, ForOp, 1)),
    "the last line of offsets is read beyond its end": ("scale_groups", emitted(without_mask, LoadPtrTkoOp)),
    "groups may descend": ("grouped_tiles", emitted(among_offsets(without_second), OrIOp, 1)),
    "groups may have more than points reach": ("scale_groups", emitted(among_offsets(any_size), CmpIOp)),
    "the last bad group is looked for": ("scale_groups", emitted(greatest, ReduceOp)),
    "strided offsets are looked at as if they were not": ("strided groups", emitted(at_distance_1, OffsetOp)),
}
