"""Dtypes as the compiler's element types, and the dtype in which two values meet."""

from __future__ import annotations

from typing import Final

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntegerType,
)
from xdsl.ir import Attribute

from freehold.dialects.cuda_tile.attrs import SIGNED, UNSIGNED, SignednessAttr
from freehold.dialects.cuda_tile.types import TileType, fnv8E5M3FNU, tile
from freehold.support import dtypes
from freehold.support.dtypes import DType

ELEMENTS: Final[dict[DType, Attribute]] = {
    dtypes.bool_: IntegerType(1),
    dtypes.i4: IntegerType(4),
    dtypes.u4: IntegerType(4),
    dtypes.i8: IntegerType(8),
    dtypes.u8: IntegerType(8),
    dtypes.i16: IntegerType(16),
    dtypes.u16: IntegerType(16),
    dtypes.i32: IntegerType(32),
    dtypes.u32: IntegerType(32),
    dtypes.i64: IntegerType(64),
    dtypes.u64: IntegerType(64),
    dtypes.f16: Float16Type(),
    dtypes.bf16: BFloat16Type(),
    dtypes.f32: Float32Type(),
    dtypes.f64: Float64Type(),
    dtypes.tf32: FloatTF32Type(),
    dtypes.f8e4m3fn: Float8E4M3FNType(),
    dtypes.f8e5m2: Float8E5M2Type(),
    dtypes.f8e8m0fnu: Float8E8M0FNUType(),
    dtypes.f8e5m3fnu: fnv8E5M3FNU,
    dtypes.f4e2m1fn: Float4E2M1FNType(),
}
"""Element types. Integers have no sign of their own there: operations say how they read them."""

ARITHMETIC: Final = frozenset((dtypes.f16, dtypes.bf16, dtypes.f32, dtypes.f64))
"""The floats that can be computed with. Others are converted first."""

NARROW_INTS: Final = {dtypes.i4: dtypes.i8, dtypes.u4: dtypes.u8}
"""The integers that cannot be computed with, and what they are converted to first."""


def computes(dtype: DType) -> bool:
    """Whether there is arithmetic on a dtype."""
    return dtype in ARITHMETIC if dtype.is_float else dtype not in NARROW_INTS


def computable(dtype: DType) -> DType:
    """The dtype to convert to, where there is no arithmetic on one."""
    return NARROW_INTS.get(dtype, dtypes.f32)


def purpose(dtype: DType) -> str:
    """What a dtype without arithmetic is for, to be said in errors."""
    return f"`{dtype}` is for {_PURPOSES.get(dtype, '`mma` and for memory')} only"


_PURPOSES: Final = {
    dtypes.f8e8m0fnu: "scales of `mma_scaled` and for memory",
    dtypes.f8e5m3fnu: "scales of `mma_scaled`",
    dtypes.f4e2m1fn: "`mma_scaled` and for packed bytes",
    **dict.fromkeys(NARROW_INTS, "packed bytes"),
}


def tile_type(shape: tuple[int, ...], dtype: DType) -> TileType:
    """The compiler's type of a tile."""
    return tile(shape, ELEMENTS[dtype])


def signedness(dtype: DType) -> SignednessAttr:
    """How operations read integers of `dtype`."""
    return SIGNED if dtype.signed else UNSIGNED


def pads(dtype: DType, padding: str) -> bool:
    """Whether a float dtype has a value that loads pad with, as the compiler names it."""
    if dtype is dtypes.f8e8m0fnu:
        return padding == "nan"
    return not (dtype is dtypes.f8e4m3fn and padding in ("pos_inf", "neg_inf"))


class NoCommonDType(Exception):
    """Two dtypes have no common one: why, and the dtype to convert to by hand."""

    def __init__(self, why: str, target: DType):
        super().__init__(why)
        self.why = why
        self.target = target


def promote(a: DType, b: DType) -> DType:
    """
    The dtype in which two tiles meet. Raises `NoCommonDType`.

    The wider of one kind; the float of a float and an integer; a bool becomes the other.
    """
    if a is b:
        return a
    if a.kind == "bool":
        return b
    if b.kind == "bool":
        return a
    if a.is_float and b.is_float:
        for x in (a, b):
            if x not in ARITHMETIC:
                raise NoCommonDType(f"`{x}` is never converted without being asked", dtypes.f32)
        if a.bits == b.bits:
            raise NoCommonDType("neither holds all values of the other", dtypes.f32)
        return a if a.bits > b.bits else b
    if a.is_float or b.is_float:
        return a if a.is_float else b
    wide, narrow = (a, b) if a.bits >= b.bits else (b, a)
    if a.signed == b.signed or (wide.signed and wide.bits > narrow.bits):
        return wide
    signed = next((d for d in (dtypes.i16, dtypes.i32, dtypes.i64) if d.bits > wide.bits), dtypes.i64)
    raise NoCommonDType("one is signed and the other is not", signed)


def promote_number(dtype: DType, value: bool | float) -> DType:
    """The dtype in which a tile meets a Python number: the tile's, unless the number is of a higher kind."""
    if isinstance(value, bool):
        return dtype
    if isinstance(value, int):
        return dtypes.i32 if dtype.kind == "bool" else dtype
    return dtype if dtype.is_float else dtypes.f32


def can_store(source: DType, target: DType) -> bool:
    """Whether a store converts `source` to `target` unasked: to the same or a higher kind, as NumPy's assignment."""
    order = ("bool", "int", "float")
    return order.index(source.kind) <= order.index(target.kind)
