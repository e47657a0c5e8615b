"""Tiles and scalars, their operators and methods, and the dtypes, as type checkers see them.

`Tile[f32]` is a tile of that dtype, `Tile` one of any: what is loaded has the dtype that the launch brings. Where it is
known, results have theirs, by the rules of docs/language.md, and what no dtype allows is an error: `&` of floats, `/`
of integers, an index that is no integer. Two different dtypes meet in one that checkers are not told.
"""

from __future__ import annotations

from functools import partial
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeAlias, TypeVar, overload

from freehold.frontend.intrinsics import Rounding, intrinsic, outside
from freehold.support.dtypes import DType
from freehold.support.lazy import Lazy

if TYPE_CHECKING:
    from typing_extensions import TypeVar as DefaultTypeVar

    class ForeignDType(Protocol):
        """What dtypes of NumPy and torch have, and numbers do not."""

        @property
        def itemsize(self) -> int: ...

    D = DefaultTypeVar("D", default=Any, covariant=True)

    class _Of(Generic[D]):
        """What has elements of a dtype."""

    class _Named(type, DType):  # pyright: ignore[reportGeneralTypeIssues] -- dtypes are values, too: at run time nothing else
        """What a dtype is as a value."""

else:
    D = TypeVar("D", covariant=True)

    class _Of:
        def __class_getitem__(cls, _item: object) -> type:
            return cls


rounded: Any = Lazy("freehold.frontend.rounded")  # nothing of them is imported for types: they rest on this file
shapes: Any = Lazy("freehold.frontend.shapes")

E = TypeVar("E", bound="Element")
F = TypeVar("F", bound="Floating")
Z = TypeVar("Z", bound="Integral")
X = TypeVar("X", bound="Exact")
Q = TypeVar("Q", bound="Integral | Floating")
IndexT = TypeVar("IndexT", bound="Scalar[Integral]")


class Reduction(Protocol[D]):
    """A method that folds a tile over one, several or all of its axes: of all, a scalar is left."""

    @overload
    def __call__(self, axis: None = None, *, keepdims: Literal[False] = False) -> Scalar[D]: ...
    @overload
    def __call__(self, axis: Axis = None, *, keepdims: bool = False) -> Tile[D]: ...


class Position(Protocol):
    """A method that finds an element along one axis, or among all."""

    @overload
    def __call__(self, axis: None = None, *, keepdims: Literal[False] = False) -> i32: ...
    @overload
    def __call__(self, axis: int | None = None, *, keepdims: bool = False) -> Tile[i32]: ...


