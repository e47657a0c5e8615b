"""Tiles and scalars, their operators and methods, and the dtypes, as type checkers see them."""

from __future__ import annotations

from types import EllipsisType
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, overload

from freehold.frontend.intrinsics import Rounding, outside
from freehold.support.dtypes import DType


class Reduction(Protocol):
    """A method that folds a tile over one, several or all of its axes: of all, a scalar is left."""

    @overload
    def __call__(self, axis: None = None, *, keepdims: Literal[False] = False) -> Scalar: ...
    @overload
    def __call__(self, axis: Axis = None, *, keepdims: bool = False) -> Tile: ...


class Position(Protocol):
    """A method that finds an element along one axis, or among all."""

    @overload
    def __call__(self, axis: None = None, *, keepdims: Literal[False] = False) -> Scalar: ...
    @overload
    def __call__(self, axis: int | None = None, *, keepdims: bool = False) -> Tile: ...


class Tile:
    """An immutable array of elements that one tile block works on. Extents are powers of two, known at compile time."""

    dtype: DType
    shape: tuple[int, ...]
    ndim: int
    size: int
    """The number of elements."""

    def __init__(self, *_: object):
        outside(type(self).__name__)

    if TYPE_CHECKING:

        def __add__(self, other: Operand) -> Tile: ...
        def __radd__(self, other: Operand) -> Tile: ...
        def __sub__(self, other: Operand) -> Tile: ...
        def __rsub__(self, other: Operand) -> Tile: ...
        def __mul__(self, other: Operand) -> Tile: ...
        def __rmul__(self, other: Operand) -> Tile: ...
        def __truediv__(self, other: Operand) -> Tile: ...
        def __rtruediv__(self, other: Operand) -> Tile: ...
        def __floordiv__(self, other: Operand) -> Tile: ...
        def __rfloordiv__(self, other: Operand) -> Tile: ...
        def __mod__(self, other: Operand) -> Tile: ...
        def __rmod__(self, other: Operand) -> Tile: ...
        def __pow__(self, other: Operand) -> Tile: ...
        def __rpow__(self, other: Operand) -> Tile: ...
        def __and__(self, other: Operand) -> Tile: ...
        def __rand__(self, other: Operand) -> Tile: ...
        def __or__(self, other: Operand) -> Tile: ...
        def __ror__(self, other: Operand) -> Tile: ...
        def __xor__(self, other: Operand) -> Tile: ...
        def __rxor__(self, other: Operand) -> Tile: ...
        def __lshift__(self, other: Operand) -> Tile: ...
        def __rshift__(self, other: Operand) -> Tile: ...
        def __matmul__(self, other: Tile) -> Tile: ...
        def __neg__(self) -> Tile: ...
        def __invert__(self) -> Tile: ...
        def __abs__(self) -> Tile: ...
        def __lt__(self, other: Operand) -> Tile: ...
        def __le__(self, other: Operand) -> Tile: ...
        def __gt__(self, other: Operand) -> Tile: ...
        def __ge__(self, other: Operand) -> Tile: ...
        def __eq__(self, other: Operand) -> Tile: ...  # type: ignore[override] # pyright: ignore[reportIncompatibleMethodOverride] -- elementwise, as NumPy's
        def __ne__(self, other: Operand) -> Tile: ...  # type: ignore[override] # pyright: ignore[reportIncompatibleMethodOverride] -- elementwise, as NumPy's
        def __getitem__(self, index: Cut | tuple[Cut, ...]) -> Tile: ...

        @property
        def T(self) -> Tile:
            """The tile with its axes reversed."""
            ...

        def astype(self, dtype: AnyDType, *, rounding: Rounding | None = None, saturate: bool = False) -> Tile:
            """
            The tile with its elements converted; floats to floats rounded as asked.

            Floats become integers by dropping the fraction; what is out of range is clamped, and NaN 0, where
            `saturate`, and any number otherwise.
            """
            ...

        def item(self) -> Scalar:
            """The one element of a tile, as a scalar."""
            ...

        @overload
        def reshape(self, shape: tuple[()], /) -> Scalar: ...
        @overload
        def reshape(self, *shape: int | tuple[int, ...]) -> Tile: ...
        def reshape(self, *shape: int | tuple[int, ...]) -> Tile:
            """The same elements in row-major order under another shape; one extent may be -1."""
            ...

        def permute(self, *axes: int | tuple[int, ...]) -> Tile:
            """The tile with axis `axes[i]` at place `i`."""
            ...

        def transpose(self, *axes: int | tuple[int, ...]) -> Tile:
            """The tile with its axes reversed, or permuted as given."""
            ...

        sum: Reduction
        """The sum over `axis`, or over all. As `freehold.sum`."""
        prod: Reduction
        """The product over `axis`, or over all. As `freehold.prod`."""
        max: Reduction
        """The largest element over `axis`, or over all; NaN if there is one. As `freehold.max`."""
        min: Reduction
        """The smallest element over `axis`, or over all; NaN if there is one. As `freehold.min`."""
        any: Reduction
        """Whether an element over `axis`, or over all, is not 0. As `freehold.any`."""
        all: Reduction
        """Whether no element over `axis`, or over all, is 0. As `freehold.all`."""
        argmax: Position
        """Where the largest element along `axis`, or of all, is first found, as `i32`. As `freehold.argmax`."""
        argmin: Position
        """Where the smallest element along `axis`, or of all, is first found, as `i32`. As `freehold.argmin`."""

        def cumsum(self, axis: int = 0, *, reverse: bool = False) -> Tile:
            """Running sums along `axis`. As `freehold.cumsum`."""
            ...

        def cumprod(self, axis: int = 0, *, reverse: bool = False) -> Tile:
            """Running products along `axis`. As `freehold.cumprod`."""
            ...

        def clip(self, low: Operand, high: Operand) -> Tile:
            """The elements, none below `low` and none above `high`. As `freehold.clip`."""
            ...

        def round(self) -> Tile:
            """Rounded to the nearest whole number, as a float; halves go to the even one. As `freehold.round`."""
            ...

        def extract(self, index: Index | tuple[Index, ...], shape: Shape) -> Tile:
            """The part of `shape` at `index`, counted in parts. As `freehold.extract`."""
            ...

        def insert(self, index: Index | tuple[Index, ...], part: Operand) -> Tile:
            """The tile with `part` at `index`, counted in parts. As `freehold.insert`."""
            ...

        def flatten(self) -> Tile:
            """The same elements in row-major order, along one axis."""
            ...

        def squeeze(self, axis: int | None = None) -> Tile:
            """Without `axis`, which has extent 1; without all axes of extent 1."""
            ...

        def __hash__(self) -> int: ...


