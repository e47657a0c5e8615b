"""Reductions and scans over an axis of a tile."""

from __future__ import annotations

from typing import Final, cast

from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Attribute

from freehold.dialects.cuda_tile.float_bits import FloatBitsAttr
from freehold.dialects.cuda_tile.ops.arith_float import AddFOp, MaxFOp, MinFOp, MulFOp
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, AndIOp, MaxIOp, MinIOp, MulIOp, OrIOp
from freehold.dialects.cuda_tile.ops.control_flow import YieldOp
from freehold.dialects.cuda_tile.ops.reduce import ReduceOp, ScanOp
from freehold.frontend import errors
from freehold.frontend.advice import Advice
from freehold.frontend.arguments import Arguments, axis_of, flag_of, misuse
from freehold.frontend.arithmetic import as_tile, convert, uncomputed
from freehold.frontend.context import Context
from freehold.frontend.operands import reshape
from freehold.frontend.typed import Block
from freehold.frontend.types import ELEMENTS, computes, signedness
from freehold.frontend.values import (
    POISON,
    Number,
    Poison,
    Static,
    TileValue,
    TupleValue,
    Value,
    describe,
    describe_tile,
)
from freehold.support import dtypes
from freehold.support.dtypes import DType

WIDE: Final = {dtypes.f16: dtypes.f32, dtypes.bf16: dtypes.f32}
"""What sums and products of a dtype are computed in."""


def identity(value: Number, dtype: DType) -> Attribute:
    """A neutral element."""
    element = ELEMENTS[dtype]
    if dtype.is_float:
        return FloatBitsAttr.of(float(value), element)
    return IntegerAttr(int(value), cast(IntegerType, element))  # unsigned or not, it is the bits


def neutral(name: str, dtype: DType) -> Number:
    """The neutral element of `sum`, `prod`, `max` or `min`."""
    match name:
        case "sum":
            return 0
        case "prod":
            return 1
        case "max":
            return float("-inf") if dtype.is_float else dtypes.bounds(dtype)[0]
        case _:
            return float("inf") if dtype.is_float else dtypes.bounds(dtype)[1]


_FLOATS: Final = {"sum": AddFOp, "prod": MulFOp, "max": MaxFOp, "min": MinFOp}
_INTEGERS: Final = {"sum": AddIOp, "prod": MulIOp, "max": MaxIOp, "min": MinIOp}


def _combined(c: Context, name: str, a: TileValue, b: TileValue) -> TileValue:
    """What two elements become."""
    dtype, extreme = a.dtype, name in ("max", "min")
    if dtype.kind == "bool":
        return c.tile(dtype, (), OrIOp if name == "max" else AndIOp, a, b)
    if dtype.is_float:
        return c.tile(dtype, (), _FLOATS[name], a, b, **({"propagate_nan": True} if extreme else {}))
    return c.tile(dtype, (), _INTEGERS[name], a, b, *((signedness(dtype),) if extreme else ()))


def arithmetic_tile(c: Context, a: Arguments) -> TileValue | None:
    """The tile that is folded or put in order; None after reporting that there is none."""
    if a.poisoned:
        return None
    tile = as_tile(c, a["x"], a.place("x"))
    if isinstance(tile, Poison):
        return None
    if not computes(tile.dtype):
        c.error(uncomputed(c, a.signature.name, tile.dtype, a.place("x"), a.place("x")))
        return None
    return tile


def _axes(c: Context, a: Arguments, tile: TileValue) -> tuple[int, ...] | None:
    value = a["axis"]
    what = describe(tile)
    rank = len(tile.shape)
    if isinstance(value, Static) and value.value is None:
        return tuple(range(rank))
    items = value.items if isinstance(value, TupleValue) else (value,)
    found: list[int] = []
    for item in items:
        number = isinstance(item, Static) and isinstance(item.value, float)
        if a.signature.name in ("max", "min") and len(a.node.args) == 2 and (number or isinstance(item, TileValue)):
            error = errors.WrongArguments(
                c.span(a.place("axis")),
                function=a.signature.name,
                problem=f"reduces one tile, and is given {describe(item)} for an axis",
                signature=a.signature.text,
            )
            both = ", ".join(c.text(node) for node in a.node.args)
            c.error(error.add(error.Instead(f"compare two: `fh.{a.signature.name}imum({both})`")))
            return None
        axis = axis_of(c, item, a.place("axis"), rank, what)
        if axis is None:
            return None
        if axis in found:
            again = f"names axis {axis} twice"
            once = [i for i in range(rank) if i in found or i == axis]
            edit = f"name each axis once: `{once[0] if len(once) == 1 else tuple(once)}`"
            misuse(c, a, "axis", again, Advice(edit, a.place("axis")))
            return None
        found.append(axis)
    return tuple(sorted(found))


