"""Accesses that count elements: `gather`, `load_from`, and the updates of accumulators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from freehold.dialects.cuda_tile.ops.shape import ReshapeOp
from freehold.dialects.cuda_tile.types import element_name
from freehold.dialects.ownership import ATOMIC, AccumulateAtOp, AccumulateOp, GatherOp, LoadFromOp, Update
from freehold.frontend import errors
from freehold.frontend.arguments import Arguments, shape_of
from freehold.frontend.arithmetic import as_tile, broadcast, common_shape, convert
from freehold.frontend.context import Context
from freehold.frontend.memory import (
    at_index,
    borrow,
    constant_padding_of,
    coordinates,
    held_as,
    hints_of,
    number_dtype,
    padding_of,
    right_rank,
    storage,
    stored,
)
from freehold.frontend.operands import reshape
from freehold.frontend.syntax import core
from freehold.frontend.typed import Typed
from freehold.frontend.types import tile_type
from freehold.frontend.values import (
    INDEX_DTYPE,
    NONE,
    POISON,
    PlaceValue,
    Poison,
    Static,
    TensorValue,
    TileValue,
    TupleValue,
    Value,
    describe,
    show_shape,
    tensor_of,
)
from freehold.support import dtypes
from freehold.support.dtypes import DType

UPDATES: Final[dict[str, tuple[Update, Update]]] = {
    "add": (Update.ADD, Update.ADD),
    "maximum": (Update.MAX, Update.UMAX),
    "minimum": (Update.MIN, Update.UMIN),
    "bitwise_and": (Update.AND, Update.AND),
    "bitwise_or": (Update.OR, Update.OR),
    "bitwise_xor": (Update.XOR, Update.XOR),
}
"""The updates by NumPy's names: of what has a sign or is a float, and of unsigned integers."""


# --- Indices ---------------------------------------------------------------------------------------------------------


def element_indices(c: Context, tensor: TensorValue, a: Arguments) -> tuple[tuple[TileValue, ...], core.Expr] | None:
    """One tile of integers an axis, and where they stand. None after reporting."""
    items = a.rest
    nodes: Sequence[core.Expr] = a.node.args[len(a.signature.positional) :]
    if len(items) == 1 and isinstance(items[0], TupleValue):
        items = items[0].items
        nodes = nodes[0].elts if len(nodes) == 1 and isinstance(nodes[0], core.Tuple) else []
    place: core.Expr = nodes[0] if len(nodes) == 1 else a.node
    if len(items) == 1 < tensor.spec.rank == 2 and len(nodes) == 1:
        error = errors.WrongRank(c.span(place), what="the index", given="1 entry", of=tensor.name, rank="2 axes")
        rows = c.primary(place) if isinstance(items[0], TileValue) and len(items[0].shape) == 1 else "rows"
        edit = f"{tensor.name}.{a.signature.name}({rows}[:, None], fh.arange(64))"
        c.error(error.add(error.Instead(f"name rows and columns: `{edit}`")))
        return None
    if not right_rank(c, len(items), "the index", place, tensor):
        return None
    found: list[TileValue] = []
    places = nodes if len(nodes) == len(items) else [a.node] * len(items)
    for item, where in zip(items, places, strict=True):
        with c.at(where):
            one = as_tile(c, item, where, number_dtype(item, INDEX_DTYPE))
            if isinstance(one, Poison):
                return None
            if one.dtype.kind != "int":
                error = errors.WrongValue(
                    c.span(where),
                    what=describe(one),
                    role="an index",
                    why="an index counts elements: one tile of integers an axis",
                )
                if one.dtype.is_float:
                    error.add(error.Instead(f"convert it: `{c.primary(where)}.astype(fh.i32)`", at=c.span(where)))
                else:
                    error.add(error.Instead(f"choose elements with a mask: `mask={c.text(where)}`"))
                c.error(error)
                return None
            fits = one.dtype.bits < 32 or one.dtype is dtypes.i32
            found.append(convert(c, one, dtypes.i32 if fits else dtypes.i64))
    return tuple(found), place