class Scalar(Tile):
    """A tile of rank 0."""

    if TYPE_CHECKING:

        def __init__(self, value: Operand = 0): ...
        def __index__(self) -> int: ...
        def __add__(self, other: Operand) -> Any: ...
        def __radd__(self, other: Operand) -> Any: ...
        def __sub__(self, other: Operand) -> Any: ...
        def __rsub__(self, other: Operand) -> Any: ...
        def __mul__(self, other: Operand) -> Any: ...
        def __rmul__(self, other: Operand) -> Any: ...
        def __floordiv__(self, other: Operand) -> Any: ...
        def __mod__(self, other: Operand) -> Any: ...
        def __neg__(self) -> Scalar: ...
        def __invert__(self) -> Scalar: ...
        def __abs__(self) -> Scalar: ...
        def astype(self, dtype: AnyDType, *, rounding: Rounding | None = None, saturate: bool = False) -> Scalar: ...
        def round(self) -> Scalar: ...
        def __bool__(self) -> bool: ...


Cut: TypeAlias = "Scalar | int | slice | EllipsisType | None"
"""A part of a tile's subscript; the bounds of slices are known at compile time."""
Operand: TypeAlias = "Tile | float | bool"
Number: TypeAlias = "Scalar | float | bool"
Index: TypeAlias = "Scalar | int"
Axis: TypeAlias = "int | tuple[int, ...] | None"
AnyDType: TypeAlias = "DType | type[Scalar]"
Shape: TypeAlias = "int | tuple[int, ...]"

if TYPE_CHECKING:

    class bool_(Scalar):
        """A truth value."""

    class i8(Scalar):
        """An 8-bit signed integer."""

    class i16(Scalar):
        """A 16-bit signed integer."""

    class i32(Scalar):
        """A 32-bit signed integer."""

    class i64(Scalar):
        """A 64-bit signed integer."""

    class u8(Scalar):
        """An 8-bit unsigned integer."""

    class u16(Scalar):
        """A 16-bit unsigned integer."""

    class u32(Scalar):
        """A 32-bit unsigned integer."""

    class u64(Scalar):
        """A 64-bit unsigned integer."""

    class f16(Scalar):
        """A 16-bit IEEE float."""

    class bf16(Scalar):
        """A float with the exponent of f32 and 8 bits of precision."""

    class f32(Scalar):
        """A 32-bit IEEE float."""

    class f64(Scalar):
        """A 64-bit IEEE float."""

    class tf32(Scalar):
        """A 19-bit float for matrix products; exists in tiles only."""

    class f8e4m3fn(Scalar):
        """An 8-bit float: four bits of exponent, no infinities."""

    class f8e5m2(Scalar):
        """An 8-bit float: five bits of exponent."""

    class f8e8m0fnu(Scalar):
        """A power of two in 8 bits, from 2**-127 to 2**127: a scale."""

    class f8e5m3fnu(Scalar):
        """An 8-bit float without a sign: five bits of exponent; a scale, which exists in tiles only."""

    class f4e2m1fn(Scalar):
        """A 4-bit float; two are a byte of memory (`fh.unpack`), so it exists in tiles only."""

    class i4(Scalar):
        """A 4-bit signed integer; two are a byte of memory (`fh.unpack`), so it exists in tiles only."""

    class u4(Scalar):
        """A 4-bit unsigned integer; two are a byte of memory (`fh.unpack`), so it exists in tiles only."""

else:
    from freehold.support.dtypes import (  # noqa: F401
        bf16,
        bool_,
        f4e2m1fn,
        f8e4m3fn,
        f8e5m2,
        f8e5m3fnu,
        f8e8m0fnu,
        f16,
        f32,
        f64,
        i4,
        i8,
        i16,
        i32,
        i64,
        tf32,
        u4,
        u8,
        u16,
        u32,
        u64,
    )