def reduction(c: Context, a: Arguments, name: str) -> Value:
    """`sum`, `prod`, `max`, `min`, and `any` and `all` of what is not 0, over some axes."""
    tile = arithmetic_tile(c, a)
    keep = flag_of(c, a["keepdims"], a.place("keepdims"), "`keepdims`")
    axes = None if tile is None else _axes(c, a, tile)
    if tile is None or axes is None or keep is None:
        return POISON
    if name in ("any", "all"):
        tile, name = convert(c, tile, dtypes.bool_), "max" if name == "any" else "min"
    given = tile.dtype
    if name in ("sum", "prod"):
        tile = convert(c, tile, WIDE.get(given, dtypes.i32 if given.kind == "bool" else given))
    shape = tile.shape
    start = identity(neutral(name, tile.dtype), tile.dtype)
    for axis in reversed(axes):
        tile = _reduce(c, tile, axis, start, name)
    if given in WIDE:
        tile = convert(c, tile, given)
    if keep:
        tile = reshape(c, tile, tuple(1 if i in axes else e for i, e in enumerate(shape)))
    return tile


def every(c: Context, tile: TileValue) -> TileValue:
    """Whether all elements of a tile of truth values are true."""
    start = identity(neutral("min", dtypes.bool_), dtypes.bool_)
    for axis in reversed(range(len(tile.shape))):
        tile = _reduce(c, tile, axis, start, "min")
    return tile


def _reduce(c: Context, tile: TileValue, axis: int, start: Attribute, name: str) -> TileValue:
    body = _body(c, tile.dtype, name)
    shape = tile.shape[:axis] + tile.shape[axis + 1 :]
    return c.tile(tile.dtype, shape, ReduceOp, [tile], axis, [start], body)


def _body(c: Context, dtype: DType, name: str) -> Block:
    block = Block()
    with c.into(block):
        c.add(YieldOp, [_combined(c, name, *(c.argument(block, dtype, ()) for _ in range(2)))])
    return block


def running_axis(c: Context, a: Arguments, dtype: DType, shape: tuple[int, ...]) -> int | None:
    """The axis of a scan, which tiles of several have to be told: NumPy would flatten. None after reporting."""
    given = a["axis"]
    if isinstance(given, Static) and given.value is None:
        if len(shape) == 1:
            return 0
        if shape:
            problem = f"runs along one axis, and the tile has {len(shape)}"
            misuse(c, a, "", problem, f"say which: `axis={len(shape) - 1}`, or `.flatten()` the tile first")
            return None
        given = Static(0)
    return axis_of(c, given, a.place("axis"), len(shape), describe_tile(dtype, shape))


def running(c: Context, a: Arguments, name: str) -> Value:
    """`cumsum`, `cumprod`."""
    tile = arithmetic_tile(c, a)
    reverse = flag_of(c, a["reverse"], a.place("reverse"), "`reverse`")
    if tile is None or reverse is None:
        return POISON
    axis = running_axis(c, a, tile.dtype, tile.shape)
    if axis is None:
        return POISON
    given = tile.dtype
    tile = convert(c, tile, WIDE.get(given, dtypes.i32 if given.kind == "bool" else given))
    start = identity(neutral(name, tile.dtype), tile.dtype)
    body = _body(c, tile.dtype, name)
    tile = c.tile(tile.dtype, tile.shape, ScanOp, [tile], axis, [start], reverse, body)
    return convert(c, tile, given) if given in WIDE else tile
