"""Tiles under other shapes: reshaped, permuted, repeated, joined, read as other dtypes."""

from __future__ import annotations

from functools import reduce
from math import prod

from freehold.dialects.cuda_tile.ops.conversion import BitcastOp
from freehold.dialects.cuda_tile.ops.shape import CatOp
from freehold.frontend import arithmetic, errors, packing
from freehold.frontend.arguments import (
    Arguments,
    axis_of,
    check_pairs,
    check_shape,
    dtype_of,
    ints_of,
    misuse,
    shape_of,
)
from freehold.frontend.arithmetic import as_tile, broadcast, common_shape, convert
from freehold.frontend.context import Context
from freehold.frontend.operands import permute, reshape
from freehold.frontend.types import ELEMENTS
from freehold.frontend.values import POISON, Poison, Static, TileValue, TupleValue, Value, describe, show_shape


def _tile(c: Context, a: Arguments) -> TileValue | None:
    tile = as_tile(c, a["x"], a.place("x"))
    return None if isinstance(tile, Poison) else tile


def reshaped(c: Context, a: Arguments) -> Value:
    """`reshape`, the function and the method."""
    tile = _tile(c, a)
    place = a.place("shape") if "shape" in a.values else a.node
    given = a["shape"] if "shape" in a.values else _rest(a)
    shape = ints_of(c, given, place, "a shape")
    if tile is None or shape is None:
        return POISON
    count = reduce(lambda m, n: m * n, tile.shape, 1)
    if shape.count(-1) == 1:
        known = reduce(lambda m, n: m * n, (e for e in shape if e != -1), 1)
        if known > 0 and count % known == 0:
            shape = tuple(count // known if e == -1 else e for e in shape)
    if not check_shape(c, shape, place):
        return POISON
    if reduce(lambda m, n: m * n, shape, 1) != count:
        error = errors.BadShape(
            c.span(place),
            shape=show_shape(shape),
            why=f"the tile has {count} elements, in shape {show_shape(tile.shape)}",
        )
        return c.error(error.add(error.Instead("leave one extent to be computed: `-1`")))
    return reshape(c, tile, shape)


def _rest(a: Arguments) -> Value:
    """The arguments of a method that takes a tuple or several integers."""
    if len(a.rest) == 1 and isinstance(a.rest[0], TupleValue):
        return a.rest[0]
    return TupleValue(a.rest)


def permuted(c: Context, a: Arguments, reverse: bool) -> Value:
    """`permute` and `transpose`, the functions and the methods."""
    tile = _tile(c, a)
    if tile is None:
        return POISON
    given = a["axes"] if "axes" in a.values else _rest(a)
    place = a.place("axes") if "axes" in a.values else a.node
    rank = len(tile.shape)
    if reverse and ((isinstance(given, Static) and given.value is None) or given == TupleValue(()) or (
        isinstance(given, TupleValue) and not given.items
    )):  # fmt: skip
        return permute(c, tile, tuple(reversed(range(rank))))
    axes = ints_of(c, given, place, "a permutation")
    if axes is None:
        return POISON
    if sorted(x % rank if -rank <= x < rank else x for x in axes) != list(range(rank)):
        error = errors.WrongRank(
            c.span(place),
            what=f"the permutation {show_shape(axes)}",
            given=f"{len(axes)} {'entry' if len(axes) == 1 else 'entries'}",
            of="the tile",
            rank=f"the axes 0 to {rank - 1}" if rank else "no axes",
        )
        return c.error(error.add(error.Instead(f"name each axis once: `{show_shape(tuple(reversed(range(rank))))}`")))
    return permute(c, tile, tuple(x % rank for x in axes))


def expand_dims(c: Context, a: Arguments) -> Value:
    """`expand_dims`."""
    tile = _tile(c, a)
    if tile is None:
        return POISON
    axis = axis_of(c, a["axis"], a.place("axis"), len(tile.shape) + 1, "the result")
    return POISON if axis is None else reshape(c, tile, (*tile.shape[:axis], 1, *tile.shape[axis:]))


def flatten(c: Context, a: Arguments) -> Value:
    """`flatten`."""
    tile = _tile(c, a)
    return POISON if tile is None else reshape(c, tile, (prod(tile.shape),))


def squeeze(c: Context, a: Arguments) -> Value:
    """`squeeze`."""
    tile = _tile(c, a)
    if tile is None:
        return POISON
    given = a["axis"]
    axes = tuple(i for i, e in enumerate(tile.shape) if e == 1)
    if not (isinstance(given, Static) and given.value is None):
        axis = axis_of(c, given, a.place("axis"), len(tile.shape), "the tile")
        if axis is None:
            return POISON
        if axis not in axes:
            return misuse(c, a, "axis", f"leaves out axes of extent 1, and axis {axis} has {tile.shape[axis]}")
        axes = (axis,)
    return reshape(c, tile, tuple(e for i, e in enumerate(tile.shape) if i not in axes))


def item(c: Context, a: Arguments) -> Value:
    """`item`: the one element of a tile."""
    tile = _tile(c, a)
    if tile is None:
        return POISON
    if prod(tile.shape) != 1:
        problem = f"takes the one element of a tile, and {show_shape(tile.shape)} has {prod(tile.shape)}"
        return misuse(c, a, "", problem, f"say which one: `[{', '.join(['0'] * len(tile.shape))}]`")
    return reshape(c, tile, ())


def broadcast_to(c: Context, a: Arguments) -> Value:
    """`broadcast_to`."""
    tile, shape = _tile(c, a), shape_of(c, a["shape"], a.place("shape"))
    if tile is None or shape is None:
        return POISON
    if common_shape(tile.shape, shape) != shape:
        return misuse(c, a, "shape", f"cannot repeat {show_shape(tile.shape)} to {show_shape(shape)}")
    return broadcast(c, tile, shape)


def concatenate(c: Context, a: Arguments) -> Value:
    """`concatenate`, two by two."""
    parts = a["parts"]
    if not isinstance(parts, TupleValue) or len(parts.items) < 2 or len(parts.items) & (len(parts.items) - 1):
        edit = "give two, four, ... tiles: a tile's extents are powers of two"
        return misuse(c, a, "parts", f"joins as many tiles as a power of two, not {describe(parts)}", edit)
    tiles = [t for p in parts.items if not isinstance(t := as_tile(c, p, a.place("parts")), Poison)]
    if len(tiles) < len(parts.items):
        return POISON
    axis = axis_of(c, a["axis"], a.place("axis"), len(tiles[0].shape), "the tile")
    if axis is None:
        return POISON
    while len(tiles) > 1:
        joined = [_joined(c, a, x, y, axis) for x, y in zip(tiles[::2], tiles[1::2], strict=True)]
        tiles = [t for t in joined if t is not None]
        if len(tiles) < len(joined):
            return POISON
    return tiles[0]


def _joined(c: Context, a: Arguments, x: TileValue, y: TileValue, axis: int) -> TileValue | None:
    dtype = arithmetic.meet_dtype(c, x, y, a.node)
    if dtype is None:
        return None
    if x.shape != y.shape:
        misuse(c, a, "parts", f"joins tiles of one shape, not {show_shape(x.shape)} and {show_shape(y.shape)}")
        return None
    shape = tuple(2 * e if i == axis else e for i, e in enumerate(x.shape))
    if not check_shape(c, shape, a.node):
        return None
    return c.tile(dtype, shape, CatOp, convert(c, x, dtype), convert(c, y, dtype), axis)


def bitcast(c: Context, a: Arguments) -> Value:
    """`bitcast`."""
    tile, dtype = _tile(c, a), dtype_of(c, a["dtype"], a.place("dtype"))
    if tile is None or dtype is None:
        return POISON
    if dtype.bits != tile.dtype.bits or ("bool" in (dtype.kind, tile.dtype.kind) and dtype is not tile.dtype):
        problem = f"cannot read the {tile.dtype.bits} bits of `{tile.dtype}` as `{dtype}`, which has {dtype.bits}"
        edit = f"convert the values: `.astype({dtype})`"
        if dtype.bits == 4 and tile.dtype.bits == 8:
            edit = f"take both halves of each byte: `fh.unpack({a.text(c, 'x')}, {dtype})`"
        return misuse(c, a, "dtype", problem, edit)
    if ELEMENTS[dtype] == ELEMENTS[tile.dtype]:
        return TileValue(tile.var, dtype, tile.shape)
    if dtype.bits == 4:  # which Tile IR reads as bytes only
        if not tile.shape or not check_pairs(c, dtype, tile.shape, a.node):
            return POISON if tile.shape else misuse(c, a, "x", "reads pairs of 4 bits, not a scalar")
        count = prod(tile.shape)
        return packing.unpacked(c, packing.packed(c, tile, (count // 2,)), dtype, tile.shape)
    return c.tile(dtype, tile.shape, BitcastOp, tile, ELEMENTS[dtype])
