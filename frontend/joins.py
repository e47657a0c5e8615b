"""Where ways through a kernel meet: which variables need one value from there on, and of which type."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.ir import Attribute

from freehold.frontend import flow
from freehold.frontend.arithmetic import Number, broadcast, convert
from freehold.frontend.context import Context, Frame
from freehold.frontend.types import default_dtype
from freehold.frontend.values import (
    Static,
    TileValue,
    TupleValue,
    Value,
    is_number,
)
from freehold.support.dtypes import DType


@dataclass(frozen=True, slots=True)
class TileKind:
    """A tile of one dtype and shape. `weak`: only Python numbers have been seen, whose dtype is a guess."""

    dtype: DType
    shape: tuple[int, ...]
    weak: bool = False


@dataclass(frozen=True, slots=True)
class TupleKind:
    """A tuple of such."""

    items: tuple[Kind, ...]


Kind = TileKind | TupleKind


def kind_of(value: Value) -> Kind | None:
    """The type that `value` has as a variable of the running kernel; None of what exists at compile time only."""
    match value:
        case TileValue():
            return TileKind(value.dtype, value.shape)
        case Static(value=number) if is_number(number):
            return TileKind(default_dtype(cast(Number, number)), (), True)
        case TupleValue():
            items = [kind_of(item) for item in value.items]
            return TupleKind(tuple(i for i in items if i is not None)) if all(items) else None
        case _:
            return None


def join(a: Kind, b: Kind) -> Kind | None:
    """The type of what is `a` on one way and `b` on another: the same, but that numbers adapt. None: there is none."""
    match a, b:
        case TileKind(), TileKind():
            if a.weak and b.weak:
                return a if (a.dtype.is_float, a.dtype.bits) >= (b.dtype.is_float, b.dtype.bits) else b
            if a.weak or b.weak:
                number, tile = (a, b) if a.weak else (b, a)
                return None if number.dtype.is_float and not tile.dtype.is_float else tile
            return a if a == b else None
        case TupleKind(), TupleKind() if len(a.items) == len(b.items):
            items = [join(x, y) for x, y in zip(a.items, b.items, strict=True)]
            return TupleKind(tuple(i for i in items if i is not None)) if all(items) else None
        case _:
            return None


def flatten(c: Context, value: Value, kind: Kind) -> list[TileValue]:
    """The tiles of `value` as a variable of type `kind`, which it must fit; writes what numbers need."""
    if isinstance(kind, TupleKind):
        assert isinstance(value, TupleValue)
        return [t for item, k in zip(value.items, kind.items, strict=True) for t in flatten(c, item, k)]
    if isinstance(value, Static):
        return [c.constant(cast(Number, value.value), kind.dtype, kind.shape)]
    assert isinstance(value, TileValue)
    return [broadcast(c, convert(c, value, kind.dtype), kind.shape)]


def assemble(kind: Kind, tiles: list[TileValue]) -> Value:
    """The inverse of `flatten`: takes the tiles it needs from the front of the list."""
    if isinstance(kind, TupleKind):
        return TupleValue(tuple(assemble(k, tiles) for k in kind.items))
    return tiles.pop(0)


def tile_kinds(kind: Kind) -> list[TileKind]:
    """The types of the tiles that `flatten` makes."""
    return [t for k in kind.items for t in tile_kinds(k)] if isinstance(kind, TupleKind) else [kind]


def element_types(kinds: Sequence[Kind]) -> list[Attribute]:
    """The compiler's types of those tiles."""
    from freehold.frontend.types import tile_type

    return [tile_type(t.shape, t.dtype) for k in kinds for t in tile_kinds(k)]


def is_live(frame: Frame, name: str, after: ast.stmt) -> bool:
    """Whether `name` may be read after a statement: later in the text, in another turn of a loop, or by a function."""
    if name in flow.captured(frame.tree):
        return True
    reads = frame.source.reads.get(name, ())
    end = (after.end_lineno or after.lineno, after.end_col_offset or 0)
    if any(place >= end for place in reads):
        return True
    if not frame.loops:
        return False
    around = frame.loops[0].node
    return any(place >= (around.lineno, around.col_offset) for place in reads)
