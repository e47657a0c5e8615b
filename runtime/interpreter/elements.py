"""Elements as NumPy knows them: the array dtype of every element type, and conversions between them.

A tile is an array (of rank 0: an array or a NumPy scalar) of its element's dtype. Integers are kept signed and read as
unsigned where an operation says so; `i1` is a NumPy bool; `i4` is an `int8` that holds -8 to 7; `tf32` is a `float32`
whose low 13 bits are zero; `fnv8E5M3FNU`, which no library has, is kept as its bits; a pointer is an `int64` address.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

import ml_dtypes
import numpy as np

from freehold.dialects.cuda_tile.types import element_name
from freehold.support import dtypes
from freehold.support.dtypes import LARGEST

if TYPE_CHECKING:
    from xdsl.ir import Attribute

Array = np.ndarray[Any, Any]
Tile = Any
"""An array, or for rank 0 a NumPy scalar; typed loosely because NumPy's own types cannot say either."""


@dataclass(frozen=True, slots=True)
class Format:
    """A binary floating-point format.

    Finite values are `m * 2**(e - precision + 1)` with `precision` bits in `m`; `min_exponent` is the exponent of the
    smallest normal value. `has_inf`: overflow rounds to infinity; otherwise it saturates at `largest`, as the GPU's
    conversions to these formats do.
    """

    precision: int
    min_exponent: int
    largest: float
    has_inf: bool = True
    signed: bool = True


@dataclass(frozen=True, slots=True)
class Element:
    """An element type: its name in text, its dtype in tiles, its width in bits, its float format if it is one."""

    name: str
    dtype: np.dtype[Any]
    bits: int
    format: Format | None = None

    @property
    def is_float(self) -> bool:
        """Whether it is a float."""
        return self.format is not None

    @property
    def is_pointer(self) -> bool:
        """Whether it is an address."""
        return self.name == "ptr"

    @property
    def memory_bytes(self) -> int:
        """Bytes from one element to the next in memory. (`f4E2M1FN` has two a byte and never asks.)"""
        return self.dtype.itemsize


F16: Final = Format(11, -14, LARGEST[dtypes.f16])
BF16: Final = Format(8, -126, LARGEST[dtypes.bf16])
F32: Final = Format(24, -126, LARGEST[dtypes.f32])
TF32: Final = Format(11, -126, LARGEST[dtypes.tf32])
F64: Final = Format(53, -1022, LARGEST[dtypes.f64])
E4M3FN: Final = Format(4, -6, LARGEST[dtypes.f8e4m3fn], has_inf=False)
E5M2: Final = Format(3, -14, LARGEST[dtypes.f8e5m2], has_inf=False)
E8M0FNU: Final = Format(1, -127, LARGEST[dtypes.f8e8m0fnu], has_inf=False, signed=False)
E2M1FN: Final = Format(2, 0, LARGEST[dtypes.f4e2m1fn], has_inf=False)
E5M3FNU: Final = Format(4, -14, LARGEST[dtypes.f8e5m3fnu], has_inf=False, signed=False)

_ELEMENTS: Final = {
    e.name: e
    for e in (
        Element("i1", np.dtype(np.bool_), 1),
        Element("i8", np.dtype(np.int8), 8),
        Element("i4", np.dtype(np.int8), 4),
        Element("i16", np.dtype(np.int16), 16),
        Element("i32", np.dtype(np.int32), 32),
        Element("i64", np.dtype(np.int64), 64),
        Element("f16", np.dtype(np.float16), 16, F16),
        Element("bf16", np.dtype(ml_dtypes.bfloat16), 16, BF16),
        Element("f32", np.dtype(np.float32), 32, F32),
        Element("tf32", np.dtype(np.float32), 19, TF32),
        Element("f64", np.dtype(np.float64), 64, F64),
        Element("f8E4M3FN", np.dtype(ml_dtypes.float8_e4m3fn), 8, E4M3FN),
        Element("f8E5M2", np.dtype(ml_dtypes.float8_e5m2), 8, E5M2),
        Element("f8E8M0FNU", np.dtype(ml_dtypes.float8_e8m0fnu), 8, E8M0FNU),
        Element("f4E2M1FN", np.dtype(ml_dtypes.float4_e2m1fn), 4, E2M1FN),
        Element("fnv8E5M3FNU", np.dtype(np.uint8), 8, E5M3FNU),
        Element("ptr", np.dtype(np.int64), 64),
    )
}

