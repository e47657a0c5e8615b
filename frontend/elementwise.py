"""Functions of each element by itself."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, cast

from freehold.dialects.cuda_tile.ops import arith_float as fl
from freehold.dialects.cuda_tile.ops.arith_int import MaxIOp, MinIOp
from freehold.dialects.cuda_tile.ops.shape import SelectOp
from freehold.frontend import arithmetic, rounded
from freehold.frontend.arguments import Arguments, flag_of, misuse
from freehold.frontend.arithmetic import as_tile, broadcast, convert
from freehold.frontend.conditions import select
from freehold.frontend.context import Context
from freehold.frontend.types import computes, signedness
from freehold.frontend.values import POISON, Number, Poison, Static, TileValue, Value, describe, is_number, static_of
from freehold.support import dtypes
from freehold.support.dtypes import DType


def _float(c: Context, a: Arguments, name: str) -> TileValue | None:
    """An argument as a float tile: integers and bools become f32."""
    tile = as_tile(c, a[name], a.place(name), dtypes.f32)
    if isinstance(tile, Poison):
        return None
    if not tile.dtype.is_float:
        return convert(c, tile, dtypes.f32)
    if not computes(tile.dtype):
        c.error(arithmetic.uncomputed(c, a.signature.name, tile.dtype, a.place(name), a.place(name)))
        return None
    return tile


def unary(c: Context, a: Arguments, op: Any) -> Value:
    """Functions of one float, which `op` computes."""
    tile = _float(c, a, "x")
    if tile is None:
        return POISON
    extra: tuple[object, ...] = ()
    if "flush_to_zero" in a.values:
        flush = rounded.flush_of(c, a, tile)
        if flush is None:
            return POISON
        extra = (flush,)
    if "rounding" in a.values:
        modes = (*op.ROUNDING, *(op.F32_ROUNDING if tile.dtype is dtypes.f32 else ()))
        rounding = rounded.mode_of(c, a, f"`{tile.dtype}`", modes, modes[0])
        if rounding is None:
            return POISON
        extra = (rounding, *extra)
    return c.tile(tile.dtype, tile.shape, op, tile, *extra)


def atan2(c: Context, a: Arguments) -> Value:
    """`atan2`."""
    return _floats(c, a, ("y", "x"), fl.Atan2Op)


def fma(c: Context, a: Arguments) -> Value:
    """`fma`."""
    return _floats(c, a, ("x", "y", "z"), fl.FmaOp, rounds=True)


def _floats(c: Context, a: Arguments, names: tuple[str, ...], op: Any, rounds: bool = False) -> Value:
    """An operation on several floats of one dtype and shape."""
    values = [arithmetic.operand(c, a[n], a.place(n)) for n in names]
    if any(v is None for v in values):
        return POISON
    given = [v for v in values if v is not None]
    dtype: DType | None = None
    for v in given:
        if isinstance(v, TileValue):
            if dtype is None:
                dtype = v.dtype
            elif dtype is not v.dtype:
                probe = arithmetic.meet_dtype(c, TileValue(v.var, dtype, ()), v, a.node)
                if probe is None:
                    return POISON
                dtype = probe
    dtype = dtype if dtype is not None and dtype.is_float else dtypes.f32
    if not computes(dtype):
        return misuse(c, a, names[0], f"computes in f16, bf16, f32 or f64, not in `{dtype}`", "`.astype(f32)`")
    tiles: list[TileValue] = []
    for v, n in zip(given, names, strict=True):
        tile = as_tile(c, v, a.place(n), dtype)
        assert isinstance(tile, TileValue)
        tiles.append(convert(c, tile, dtype))
    shape: tuple[int, ...] = ()
    for tile in tiles:
        met = arithmetic.meet_shape(c, TileValue(tile.var, dtype, shape), tile, a.node)
        if met is None:
            return POISON
        shape = met
    extra: tuple[object, ...] = ()
    if rounds:
        mode = rounded.mode_of(c, a, f"`{dtype}`", op.ROUNDING, op.ROUNDING[0])
        flush = rounded.flush_of(c, a, tiles[0])
        if mode is None or flush is None:
            return POISON
        extra = (mode, flush)
    return c.tile(dtype, shape, op, *(broadcast(c, t, shape) for t in tiles), *extra)


def extremum(c: Context, a: Arguments, larger: bool) -> Value:
    """`maximum` and `minimum`."""
    propagate = flag_of(c, a["propagate_nan"], a.place("propagate_nan"), "`propagate_nan`")
    flush = flag_of(c, a["flush_to_zero"], a.place("flush_to_zero"), "`flush_to_zero`")
    if propagate is None or flush is None:
        return POISON
    return extreme(c, a["x"], a["y"], larger, a, propagate, flush, ("x", "y"))


def extreme(
    c: Context, x: Value, y: Value, larger: bool, a: Arguments, propagate: bool, flush: bool = False,
    written: Sequence[str] = (),
) -> Value:  # fmt: skip
    """The larger or smaller of two values, which are the arguments `written`; of two known ones, at compile time."""
    p, q = static_of(x), static_of(y)
    if p is not None and q is not None and is_number(p[0]) and is_number(q[0]):
        both = (cast(Number, p[0]), cast(Number, q[0]))
        return Static(builtins.max(both) if larger else builtins.min(both))
    pair = arithmetic.meet(c, x, y, a.node, written=[a.place(name) for name in written])
    if pair is None:
        return POISON
    s, t = pair
    if flush and rounded.flush_of(c, a, s) is None:
        return POISON
    if s.dtype.kind == "bool":
        return arithmetic.arithmetic(c, "|" if larger else "&", s, t)
    if not computes(s.dtype):
        return c.error(arithmetic.uncomputed(c, a.signature.name, s.dtype, a.node, a.place("x")))
    if s.dtype.is_float:
        op = fl.MaxFOp if larger else fl.MinFOp
        made = c.tile(s.dtype, s.shape, op, s, t, propagate_nan=propagate, flush_to_zero=flush)
    else:
        made = c.tile(s.dtype, s.shape, MaxIOp if larger else MinIOp, s, t, signedness(s.dtype))
    return arithmetic.weakened(made, x, y)


def absolute(c: Context, a: Arguments) -> Value:
    """`abs`."""
    return arithmetic.unary(c, "abs", a["x"], a.node)


def where(c: Context, a: Arguments) -> Value:
    """`where`: one of two values, or element by element."""
    test = a["condition"]
    known = static_of(test)
    if known is not None and is_number(known[0]):
        pair = arithmetic.meet(c, a["x"], a["y"], a.node)
        return POISON if pair is None else pair[0 if known[0] else 1]
    tile = as_tile(c, test, a.place("condition"))
    if isinstance(tile, Poison):
        return POISON
    return select(c, convert(c, tile, dtypes.bool_), a["x"], a["y"], a.node)


def isnan(c: Context, a: Arguments) -> Value:
    """`isnan`: what differs from itself."""
    tile = _float(c, a, "x")
    return POISON if tile is None else arithmetic.comparison(c, "!=", tile, tile)


def magnitude(c: Context, a: Arguments, symbol: str) -> Value:
    """`isinf` and `isfinite`: how the absolute value compares with infinity."""
    tile = _float(c, a, "x")
    if tile is None:
        return POISON
    size = c.tile(tile.dtype, tile.shape, fl.AbsFOp, tile)
    return arithmetic.comparison(c, symbol, size, c.constant(float("inf"), tile.dtype, tile.shape))


def sign(c: Context, a: Arguments) -> Value:
    """`sign`."""
    tile = as_tile(c, a["x"], a.place("x"))
    if isinstance(tile, Poison):
        return POISON
    if not computes(tile.dtype):
        return c.error(arithmetic.uncomputed(c, "sign", tile.dtype, a.place("x"), a.place("x")))
    if tile.dtype.kind == "bool":
        return misuse(c, a, "x", f"has no meaning for {describe(tile)}", "convert first: `.astype(i32)`")
    shape, dtype = tile.shape, tile.dtype
    zero, one = c.constant(0, dtype, shape), c.constant(1, dtype, shape)
    result = tile
    if dtype.signed or dtype.is_float:
        below = arithmetic.comparison(c, "<", tile, zero)
        result = c.tile(dtype, shape, SelectOp, below, c.constant(-1, dtype, shape), result)
    above = arithmetic.comparison(c, ">", tile, zero)
    return c.tile(dtype, shape, SelectOp, above, one, result)


def clip(c: Context, a: Arguments) -> Value:
    """`clip`."""
    lower = extreme(c, a["x"], a["low"], True, a, True, written=("x", "low"))
    return POISON if isinstance(lower, Poison) else extreme(c, lower, a["high"], False, a, True, written=("x", "high"))


def rounded_to_whole(c: Context, a: Arguments) -> Value:
    """The nearest whole number: the floor, or one more where the rest is over a half, or a half above an odd floor."""
    tile = _float(c, a, "x")
    if tile is None:
        return POISON
    dtype, shape = tile.dtype, tile.shape

    def number(value: float) -> TileValue:
        return c.constant(value, dtype, shape)

    floor = c.tile(dtype, shape, fl.FloorOp, tile)
    rest = c.tile(dtype, shape, fl.SubFOp, tile, floor)
    halved = c.tile(dtype, shape, fl.MulFOp, floor, number(0.5))
    odd = arithmetic.comparison(c, "!=", halved, c.tile(dtype, shape, fl.FloorOp, halved))
    tie = arithmetic.arithmetic(c, "&", arithmetic.comparison(c, "==", rest, number(0.5)), odd)
    up = arithmetic.arithmetic(c, "|", arithmetic.comparison(c, ">", rest, number(0.5)), tie)
    next_ = c.tile(dtype, shape, fl.AddFOp, floor, number(1.0))
    return c.tile(dtype, shape, SelectOp, up, next_, floor)