def together(c: Context, tiles: Sequence[TileValue], place: core.Expr) -> tuple[int, ...] | None:
    """The shape in which tiles meet, or None after reporting that there is none."""
    shape: tuple[int, ...] = ()
    for one in tiles:
        met = common_shape(shape, one.shape)
        if met and met[-1] is None:
            error = errors.NoBroadcast(
                c.span(place), left=show_shape(shape), right=show_shape(one.shape), a=met[0], b=met[1]
            )
            if isinstance(place, core.Call) and len(shape) == len(one.shape) == 1 and len(place.args) > 1:
                rows = place.args[-2]
                error.add(
                    error.Instead(f"give rows an axis of their own: `{c.primary(rows)}[:, None]`", at=c.span(rows))
                )
            c.error(error)
            return None
        shape = tuple(n for n in met if n is not None)
    return shape


def stretched(c: Context, index: TileValue, rank: int) -> TileValue:
    """An index with as many axes as the common shape. Its elements are repeated where they are used."""
    missing = rank - len(index.shape)
    if not missing:
        return index
    shape = (1,) * missing + index.shape
    return c.tile(index.dtype, shape, ReshapeOp, index, shape)


def mask_of(c: Context, a: Arguments) -> TileValue | Poison | None:
    """The mask, a tile of truth values; None where there is none."""
    value = a["mask"]
    if isinstance(value, Static) and value.value is None:
        return None
    place = a.place("mask")
    mask = as_tile(c, value, place, dtypes.bool_)
    if isinstance(mask, Poison):
        return POISON
    if mask.dtype.kind != "bool":
        error = errors.WrongValue(
            c.span(place), what=describe(mask), role="a mask", why="a mask says of each element whether it counts"
        )
        return c.error(error.add(error.Instead(f"compare it: `{c.primary(place)} != 0`", at=c.span(place))))
    return mask


# --- Reads -----------------------------------------------------------------------------------------------------------


def gather(c: Context, a: Arguments) -> Value:
    """`x.gather(i, j)`: elements anywhere."""
    target = cast(TensorValue, a["self"])
    found = element_indices(c, target, a)
    dtype = target.spec.dtype
    padding, hints, mask = constant_padding_of(c, a, dtype), hints_of(c, a, ("latency",)), mask_of(c, a)
    if found is None or isinstance(padding, Poison) or isinstance(hints, Poison) or isinstance(mask, Poison):
        return POISON
    indices, place = found
    shape = together(c, (*indices, *(() if mask is None else (mask,))), place)
    if shape is None:
        return POISON
    held = held_as(dtype)
    with c.at(a.node):
        chosen = None if mask is None else broadcast(c, mask, shape)
        spread = [stretched(c, index, len(shape)) for index in indices]
        type_, source = tile_type(shape, held), _borrowed(c, target)
        read = c.tile(held, shape, GatherOp, source, spread, type_, chosen, padding=padding, hints=hints)
        return convert(c, read, dtype)


def load_from(c: Context, a: Arguments) -> Value:
    """`x.load_from(start, shape)`."""
    target = cast(TensorValue, a["self"])
    dtype = target.spec.dtype
    shape = shape_of(c, a["shape"], a.place("shape"))
    start = coordinates(c, a["start"], a.place("start"), target, "elements")
    if shape is None or start is None or not right_rank(c, len(shape), "the shape", a.place("shape"), target):
        return POISON
    padding, hints = padding_of(c, a, dtype), hints_of(c, a)
    if isinstance(padding, Poison) or isinstance(hints, Poison):
        return POISON
    held = held_as(dtype)
    with c.at(a.node):
        type_, source = tile_type(shape, held), _borrowed(c, target)
        read = c.tile(held, shape, LoadFromOp, source, start, type_, padding=padding, hints=hints)
        return convert(c, read, dtype)


def _borrowed(c: Context, tensor: TensorValue) -> Typed:
    """The borrow that is read through. That a `Mut` or `Out` is read anywhere is for the verifier to refuse."""
    if tensor.region is None:
        return tensor.handle
    return borrow(c, tensor.argument)


# --- Updates ---------------------------------------------------------------------------------------------------------


