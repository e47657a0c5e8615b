"""The functions of the language: each name of `freehold.frontend.language`, and the methods of tiles."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import replace
from functools import partial, reduce
from math import prod
from typing import Any, Final, cast

from freehold.dialects.cuda_tile.ops import arith_float as fl
from freehold.dialects.cuda_tile.ops.arith_int import DivIOp, MaxIOp, MinIOp
from freehold.dialects.cuda_tile.ops.conversion import BitcastOp
from freehold.dialects.cuda_tile.ops.shape import CatOp, SelectOp
from freehold.frontend import (
    arithmetic,
    creation,
    errors,
    folds,
    language,
    orders,
    packing,
    pieces,
    random_numbers,
    reductions,
    requirements,
    rounded,
    texts,
)
from freehold.frontend.arguments import (
    Arguments,
    Signature,
    axis_of,
    check_pairs,
    check_shape,
    dtype_of,
    flag_of,
    ints_of,
    misuse,
    shape_of,
)
from freehold.frontend.arithmetic import Number, as_tile, broadcast, common_shape, convert
from freehold.frontend.conditions import condition, select
from freehold.frontend.context import Context
from freehold.frontend.expressions import not_constant, permute, reshape
from freehold.frontend.products import mma, mma_scaled
from freehold.frontend.types import ELEMENTS, computes, signedness
from freehold.frontend.values import (
    NONE,
    POISON,
    Poison,
    RangeValue,
    Static,
    TensorValue,
    TilesValue,
    TileValue,
    TupleValue,
    Value,
    describe,
    is_number,
    show_shape,
    static_of,
)
from freehold.support import dtypes
from freehold.support.dtypes import DType

Handler = Callable[[Context, Arguments], Value]


# --- Loops and static values -----------------------------------------------------------------------------------------


def _tiles(c: Context, a: Arguments) -> Value:
    tensor = a["tensor"]
    if not isinstance(tensor, TensorValue):
        return misuse(c, a, "tensor", f"runs over the tiles of a tensor, not of {describe(tensor)}")
    axis = axis_of(c, a["axis"], a.place("axis"), tensor.spec.rank, f"`{tensor.name}`")
    sizes = shape_of(c, a["size"], a.place("size"))
    if axis is None or sizes is None:
        return POISON
    if len(sizes) != 1:
        return misuse(c, a, "size", f"takes one size, and is given {len(sizes)}", "`size=64`")
    bounds: list[Static | TileValue] = []
    for name in ("start", "stop", "step"):
        match a[name]:
            case Static(value=int() as number) if number < (name == "step"):
                problem = f"counts tiles from 0 upwards, and is given {name} {number}"
                edit = "run backwards: `reversed(fh.tiles(...))`" if name == "step" else "count from the first: `0`"
                return misuse(c, a, name, problem, edit)
            case (TileValue() | Static(value=int())) as bound:
                bounds.append(bound)
            case Static(value=None) as bound if name == "stop":
                bounds.append(bound)
            case other:
                return not_constant(c, a.place(name), other, "the bound of a range of tiles")
    start, stop, step = bounds
    return TilesValue(tensor, axis, sizes[0], start, stop, step)


def range_(c: Context, a: Arguments, static: bool) -> Value:
    """`range` and `static_range`."""
    given = a.rest
    if not 1 <= len(given) <= 3:
        return misuse(c, a, "", f"takes one to three arguments, and is given {len(given)}")
    for position, value in enumerate(given):
        known = isinstance(value, Static) and isinstance(value.value, int)
        if not known and (static or not isinstance(value, TileValue)):
            place = a.node.args[position] if position < len(a.node.args) else a.node
            return not_constant(c, place, value, "the bound of a static range" if static else "the bound of a range")
    parts = cast("tuple[Static | TileValue, ...]", (Static(0), *given) if len(given) == 1 else given)
    step = parts[2] if len(parts) == 3 else Static(1)
    return RangeValue(parts[0], parts[1], step, static)


def _static_assert(c: Context, a: Arguments) -> Value:
    from freehold.frontend.statements import static_failure

    message = static_of(a["message"])
    truth = condition(c, a["condition"], a.place("condition"), "a static assertion")
    if isinstance(truth, TileValue):
        return not_constant(c, a.place("condition"), truth, "the condition of a static assertion")
    if truth is False:
        text = message[0] if message is not None and isinstance(message[0], str) and message[0] else None
        static_failure(c, a.place("condition"), text or f"`{c.text(a.place('condition'))}` does not hold")
    return NONE


def _cdiv(c: Context, a: Arguments) -> Value:
    x, y = a["a"], a["b"]
    known = static_of(x), static_of(y)
    if known[0] is not None and known[1] is not None:
        m, n = known[0][0], known[1][0]
        if isinstance(m, int) and isinstance(n, int) and n != 0:
            return Static(-(-m // n))
    pair = arithmetic.meet(c, x, y, a.node)
    if pair is None:
        return POISON
    s, t = pair
    if s.dtype.kind != "int":
        return misuse(c, a, "a", f"divides integers, not `{s.dtype}`")
    if not computes(s.dtype):
        return c.error(arithmetic.uncomputed(c, "cdiv", s.dtype, a.node, a.place("a")))
    return c.tile(s.dtype, s.shape, DivIOp, s, t, signedness(s.dtype), arithmetic.UP)


# --- Elementwise -----------------------------------------------------------------------------------------------------


def _float(c: Context, a: Arguments, name: str, dtype: DType | None = None) -> TileValue | None:
    """An argument as a float tile: integers and bools become f32."""
    tile = as_tile(c, a[name], a.place(name), dtype or dtypes.f32)
    if isinstance(tile, Poison):
        return None
    if not tile.dtype.is_float:
        return convert(c, tile, dtypes.f32)
    if not computes(tile.dtype):
        c.error(arithmetic.uncomputed(c, a.signature.name, tile.dtype, a.place(name), a.place(name)))
        return None
    return tile


def _unary(c: Context, a: Arguments, op: Any) -> Value:
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


def _atan2(c: Context, a: Arguments) -> Value:
    return _floats(c, a, ("y", "x"), fl.Atan2Op)


def _fma(c: Context, a: Arguments) -> Value:
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


def _extremum(c: Context, a: Arguments, larger: bool) -> Value:
    propagate = flag_of(c, a["propagate_nan"], a.place("propagate_nan"), "`propagate_nan`")
    flush = flag_of(c, a["flush_to_zero"], a.place("flush_to_zero"), "`flush_to_zero`")
    if propagate is None or flush is None:
        return POISON
    return extreme(c, a["x"], a["y"], larger, a, propagate, flush)


def extreme(c: Context, x: Value, y: Value, larger: bool, a: Arguments, propagate: bool, flush: bool = False) -> Value:
    """The larger or smaller of two values; of two that are known, at compile time."""
    p, q = static_of(x), static_of(y)
    if p is not None and q is not None and is_number(p[0]) and is_number(q[0]):
        both = (cast(Number, p[0]), cast(Number, q[0]))
        return Static(builtins.max(both) if larger else builtins.min(both))
    pair = arithmetic.meet(c, x, y, a.node)
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


def _abs(c: Context, a: Arguments) -> Value:
    return arithmetic.unary(c, "abs", a["x"], a.node)


def _where(c: Context, a: Arguments) -> Value:
    test = a["condition"]
    known = static_of(test)
    if known is not None and is_number(known[0]):
        chosen, other = (a["x"], a["y"]) if known[0] else (a["y"], a["x"])
        pair = arithmetic.meet(c, chosen, other, a.node)
        return POISON if pair is None else pair[0]
    tile = as_tile(c, test, a.place("condition"))
    if isinstance(tile, Poison):
        return POISON
    return select(c, convert(c, tile, dtypes.bool_), a["x"], a["y"], a.node)


def _isnan(c: Context, a: Arguments) -> Value:
    tile = _float(c, a, "x")
    return POISON if tile is None else arithmetic.comparison(c, "!=", tile, tile)


def _magnitude(c: Context, a: Arguments, symbol: str) -> Value:
    """`isinf` and `isfinite`: how the absolute value compares with infinity."""
    tile = _float(c, a, "x")
    if tile is None:
        return POISON
    size = c.tile(tile.dtype, tile.shape, fl.AbsFOp, tile)
    return arithmetic.comparison(c, symbol, size, c.constant(float("inf"), tile.dtype, tile.shape))


def _sign(c: Context, a: Arguments) -> Value:
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


def _clip(c: Context, a: Arguments) -> Value:
    lower = extreme(c, a["x"], a["low"], True, a, True)
    return POISON if isinstance(lower, Poison) else extreme(c, lower, a["high"], False, a, True)


def _round(c: Context, a: Arguments) -> Value:
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


# --- Shapes ----------------------------------------------------------------------------------------------------------


def _tile(c: Context, a: Arguments) -> TileValue | None:
    tile = as_tile(c, a["x"], a.place("x"))
    return None if isinstance(tile, Poison) else tile


def _reshape(c: Context, a: Arguments) -> Value:
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


def _permute(c: Context, a: Arguments, reverse: bool) -> Value:
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


def _expand_dims(c: Context, a: Arguments) -> Value:
    tile = _tile(c, a)
    if tile is None:
        return POISON
    axis = axis_of(c, a["axis"], a.place("axis"), len(tile.shape) + 1, "the result")
    return POISON if axis is None else reshape(c, tile, (*tile.shape[:axis], 1, *tile.shape[axis:]))


def _flatten(c: Context, a: Arguments) -> Value:
    tile = _tile(c, a)
    return POISON if tile is None else reshape(c, tile, (prod(tile.shape),))


def _squeeze(c: Context, a: Arguments) -> Value:
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


def _item(c: Context, a: Arguments) -> Value:
    tile = _tile(c, a)
    if tile is None:
        return POISON
    if prod(tile.shape) != 1:
        problem = f"takes the one element of a tile, and {show_shape(tile.shape)} has {prod(tile.shape)}"
        return misuse(c, a, "", problem, f"say which one: `[{', '.join(['0'] * len(tile.shape))}]`")
    return reshape(c, tile, ())


def _broadcast_to(c: Context, a: Arguments) -> Value:
    tile, shape = _tile(c, a), shape_of(c, a["shape"], a.place("shape"))
    if tile is None or shape is None:
        return POISON
    if common_shape(tile.shape, shape) != shape:
        return misuse(c, a, "shape", f"cannot repeat {show_shape(tile.shape)} to {show_shape(shape)}")
    return broadcast(c, tile, shape)


def _concatenate(c: Context, a: Arguments) -> Value:
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


def _bitcast(c: Context, a: Arguments) -> Value:
    tile, dtype = _tile(c, a), dtype_of(c, a["dtype"], a.place("dtype"))
    if tile is None or dtype is None:
        return POISON
    if dtype.bits != tile.dtype.bits or ("bool" in (dtype.kind, tile.dtype.kind) and dtype is not tile.dtype):
        problem = f"cannot read the {tile.dtype.bits} bits of `{tile.dtype}` as `{dtype}`, which has {dtype.bits}"
        edit = f"convert the values: `.astype({dtype})`"
        if dtype.bits == 4 and tile.dtype.bits == 8:
            edit = f"take both halves of each byte: `fh.unpack({c.text(a.place('x'))}, {dtype})`"
        return misuse(c, a, "dtype", problem, edit)
    if ELEMENTS[dtype] == ELEMENTS[tile.dtype]:
        return TileValue(tile.var, dtype, tile.shape)
    if dtype.bits == 4:  # which Tile IR reads as bytes only
        if not tile.shape or not check_pairs(c, dtype, tile.shape, a.node):
            return POISON if tile.shape else misuse(c, a, "x", "reads pairs of 4 bits, not a scalar")
        count = prod(tile.shape)
        return packing.unpacked(c, packing.packed(c, tile, (count // 2,)), dtype, tile.shape)
    return c.tile(dtype, tile.shape, BitcastOp, tile, ELEMENTS[dtype])


def _unsafe(c: Context, a: Arguments) -> Value:
    error = errors.NotAnUnsafeBlock(c.span(a.node), what="`unsafe` begins a block", why="it is a value of no use")
    return c.error(error.add(error.Instead(f"write `with {c.text(a.node)}:`, and the accesses in it")))


# --- Tables ----------------------------------------------------------------------------------------------------------

INTRINSICS: Final[dict[str, Handler]] = {
    "tiles": _tiles,
    "static_range": partial(range_, static=True),
    "static_assert": _static_assert,
    "require": requirements.require,
    "unsafe": _unsafe,
    "cdiv": _cdiv,
    "print": texts.print_,
    "assert_": texts.assert_,
    "zeros": partial(creation.filled, number=0),
    "ones": partial(creation.filled, number=1),
    "full": creation.full,
    "arange": creation.arange,
    "exp": partial(_unary, op=fl.ExpOp),
    "exp2": partial(_unary, op=fl.Exp2Op),
    "log": partial(_unary, op=fl.LogOp),
    "log2": partial(_unary, op=fl.Log2Op),
    "sqrt": partial(_unary, op=fl.SqrtOp),
    "rsqrt": partial(_unary, op=fl.RsqrtOp),
    "sin": partial(_unary, op=fl.SinOp),
    "cos": partial(_unary, op=fl.CosOp),
    "tan": partial(_unary, op=fl.TanOp),
    "sinh": partial(_unary, op=fl.SinhOp),
    "cosh": partial(_unary, op=fl.CoshOp),
    "tanh": partial(_unary, op=fl.TanhOp),
    "floor": partial(_unary, op=fl.FloorOp),
    "ceil": partial(_unary, op=fl.CeilOp),
    "atan2": _atan2,
    "abs": _abs,
    **rounded.ROUNDED,
    "maximum": partial(_extremum, larger=True),
    "minimum": partial(_extremum, larger=False),
    "where": _where,
    "fma": _fma,
    "isnan": _isnan,
    "isinf": partial(_magnitude, symbol="=="),
    "isfinite": partial(_magnitude, symbol="<"),
    "sign": _sign,
    "clip": _clip,
    "round": _round,
    "reshape": _reshape,
    "permute": partial(_permute, reverse=False),
    "transpose": partial(_permute, reverse=True),
    "expand_dims": _expand_dims,
    "broadcast_to": _broadcast_to,
    "concatenate": _concatenate,
    "bitcast": _bitcast,
    "sum": lambda c, a: reductions.reduction(c, "sum", a),
    "prod": lambda c, a: reductions.reduction(c, "prod", a),
    "max": lambda c, a: reductions.reduction(c, "max", a),
    "min": lambda c, a: reductions.reduction(c, "min", a),
    "any": lambda c, a: reductions.reduction(c, "any", a),
    "all": lambda c, a: reductions.reduction(c, "all", a),
    "argmax": partial(orders.extreme_position, larger=True),
    "argmin": partial(orders.extreme_position, larger=False),
    "sort": partial(orders.sorted_, positional=False),
    "argsort": partial(orders.sorted_, positional=True),
    "top_k": orders.top_k,
    "random_bits": random_numbers.bits,
    "random_uniform": random_numbers.uniform,
    "reduce": lambda c, a: folds.folded(c, a, scan=False),
    "scan": lambda c, a: folds.folded(c, a, scan=True),
    "cumsum": lambda c, a: reductions.running(c, "sum", a),
    "cumprod": lambda c, a: reductions.running(c, "prod", a),
    "mma": mma,
    "mma_scaled": mma_scaled,
    "pack": packing.pack,
    "extract": pieces.extract,
    "insert": pieces.insert,
    "unpack": packing.unpack,
}
"""By name in `freehold.frontend.language`."""

_CONVERSION: Final = (("rounding", None), ("saturate", False))

AS_FUNCTIONS: Final = (
    "sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "cumsum", "cumprod", "clip", "round", "extract",
    "insert",
)  # fmt: skip
"""Functions of the language that are methods of tiles, too."""


def _as_method(name: str) -> tuple[Signature, Handler]:
    function = Signature.of(getattr(language, name).__wrapped__, name)
    return replace(function, positional=function.positional[1:]), INTRINSICS[name]


TILE_METHODS: Final[dict[str, tuple[Signature, Handler]]] = {
    "astype": (Signature("astype", ("dtype",), ("rounding", "saturate"), _CONVERSION), rounded.astype),
    "reshape": (Signature("reshape", (), (), (), "shape"), _reshape),
    "permute": (Signature("permute", (), (), (), "axes"), partial(_permute, reverse=False)),
    "transpose": (Signature("transpose", (), (), (), "axes"), partial(_permute, reverse=True)),
    "flatten": (Signature("flatten", ()), _flatten),
    "item": (Signature("item", ()), _item),
    "squeeze": (Signature("squeeze", ("axis",), (), (("axis", None),)), _squeeze),
    **{name: _as_method(name) for name in AS_FUNCTIONS},
}
"""The methods of tiles; the tile is argument `x`."""