class Tile(_Of[D]):
    """An immutable array of elements that one tile block works on. Extents are powers of two, known at compile time."""

    dtype: DType
    shape: tuple[int, ...]
    ndim: int
    size: int
    """The number of elements."""

    def __init__(self, *_: object, **__: object):
        outside(type(self).__name__)

    if TYPE_CHECKING:
        # Of scalars, scalars; of one dtype, or one with Python's numbers of its kind, that dtype.
        @overload
        def __add__(self: F, other: F | Scalar[F] | Scalar[Integral] | float) -> F: ...
        @overload
        def __add__(self: Z, other: Z | Scalar[Z] | int) -> Z: ...
        @overload
        def __add__(self: Scalar[F], other: Scalar[F] | Scalar[Integral] | float) -> Scalar[F]: ...
        @overload
        def __add__(self: Scalar, other: Scalar | float) -> Scalar: ...
        @overload
        def __add__(self: Tile[F], other: Tile[F] | Tile[Integral] | float) -> Tile[F]: ...
        @overload
        def __add__(self: Tile[Z], other: Tile[Z] | int) -> Tile[Z]: ...
        @overload
        def __add__(self: Tile[Integral], other: Tile[F]) -> Tile[F]: ...
        @overload
        def __add__(self, other: Operand) -> Tile: ...
        def __add__(self, other: Operand) -> Any: ...

        __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __add__
        __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __add__

        @overload
        def __truediv__(self: F, other: F | Scalar[F] | Scalar[Integral] | float) -> F: ...
        @overload
        def __truediv__(self: Scalar[F], other: Scalar[F] | Scalar[Integral] | float) -> Scalar[F]: ...
        @overload
        def __truediv__(self: Scalar[Integral], other: Scalar[F]) -> Scalar[F]: ...
        @overload
        def __truediv__(self: Scalar, other: Scalar[Floating] | float) -> Scalar: ...
        @overload
        def __truediv__(self: Tile[F], other: Tile[F] | Tile[Integral] | float) -> Tile[F]: ...
        @overload
        def __truediv__(self: Tile[Integral], other: Tile[F]) -> Tile[F]: ...
        @overload
        def __truediv__(self: Tile[Floating], other: Operand) -> Tile: ...
        @overload
        def __truediv__(self, other: Tile[Floating] | float) -> Tile: ...
        def __truediv__(self, other: Operand) -> Any: ...

        __rtruediv__ = __truediv__

        @overload
        def __and__(self: X, other: X | Scalar[X] | int) -> X: ...
        @overload
        def __and__(self: Scalar[X], other: Scalar[X] | int) -> Scalar[X]: ...
        @overload
        def __and__(self: Tile[X], other: Tile[X] | int) -> Tile[X]: ...
        def __and__(self, other: Tile | int) -> Any: ...

        __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __and__

        @overload
        def __lshift__(self: Z, other: Scalar[Integral] | int) -> Z: ...
        @overload
        def __lshift__(self: Tile[Z], other: Tile[Integral] | int) -> Tile[Z]: ...
        def __lshift__(self, other: Tile[Integral] | int) -> Any: ...

        __rshift__ = __lshift__

        def __matmul__(self, other: Tile) -> Tile: ...
        @overload
        def __neg__(self: E) -> E: ...
        @overload
        def __neg__(self: Scalar[E]) -> Scalar[E]: ...
        @overload
        def __neg__(self: Tile[E]) -> Tile[E]: ...
        def __neg__(self) -> Any: ...

        __abs__ = __neg__
        __pos__ = __neg__

        @overload
        def __invert__(self: X) -> X: ...
        @overload
        def __invert__(self: Scalar[X]) -> Scalar[X]: ...
        @overload
        def __invert__(self: Tile[X]) -> Tile[X]: ...
        def __invert__(self) -> Any: ...

        @overload
        def __lt__(self: Scalar, other: Scalar | float) -> bool_: ...
        @overload
        def __lt__(self, other: Operand) -> Tile[bool_]: ...
        def __lt__(self, other: Operand) -> Any: ...

        __le__ = __gt__ = __ge__ = __lt__

        @overload
        def __eq__(self: Scalar, other: Scalar | float) -> bool_: ...
        @overload
        def __eq__(self, other: Operand) -> Tile[bool_]: ...
        def __eq__(self, other: Operand) -> Any: ...  # type: ignore[override] # pyright: ignore[reportIncompatibleMethodOverride] -- elementwise, as NumPy's

        @overload
        def __ne__(self: Scalar, other: Scalar | float) -> bool_: ...
        @overload
        def __ne__(self, other: Operand) -> Tile[bool_]: ...
        def __ne__(self, other: Operand) -> Any: ...  # type: ignore[override] # pyright: ignore[reportIncompatibleMethodOverride] -- elementwise, as NumPy's

        def __getitem__(self, index: Cut | tuple[Cut, ...]) -> Tile[D]: ...

        @property
        def T(self) -> Tile[D]:
            """The tile with its axes reversed."""
            ...

        @overload
        def sum(self: Tile[Q], axis: None = None, *, keepdims: Literal[False] = False) -> Scalar[Q]: ...
        @overload
        def sum(self: Tile[Q], axis: Axis = None, *, keepdims: bool = False) -> Tile[Q]: ...
        @overload
        def sum(self: Tile[bool_], axis: None = None, *, keepdims: Literal[False] = False) -> i32: ...
        @overload
        def sum(self: Tile[bool_], axis: Axis = None, *, keepdims: bool = False) -> Tile[i32]: ...
        def sum(self, axis: Axis = None, *, keepdims: bool = False) -> Any:
            """The sum over `axis`, or over all. As `freehold.sum`."""
            ...

        @overload
        def prod(self: Tile[Q], axis: None = None, *, keepdims: Literal[False] = False) -> Scalar[Q]: ...
        @overload
        def prod(self: Tile[Q], axis: Axis = None, *, keepdims: bool = False) -> Tile[Q]: ...
        @overload
        def prod(self: Tile[bool_], axis: None = None, *, keepdims: Literal[False] = False) -> i32: ...
        @overload
        def prod(self: Tile[bool_], axis: Axis = None, *, keepdims: bool = False) -> Tile[i32]: ...
        def prod(self, axis: Axis = None, *, keepdims: bool = False) -> Any:
            """The product over `axis`, or over all. As `freehold.prod`."""
            ...

        max: Reduction[D]
        """The largest element over `axis`, or over all; NaN if there is one. As `freehold.max`."""
        min: Reduction[D]
        """The smallest element over `axis`, or over all; NaN if there is one. As `freehold.min`."""
        any: Reduction[bool_]
        """Whether an element over `axis`, or over all, is not 0. As `freehold.any`."""
        all: Reduction[bool_]
        """Whether no element over `axis`, or over all, is 0. As `freehold.all`."""
        argmax: Position
        """Where the largest element along `axis`, or of all, is first found, as `i32`. As `freehold.argmax`."""
        argmin: Position
        """Where the smallest element along `axis`, or of all, is first found, as `i32`. As `freehold.argmin`."""

        @overload
        def cumsum(self: Tile[Q], axis: int | None = None, *, reverse: bool = False) -> Tile[Q]: ...
        @overload
        def cumsum(self: Tile[bool_], axis: int | None = None, *, reverse: bool = False) -> Tile[i32]: ...
        def cumsum(self, axis: int | None = None, *, reverse: bool = False) -> Any:
            """Running sums along `axis`. As `freehold.cumsum`."""
            ...

        @overload
        def cumprod(self: Tile[Q], axis: int | None = None, *, reverse: bool = False) -> Tile[Q]: ...
        @overload
        def cumprod(self: Tile[bool_], axis: int | None = None, *, reverse: bool = False) -> Tile[i32]: ...
        def cumprod(self, axis: int | None = None, *, reverse: bool = False) -> Any:
            """Running products along `axis`. As `freehold.cumprod`."""
            ...

        @overload
        def clip(self: IndexT, low: IndexT | int, high: IndexT | int) -> IndexT: ...
        @overload
        def clip(self: Tile[F], low: Tile[F] | float, high: Tile[F] | float) -> Tile[F]: ...
        @overload
        def clip(self: Tile[Z], low: Tile[Z] | int, high: Tile[Z] | int) -> Tile[Z]: ...
        @overload
        def clip(self, low: Operand, high: Operand) -> Tile: ...
        def clip(self, low: Operand, high: Operand) -> Any:
            """The elements, none below `low` and none above `high`. As `freehold.clip`."""
            ...

        @overload
        def round(self: Scalar[F]) -> Scalar[F]: ...
        @overload
        def round(self: Scalar) -> Scalar: ...
        @overload
        def round(self: Tile[F]) -> Tile[F]: ...
        @overload
        def round(self) -> Tile: ...
        def round(self) -> Any:
            """Rounded to the nearest whole number, as a float; halves go to the even one. As `freehold.round`."""
            ...

        def extract(self, index: Index | tuple[Index, ...], shape: Shape) -> Tile[D]:
            """The part of `shape` at `index`, counted in parts. As `freehold.extract`."""
            ...

        def insert(self, index: Index | tuple[Index, ...], part: Operand) -> Tile[D]:
            """The tile with `part` at `index`, counted in parts. As `freehold.insert`."""
            ...

        def __hash__(self) -> int: ...

    @overload
    def astype(self: Scalar, dtype: type[E], *, rounding: Rounding | None = None, saturate: bool = False) -> E: ...
    @overload
    def astype(self, dtype: type[E], *, rounding: Rounding | None = None, saturate: bool = False) -> Tile[E]: ...
    @overload
    def astype(
        self: Scalar, dtype: AnyDType, *, rounding: Rounding | None = None, saturate: bool = False
    ) -> Scalar: ...
    @overload
    def astype(self, dtype: AnyDType, *, rounding: Rounding | None = None, saturate: bool = False) -> Tile: ...
    @intrinsic(lambda: rounded.astype)
    def astype(self, dtype: AnyDType, *, rounding: Rounding | None = None, saturate: bool = False) -> Any:
        """
        The tile with its elements converted; floats to floats rounded as asked.

        Floats become integers by dropping the fraction; what is out of range is clamped, and NaN 0, where
        `saturate`, and any number otherwise.
        """
        ...

    @intrinsic(lambda: shapes.item)
    def item(self) -> Scalar[D]:
        """The one element of a tile, as a scalar."""
        ...

    @overload
    def reshape(self, shape: tuple[()], /) -> Scalar[D]: ...
    @overload
    def reshape(self, *shape: int | tuple[int, ...]) -> Tile[D]: ...
    @intrinsic(lambda: shapes.reshaped)
    def reshape(self, *shape: int | tuple[int, ...]) -> Any:
        """The same elements in row-major order under another shape; one extent may be -1."""
        ...

    @intrinsic(lambda: partial(shapes.permuted, reverse=False))
    def permute(self, *axes: int | tuple[int, ...]) -> Tile[D]:
        """The tile with axis `axes[i]` at place `i`."""
        ...

    @intrinsic(lambda: partial(shapes.permuted, reverse=True))
    def transpose(self, *axes: int | tuple[int, ...]) -> Tile[D]:
        """The tile with its axes reversed, or permuted as given."""
        ...

    @intrinsic(lambda: shapes.flatten)
    def flatten(self) -> Tile[D]:
        """The same elements in row-major order, along one axis."""
        ...

    @intrinsic(lambda: shapes.squeeze)
    def squeeze(self, axis: int | None = None) -> Tile[D]:
        """Without `axis`, which has extent 1; without all axes of extent 1."""
        ...


