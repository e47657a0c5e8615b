"""Tiles as bytes, and back: elements of less than a byte come from memory this way, and go there."""

from __future__ import annotations

from math import prod

from freehold.dialects.cuda_tile.ops.conversion import BitcastOp
from freehold.dialects.cuda_tile.ops.shape import PackOp, UnpackOp
from freehold.frontend import errors
from freehold.frontend.arguments import Arguments, check_pairs, check_shape, dtype_of
from freehold.frontend.arithmetic import as_tile
from freehold.frontend.context import Context
from freehold.frontend.expressions import reshape
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
        return _wrong(c, a, problem, f"take its bytes: `fh.pack({c.text(a.place('x'))})`")
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
        data = flat.ssa if same else c.add(BitcastOp(flat.ssa, ELEMENTS[dtypes.u8])).result
    else:
        data = c.add(PackOp(flat.ssa, tile_type((prod(shape),), dtypes.u8))).result
    return reshape(c, TileValue(data, dtypes.u8, (prod(shape),)), shape)


def unpacked(c: Context, tile: TileValue, dtype: DType, shape: tuple[int, ...]) -> TileValue:
    """The elements that a tile of bytes holds, in order, in a shape."""
    flat = reshape(c, tile, (prod(tile.shape),))
    if dtype.bits == 8:
        same = ELEMENTS[dtype] == ELEMENTS[dtypes.u8]
        found = flat.ssa if same else c.add(BitcastOp(flat.ssa, ELEMENTS[dtype])).result
    else:
        found = c.add(UnpackOp(flat.ssa, tile_type((prod(shape),), dtype))).result
    return reshape(c, TileValue(found, dtype, (prod(shape),)), shape)


def _bits(dtype: DType) -> int:
    """How many bits an element takes where it is packed."""
    return 32 if dtype is dtypes.tf32 else dtype.bits


def _wrong(c: Context, a: Arguments, problem: str, edit: str) -> Poison:
    error = errors.WrongArguments(
        c.span(a.node), function=a.signature.name, problem=problem, signature=a.signature.text
    )
    return c.error(error.add(error.Instead(edit)))