UNSIGNED: Final[dict[Any, Any]] = {
    np.dtype(np.int8): np.dtype(np.uint8),
    np.dtype(np.int16): np.dtype(np.uint16),
    np.dtype(np.int32): np.dtype(np.uint32),
    np.dtype(np.int64): np.dtype(np.uint64),
    np.dtype(np.bool_): np.dtype(np.bool_),
}
"""The unsigned dtype of each integer dtype."""


ELEMENTS: Final = tuple(_ELEMENTS.values())
"""All element types; of two with one dtype, the one that memory holds stands first."""


@cache
def element_of(type_: Attribute) -> Element:
    """The element of an element type."""
    return _ELEMENTS[element_name(type_)]


def by_name(name: str) -> Element:
    """The element that text calls `name`: `f32`, `i1`, `f8E4M3FN`."""
    return _ELEMENTS[name]


def is_builtin(dtype: np.dtype[Any]) -> bool:
    """Whether NumPy itself computes in it: 16-bit and narrower floats are computed as `float32`."""
    return dtype.kind in "biu" or dtype in (np.dtype(np.float32), np.dtype(np.float64))


def is_scalar(tile: Tile) -> bool:
    """Whether a tile is a NumPy scalar."""
    return isinstance(tile, np.generic)


def unsigned(tile: Tile) -> Tile:
    """An integer tile, its bits read as unsigned. No copy."""
    return tile.view(UNSIGNED[tile.dtype])


def as_unsigned_numbers(tile: Tile, e: Element) -> Array:
    """The numbers that an integer tile's bits are when read as unsigned, in an unsigned dtype (`i1`: a bool)."""
    if e.name == "i4":
        return np.asarray(tile & 15).astype(np.uint8)
    return unsigned(np.asarray(tile))


def as_numbers(tile: Tile, e: Element, signed: bool) -> Array:
    """The numbers that an integer tile's bits are when read as signed or unsigned."""
    if not signed:
        return as_unsigned_numbers(tile, e)
    if e.name == "i1":
        return -np.asarray(tile).astype(np.int8)
    return np.asarray(tile)


def choose(condition: Tile, yes: Tile, no: Tile) -> Tile:
    """Elements of one tile where the condition holds, of the other elsewhere."""
    return cast(Any, np.where(condition, yes, no))


_E5M3_VALUES: Final = np.array(
    [
        np.nan if code == 255 else (code & 7) * 2.0**-17 if code < 8 else (8 + (code & 7)) * 2.0 ** ((code >> 3) - 18)
        for code in range(256)
    ]
)
"""The value of each code of `fnv8E5M3FNU`."""


def to_f64(tile: Tile, element: Element) -> Array:
    """The exact values of a float tile."""
    if element.name == "fnv8E5M3FNU":
        return _E5M3_VALUES[tile]
    return np.asarray(tile).astype(np.float64)


def to_f32(tile: Tile, element: Element) -> Array:
    """The values of a float tile that has at most 24 bits of precision, exactly."""
    if element.name == "fnv8E5M3FNU":
        return _E5M3_VALUES[tile].astype(np.float32)
    return np.asarray(tile).astype(np.float32, copy=False)


def from_exact(values: Array, element: Element) -> Tile:
    """A tile of float values (of any dtype) that the element can represent."""
    if element.name == "fnv8E5M3FNU":
        flat = np.asarray(values, np.float64)
        codes = np.searchsorted(_E5M3_VALUES[:255], flat).astype(np.uint8)
        return np.where(np.isnan(flat), np.uint8(255), codes)
    return np.asarray(values).astype(element.dtype)
