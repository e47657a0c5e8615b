"""Tiles as bytes, and back: elements of less than a byte come from memory this way, and go there."""

from __future__ import annotations

from math import prod

from freehold.dialects.cuda_tile.ops.conversion import BitcastOp
from freehold.dialects.cuda_tile.ops.shape import PackOp, UnpackOp
from freehold.frontend import errors
from freehold.frontend.arguments import Arguments, check_pairs, check_shape, dtype_of
from freehold.frontend.arithmetic import as_tile
from freehold.frontend.context import Context
from freehold.frontend.operands import reshape
from freehold.frontend.types import ELEMENTS, tile_type
from freehold.frontend.values import POISON, Poison, TileValue, Value, describe
from freehold.support import dtypes
from freehold.support.dtypes import DType


def pack(c: Context, a: Arguments) -> Value:
    """`pack(x)`: the bytes of each row."""
    tile = as_tile(c, a["x"], a.place("x"))
    if isinstance(tile, Poison):
        return POISON
    bits = _bits(tile.dtype)
    if not tile.shape or tile.shape[-1] * bits % 8:
        problem = f"makes whole bytes of each row, and {describe(tile)} has none"
        return _wrong(c, a, problem, f"give it rows of a multiple of {max(1, 8 // bits)} elements")
    shape = (*tile.shape[:-1], tile.shape[-1] * bits // 8)
    return packed(c, tile, shape) if check_shape(c, shape, a.node) else POISON


def unpack(c: Context, a: Arguments) -> Value:
    """`unpack(x, dtype)`: the elements that bytes hold."""
    tile, dtype = as_tile(c, a["x"], a.place("x")), dtype_of(c, a["dtype"], a.place("dtype"))
    if isinstance(tile, Poison) or dtype is None:
        return POISON
    if tile.dtype not in (dtypes.u8, dtypes.i8):
        problem = f"reads bytes, and is given {describe(tile)}"
        return _wrong(c, a, problem, f"take its bytes: `fh.pack({a.text(c, 'x')})`")
    bits = _bits(dtype)
    if not tile.shape or tile.shape[-1] * 8 % bits:
        problem = f"makes whole elements of each row, and {describe(tile)} has none of `{dtype}`"
        return _wrong(c, a, problem, f"give it rows of a multiple of {max(1, bits // 8)} bytes")
    shape = (*tile.shape[:-1], tile.shape[-1] * 8 // bits)
    fits = check_shape(c, shape, a.node) and check_pairs(c, dtype, shape, a.node)
    return unpacked(c, tile, dtype, shape) if fits else POISON


def packed(c: Context, tile: TileValue, shape: tuple[int, ...]) -> TileValue:
    """The bytes of a tile, in order, as `u8` of a shape. Tile IR packs vectors that are not bytes already."""
    flat = reshape(c, tile, (prod(tile.shape),))
    if tile.dtype.bits == 8:
        same = ELEMENTS[tile.dtype] == ELEMENTS[dtypes.u8]
        data = TileValue(flat.var, dtypes.u8, flat.shape)
        if not same:
            data = c.tile(dtypes.u8, flat.shape, BitcastOp, flat, ELEMENTS[dtypes.u8])
    else:
        line = (prod(shape),)
        data = c.tile(dtypes.u8, line, PackOp, flat, tile_type(line, dtypes.u8))
    return reshape(c, data, shape)


def unpacked(c: Context, tile: TileValue, dtype: DType, shape: tuple[int, ...]) -> TileValue:
    """The elements that a tile of bytes holds, in order, in a shape."""
    flat = reshape(c, tile, (prod(tile.shape),))
    if dtype.bits == 8:
        same = ELEMENTS[dtype] == ELEMENTS[dtypes.u8]
        found = TileValue(flat.var, dtype, flat.shape)
        if not same:
            found = c.tile(dtype, flat.shape, BitcastOp, flat, ELEMENTS[dtype])
    else:
        line = (prod(shape),)
        found = c.tile(dtype, line, UnpackOp, flat, tile_type(line, dtype))
    return reshape(c, found, shape)


def _bits(dtype: DType) -> int:
    """How many bits an element takes where it is packed."""
    return 32 if dtype is dtypes.tf32 else dtype.bits


def _wrong(c: Context, a: Arguments, problem: str, edit: str) -> Poison:
    error = errors.WrongArguments(
        c.span(a.node), function=a.signature.name, problem=problem, signature=a.signature.text
    )
    return c.error(error.add(error.Instead(edit)))
