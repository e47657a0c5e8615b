"""Where the extremes of a tile are, and tiles in order."""

from __future__ import annotations

from typing import Final

from freehold.dialects.cuda_tile.ops.arith_int import AndIOp, OrIOp, XOrIOp
from freehold.dialects.cuda_tile.ops.control_flow import YieldOp
from freehold.dialects.cuda_tile.ops.reduce import ReduceOp
from freehold.dialects.cuda_tile.ops.shape import CatOp, ExtractOp, IotaOp, SelectOp
from freehold.frontend import errors
from freehold.frontend.arguments import Arguments, axis_of, flag_of, ints_of
from freehold.frontend.arithmetic import broadcast, comparison, convert
from freehold.frontend.context import Context
from freehold.frontend.operands import permute, reshape
from freehold.frontend.reductions import arithmetic_tile, identity, neutral
from freehold.frontend.typed import Block
from freehold.frontend.types import tile_type
from freehold.frontend.values import POISON, Static, TileValue, TupleValue, Value, describe, describe_tile
from freehold.support import dtypes

POSITION: Final = dtypes.i32
"""The dtype of positions along an axis."""


def positions(c: Context, shape: tuple[int, ...], axis: int) -> TileValue:
    """The place of each element along an axis."""
    extent = shape[axis]
    line = c.tile(POSITION, (extent,), IotaOp, tile_type((extent,), POSITION))
    return broadcast(c, reshape(c, line, tuple(extent if i == axis else 1 for i in range(len(shape)))), shape)


def _and(c: Context, a: TileValue, b: TileValue) -> TileValue:
    return c.tile(a.dtype, a.shape, AndIOp, a, b)


def _or(c: Context, a: TileValue, b: TileValue) -> TileValue:
    return c.tile(a.dtype, a.shape, OrIOp, a, b)


def _xor(c: Context, a: TileValue, b: TileValue) -> TileValue:
    return c.tile(a.dtype, a.shape, XOrIOp, a, b)


def _select(c: Context, test: TileValue, a: TileValue, b: TileValue) -> TileValue:
    return c.tile(a.dtype, a.shape, SelectOp, test, a, b)


def _nans(c: Context, a: TileValue, b: TileValue) -> tuple[TileValue, TileValue] | None:
    return (comparison(c, "!=", a, a), comparison(c, "!=", b, b)) if a.dtype.is_float else None


def _precedes(c: Context, symbol: str, a: list[TileValue], b: list[TileValue], nan_first: bool) -> TileValue:
    """
    Whether `a` stands before `b` in an order of tiles of keys, or of keys and positions, which settle equal keys.

    By `symbol` of the keys; NaNs are equal to each other, and stand before all else, or after it.
    """
    (x, *i), (y, *j) = a, b
    before = comparison(c, symbol, x, y)
    nans = _nans(c, x, y)
    if nans is not None:
        p, q = nans if nan_first else nans[::-1]
        before = _or(c, before, _and(c, p, comparison(c, "==", q, _false(c, q))))
    if i:
        equal = comparison(c, "==", x, y)
        if nans is not None:
            equal = _or(c, equal, _and(c, *nans))
        before = _or(c, before, _and(c, equal, comparison(c, "<", i[0], j[0])))
    return before


def _false(c: Context, like: TileValue) -> TileValue:
    return c.constant(0, dtypes.bool_, like.shape)


# --- Extremes --------------------------------------------------------------------------------------------------------


def extreme_position(c: Context, a: Arguments, larger: bool) -> Value:
    """`argmax` and `argmin`: NaN is more extreme than any number, and the first of equals is found, as in NumPy."""
    tile = arithmetic_tile(c, a)
    keep = flag_of(c, a["keepdims"], a.place("keepdims"), "`keepdims`")
    if tile is None or keep is None:
        return POISON
    given, value = tile.shape, a["axis"]
    everywhere = isinstance(value, Static) and value.value is None
    if everywhere:
        count = 1
        for extent in given:
            count *= extent
        tile = reshape(c, tile, (count,))
        axis = 0
    else:
        found = axis_of(c, value, a.place("axis"), len(given), describe_tile(tile.dtype, given))
        if found is None:
            return POISON
        axis = found
    if tile.dtype.kind == "bool":
        tile = convert(c, tile, POSITION)
    dtype = tile.dtype
    index = positions(c, tile.shape, axis)
    block = Block()
    with c.into(block):
        x, y, i, j = (c.argument(block, d, ()) for d in (dtype, dtype, POSITION, POSITION))
        first = _precedes(c, ">" if larger else "<", [x, i], [y, j], nan_first=True)
        c.add(YieldOp, [_select(c, first, x, y), _select(c, first, i, j)])
    neutrals = [identity(neutral("max" if larger else "min", dtype), dtype), identity((1 << 31) - 1, POSITION)]
    shape = tile.shape[:axis] + tile.shape[axis + 1 :]
    _, result = c.tiles([(dtype, shape), (POSITION, shape)], ReduceOp, [tile, index], axis, neutrals, block)
    if not keep:
        return result
    return reshape(c, result, tuple(1 if everywhere or i == axis else e for i, e in enumerate(given)))