def update(c: Context, a: Arguments) -> Value:
    """`acc.at(i, j).add(tile)`, and `acc.add(tile)` at the block's place."""
    target, name, node = cast("TensorValue | PlaceValue", a["self"]), a.signature.name, a.node
    tensor = tensor_of(target)
    update = update_of(c, tensor, name, node)
    tile = stored(c, tensor, a["tile"], a.place("tile"))
    if isinstance(tile, Poison) or update is None:
        return POISON
    if isinstance(target, TensorValue) and not target.spec.rank:
        target = PlaceValue(target, ())  # the one there is
    if isinstance(target, PlaceValue):
        return _update_there(c, target, update, tile, a)
    position, partition = tensor.position, tensor.spec.partition
    if position is None or partition is None or len(position.index) != tensor.spec.rank:
        error = errors.WrongArguments(
            c.span(node),
            function=f"{tensor.name}.{name}",
            problem="does not know where: this launch gives blocks no place in it",
            signature=f"{name}(tile)",
        )
        index = ", ".join(["0"] * tensor.spec.rank)
        return c.error(error.add(error.Instead(f"name the place, in tiles: `{tensor.name}.at({index}).{name}(...)`")))
    shape = position.tile
    if common_shape(tile.shape, shape) != shape:
        error = errors.StoreShape(
            c.span(a.place("tile")), tile=show_shape(tile.shape), name=tensor.name, region=show_shape(shape)
        )
        return c.error(error)
    with c.at(node):
        step = None if partition.step == partition.tile else partition.step
        c.add(AccumulateOp, update, broadcast(c, tile, shape), tensor.handle, position.index, step)
    return NONE


def _update_there(c: Context, place: PlaceValue, update: Update, tile: TileValue, a: Arguments) -> Value:
    """An update of the tile at a place that is named, in tiles of the tile's own shape."""
    tensor, rank = place.tensor, place.tensor.spec.rank
    if not tile.shape:  # a scalar is one element
        tile = reshape(c, tile, (1,) * rank)
    if len(tile.shape) != rank:
        given, axes = (f"{n} {'axis' if n == 1 else 'axes'}" for n in (len(tile.shape), rank))
        return c.error(
            errors.WrongRank(c.span(a.place("tile")), what="the tile", given=given, of=tensor.name, rank=axes)
        )
    with c.at(a.node):
        c.add(AccumulateOp, update, tile, tensor.handle, place.index)
    return NONE


def update_at(c: Context, a: Arguments) -> Value:
    """`acc.add_at(values, i, j)`: an update of each element that an index names."""
    target = cast(TensorValue, a["self"])
    update = update_of(c, target, a.signature.name.removesuffix("_at"), a.node)
    found, mask = element_indices(c, target, a), mask_of(c, a)
    values = stored(c, target, a["values"], a.place("values"))
    if found is None or update is None or isinstance(mask, Poison) or isinstance(values, Poison):
        return POISON
    indices, place = found
    shape = together(c, (*indices, values, *(() if mask is None else (mask,))), place)
    if shape is None:
        return POISON
    with c.at(a.node):
        chosen = None if mask is None else broadcast(c, mask, shape)
        spread = [stretched(c, index, len(shape)) for index in indices]
        c.add(AccumulateAtOp, update, broadcast(c, values, shape), target.handle, spread, chosen)
    return NONE


def update_of(c: Context, tensor: TensorValue, name: str, node: core.Call) -> Update | None:
    """The update of a tensor's elements that a method is, or None after reporting that there is none."""
    dtype = tensor.spec.dtype
    signed, unsigned = UPDATES[name]
    update = signed if dtype.is_float or dtype.signed else unsigned
    if dtype.kind != "bool" and element_name(storage(dtype)) in ATOMIC[update]:
        return update
    known = [str(d) for d in dtypes.ALL if d.kind != "bool" and d.storage_bits and _takes(d, name)]
    error = errors.UpdateUnavailable(
        c.span(node), name=tensor.name, update=name, dtype=str(dtype), known=", ".join(f"`{k}`" for k in known)
    )
    c.error(error.add(error.TwoKernels()))
    return None


def _takes(dtype: DType, name: str) -> bool:
    signed, unsigned = UPDATES[name]
    return element_name(storage(dtype)) in ATOMIC[signed if dtype.is_float or dtype.signed else unsigned]


def at(c: Context, a: Arguments) -> Value:
    """`acc.at(i, j)`: a place, in tiles of the shape of what is added there."""
    target = cast(TensorValue, a["self"])
    index = at_index(c, target, a)
    return POISON if index is None else PlaceValue(target, index)
