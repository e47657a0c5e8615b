"""Where ways through a kernel meet: which variables need one value from there on, and of which type."""

from __future__ import annotations

from typing import cast

from freehold.dialects.cuda_tile.ops.control_flow import IfOp, YieldOp
from freehold.frontend.arithmetic import broadcast, convert
from freehold.frontend.context import Context
from freehold.frontend.kinds import AnyKind, FixedKind, Kind, TileKind, TupleKind, tile_kinds
from freehold.frontend.typed import Block
from freehold.frontend.types import tile_type
from freehold.frontend.values import Anything, Number, Static, TileValue, TupleValue, Value, record_of
from freehold.support import dtypes


def flatten(c: Context, value: Value, kind: Kind) -> list[TileValue]:
    """The tiles of `value` as a variable of type `kind`, which it must fit; writes what numbers need."""
    if isinstance(value, Anything):
        return anything(c, kind)
    match kind:
        case FixedKind() | AnyKind():
            return []
        case TupleKind():
            whole = value if isinstance(value, TupleValue) else record_of(value)
            assert whole is not None
            return [t for item, k in zip(whole.items, kind.items, strict=True) for t in flatten(c, item, k)]
        case TileKind():
            if isinstance(value, Static):
                return [c.constant(cast(Number, value.value), kind.dtype, kind.shape)]
            assert isinstance(value, TileValue)
            return [broadcast(c, convert(c, value, kind.dtype), kind.shape)]


def anything(c: Context, kind: Kind) -> list[TileValue]:
    """Tiles of a type, where an error or the control flow leaves none to hand on."""
    return [c.constant(0, k.dtype, k.shape) for k in tile_kinds(kind)]


def either(c: Context, truth: TileValue, *ways: tuple[Block, list[TileValue] | None]) -> list[TileValue]:
    """The tiles that the one block makes where `truth` holds, or else the other; None of one that does not end."""
    made: list[TileValue] = next((tiles for _, tiles in ways if tiles is not None), list[TileValue]())
    # The assembler makes choices of such an `if`, and has none between 4-bit floats; f16 holds them all.
    kinds = [(dtypes.f16 if t.dtype is dtypes.f4e2m1fn else t.dtype, t.shape) for t in made]
    for block, tiles in ways:
        if tiles is not None:
            with c.into(block):
                c.add(YieldOp, [convert(c, t, dtype) for t, (dtype, _) in zip(tiles, kinds, strict=True)])
    types = [tile_type(shape, dtype) for dtype, shape in kinds]
    found = c.tiles(kinds, IfOp, truth, types, *(block for block, _ in ways))
    return [convert(c, chosen, t.dtype) for chosen, t in zip(found, made, strict=True)]