class Scalar(Tile[D]):
    """A tile of rank 0."""

    if TYPE_CHECKING:

        def __init__(self, value: Operand = 0): ...
        def __index__(self) -> int: ...
        def __bool__(self) -> bool: ...


Cut: TypeAlias = "Scalar | int | slice | EllipsisType | None"
"""A part of a tile's subscript; the bounds of slices are known at compile time."""
Operand: TypeAlias = "Tile | float | bool"
Number: TypeAlias = "Scalar | float | bool"
Index: TypeAlias = "Scalar[Integral] | int"
"""An index of an access along one axis, as a helper takes it: a number that is computed, or one that is known."""
Axis: TypeAlias = "int | tuple[int, ...] | None"
AnyDType: TypeAlias = "DType | type[Any] | ForeignDType"
"""A dtype: Freehold's, a class that stands for one (`int`, `numpy.float32`), or an object of NumPy's or torch's."""
Shape: TypeAlias = "int | tuple[int, ...]"

if TYPE_CHECKING:

    class Element(Scalar[D], metaclass=_Named):
        """A scalar of a dtype that is known; as a value, the dtype."""

    class Exact(Element[D]):
        """Of a dtype that has bits rather than digits: an integer or a truth value."""

    class Integral(Exact[D]):
        """Of a dtype of integers."""

    class Floating(Element[D]):
        """Of a dtype of floats."""

    class bool_(Exact["bool_"]):
        """A truth value."""

    class i8(Integral["i8"]):
        """An 8-bit signed integer."""

    class i16(Integral["i16"]):
        """A 16-bit signed integer."""

    class i32(Integral["i32"]):
        """A 32-bit signed integer."""

    class i64(Integral["i64"]):
        """A 64-bit signed integer."""

    class u8(Integral["u8"]):
        """An 8-bit unsigned integer."""

    class u16(Integral["u16"]):
        """A 16-bit unsigned integer."""

    class u32(Integral["u32"]):
        """A 32-bit unsigned integer."""

    class u64(Integral["u64"]):
        """A 64-bit unsigned integer."""

    class f16(Floating["f16"]):
        """A 16-bit IEEE float."""

    class bf16(Floating["bf16"]):
        """A float with the exponent of f32 and 8 bits of precision."""

    class f32(Floating["f32"]):
        """A 32-bit IEEE float."""

    class f64(Floating["f64"]):
        """A 64-bit IEEE float."""

    class tf32(Floating["tf32"]):
        """A 19-bit float for matrix products; exists in tiles only."""

    class f8e4m3fn(Floating["f8e4m3fn"]):
        """An 8-bit float: four bits of exponent, no infinities."""

    class f8e5m2(Floating["f8e5m2"]):
        """An 8-bit float: five bits of exponent."""

    class f8e8m0fnu(Floating["f8e8m0fnu"]):
        """A power of two in 8 bits, from 2**-127 to 2**127: a scale."""

    class f8e5m3fnu(Floating["f8e5m3fnu"]):
        """An 8-bit float without a sign: five bits of exponent; a scale, which exists in tiles only."""

    class f4e2m1fn(Floating["f4e2m1fn"]):
        """A 4-bit float; two are a byte of memory (`fh.unpack`), so it exists in tiles only."""

    class i4(Integral["i4"]):
        """A 4-bit signed integer; two are a byte of memory (`fh.unpack`), so it exists in tiles only."""

    class u4(Integral["u4"]):
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
