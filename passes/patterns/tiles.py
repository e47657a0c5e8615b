"""Windows, regions and their tiles; extents. A region is its coordinates, in its tensor or in its group."""

from __future__ import annotations

from typing import Final

from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from freehold.dialects.classes import replace_uses
from freehold.dialects.cuda_tile.attrs import UNSIGNED, PaddingValueAttr
from freehold.dialects.cuda_tile.ops.arith_int import CmpIOp, SubIOp
from freehold.dialects.cuda_tile.ops.memory import LoadPtrTkoOp, StorePtrTkoOp
from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp, StoreViewTkoOp
from freehold.dialects.ownership import (
    AccumulatorOp,
    BorrowOp,
    CoordinateOp,
    DimOp,
    Duty,
    EndOp,
    ExposeOp,
    LoadOp,
    RegionOp,
    RegionType,
    ReleaseOp,
    RequireOp,
    Rung,
    StoreOp,
    TilesOp,
    WindowOp,
    tensor_type,
)
from freehold.passes.analysis.wording import tensor_of
from freehold.passes.patterns.checks import checked_places, guarded
from freehold.passes.patterns.context import Conversion, Patterns
from freehold.passes.patterns.groups import region_of_group
from freehold.passes.rewriting import Inserter


def window(c: Conversion, op: WindowOp, at: Inserter) -> bool:
    """A window is a tensor that begins elsewhere. Where it is checked that it lies in its tensor, and does not, it
    is taken to begin where that does."""
    axis, start = op.axis.data, op.start
    if op.duty(Duty.IN_BOUNDS, axis).rung is Rung.KERNEL and c.checks:
        length = c.term(op.result.type.extent(axis))
        last = at.value(SubIOp(c.term(tensor_type(op.tensor).extent(axis)), length))  # the launcher saw: >= 0
        inside = at.value(CmpIOp("less_than_or_equal", start, last, UNSIGNED))
        start = guarded(c, start, inside, last, op, axis, at)
    base = c.moved(op.tensor, axis, start, at)
    c.bases[op.result] = c.assume(base, divisor=c.alignments[op.result], at=at)
    c.places[op.result] = at
    return True


def region(c: Conversion, op: RegionOp, at: Inserter) -> bool:
    """A region is its coordinates, in its tensor or in its group."""
    if op.result.type.partition.groups_axis is not None:
        region_of_group(c, op, at)
        return True
    c.regions[op.result] = checked_places(c, op, at)
    return True


def coordinate(c: Conversion, op: CoordinateOp, at: Inserter) -> bool:
    """One of a region's coordinates."""
    replace_uses(op.result, c.coordinates(op.region)[op.axis.data])
    return True


def dim(c: Conversion, op: DimOp, at: Inserter) -> bool:
    """An extent."""
    replace_uses(op.result, c.term(tensor_type(op.source).extent(op.axis.data)))
    return True


def tile_count(c: Conversion, op: TilesOp, at: Inserter) -> bool:
    """How many tiles cover an axis."""
    replace_uses(op.result, c.tiles(tensor_type(op.source).extent(op.axis.data), op.size.data))
    return True


def load(c: Conversion, op: LoadOp, at: Inserter) -> bool:
    """A load through a view, unordered or after the token it waits for."""
    tensor = tensor_of(op.source)
    shape = steps = op.result.type.dims
    if isinstance(op.source.type, RegionType):
        steps = op.source.type.partition.steps
        tensor, index = c.place(op.source)
    else:
        index = checked_places(c, op, at)
    if shape:
        view = c.view(tensor, shape, steps, op.padding_value or _ZERO_PADDING)
        new = at.insert(LoadViewTkoOp(view, index, op.token, hints=op.hints))
    else:  # a view has axes
        new = at.insert(LoadPtrTkoOp(c.pointer(tensor), token=op.token, hints=op.hints))
    new.results[0].name_hint = op.result.name_hint
    replace_uses(op.result, new.results[0])
    if op.result_token is not None:
        replace_uses(op.result_token, new.result_token)
    return True


def store(c: Conversion, op: StoreOp, at: Inserter) -> bool:
    """A store through a view, unordered or after the token it waits for."""
    if not isinstance(op.target.type, RegionType):
        raise PassFailedException(f"{c.kernel.sym_name.data}: stores through a shared borrow")
    partition, (tensor, index) = op.target.type.partition, c.place(op.target)
    if index:
        view = c.view(tensor, partition.tile_shape, partition.steps, None)
        new = at.insert(StoreViewTkoOp(op.tile, view, index, op.token, hints=op.hints))
    else:
        new = at.insert(StorePtrTkoOp(c.pointer(tensor), op.tile, token=op.token, hints=op.hints))
    if op.result_token is not None:
        replace_uses(op.result_token, new.result_token)
    return True


_ZERO_PADDING: Final = PaddingValueAttr.of("zero")


def erase(c: Conversion, op: Operation, at: Inserter) -> bool:
    """Of some operations nothing is left."""
    return True


PATTERNS: Final[Patterns] = {
    WindowOp: window,
    RegionOp: region,
    CoordinateOp: coordinate,
    DimOp: dim,
    TilesOp: tile_count,
    LoadOp: load,
    StoreOp: store,
    **dict.fromkeys((AccumulatorOp, ExposeOp, BorrowOp, ReleaseOp, RequireOp, EndOp), erase),
}