# --- Sorting ---------------------------------------------------------------------------------------------------------


def sorted_(c: Context, a: Arguments, positional: bool) -> Value:
    """`sort` and `argsort`."""
    tile = arithmetic_tile(c, a)
    descending = flag_of(c, a["descending"], a.place("descending"), "`descending`")
    axis = None if tile is None else _axis(c, a, tile)
    if tile is None or axis is None or descending is None:
        return POISON
    tiles = [tile, positions(c, tile.shape, axis)] if positional else [tile]
    return _network(c, tiles, axis, descending)[-1]


def top_k(c: Context, a: Arguments) -> Value:
    """`top_k`: values and positions."""
    tile = arithmetic_tile(c, a)
    axis = None if tile is None else _axis(c, a, tile)
    counts = ints_of(c, a["k"], a.place("k"), "the number of elements")
    if tile is None or axis is None or counts is None:
        return POISON
    count = counts[0] if len(counts) == 1 else 0
    extent = tile.shape[axis]
    if not 1 <= count <= extent or count & (count - 1):
        error = errors.WrongArguments(
            c.span(a.place("k")),
            function="top_k",
            problem=f"takes a power of two from 1 to {extent}, the elements along axis {axis}",
            signature=a.signature.text,
        )
        if 1 <= count < extent:
            error.add(error.Instead(f"take {1 << count.bit_length()}, and use the first {count}"))
        return c.error(error)
    ordered = _network(c, [tile, positions(c, tile.shape, axis)], axis, descending=True)
    shape = tuple(count if i == axis else e for i, e in enumerate(tile.shape))
    return TupleValue(tuple(_part(c, t, axis, 0, shape) for t in ordered))


def _axis(c: Context, a: Arguments, tile: TileValue) -> int | None:
    return axis_of(c, a["axis"], a.place("axis"), len(tile.shape), describe(tile))


def _part(c: Context, tile: TileValue, axis: int, index: int, shape: tuple[int, ...]) -> TileValue:
    if shape == tile.shape:
        return tile
    at = [c.constant(index if i == axis else 0, POSITION) for i in range(len(shape))]
    return c.tile(tile.dtype, shape, ExtractOp, tile, at, shape)


def _network(c: Context, tiles: list[TileValue], axis: int, descending: bool) -> list[TileValue]:
    """
    Batcher's bitonic network along an axis: runs of 2, 4, ... elements in order, every other one backwards.

    The first tile holds the keys; the second, if there is one, their positions, which settle equal keys.
    """
    given, rank = tiles[0].shape, len(tiles[0].shape)
    extent = given[axis]
    last = (*(i for i in range(rank) if i != axis), axis)
    moved = tuple(given[i] for i in last)
    bools = tiles[0].dtype.kind == "bool"
    work = [convert(c, tiles[0], dtypes.i8), *tiles[1:]] if bools else tiles
    rows = 1
    for e in moved[:-1]:
        rows *= e
    work = [reshape(c, permute(c, t, last), (rows, extent)) for t in work]
    run = 2
    while run <= extent:
        distance = run // 2
        while distance:
            work = _stage(c, work, distance, run, descending)
            distance //= 2
        run *= 2
    back = tuple(last.index(i) for i in range(rank))
    done = [permute(c, reshape(c, t, moved), back) for t in work]
    return [convert(c, done[0], dtypes.bool_), *done[1:]] if bools else done


def _stage(c: Context, tiles: list[TileValue], distance: int, run: int, descending: bool) -> list[TileValue]:
    """Puts each two elements `distance` apart in order, within runs that go forth and back in turn."""
    rows, extent = tiles[0].shape
    pairs = extent // (2 * distance)
    whole, half = (rows, pairs, 2, distance), (rows, pairs, 1, distance)
    split = [reshape(c, t, whole) for t in tiles]
    low = [_part(c, t, 2, 0, half) for t in split]
    high = [_part(c, t, 2, 1, half) for t in split]
    swap = _precedes(c, ">" if descending else "<", high, low, nan_first=descending)
    if run < extent:
        block = positions(c, (1, pairs, 1, 1), 1)
        bit = c.constant(run // (2 * distance), POSITION, block.shape)
        backwards = comparison(c, "!=", _and(c, block, bit), c.constant(0, POSITION, block.shape))
        swap = _xor(c, swap, broadcast(c, backwards, half))
    joined: list[TileValue] = []
    for x, y in zip(low, high, strict=True):
        first, second = _select(c, swap, y, x), _select(c, swap, x, y)
        pair = c.tile(x.dtype, whole, CatOp, first, second, 2)
        joined.append(reshape(c, pair, tiles[0].shape))
    return joined
