"""
What may be written in a kernel, as editors and type checkers see it.

Nothing here computes: the frontend recognises these names in a kernel's source and writes IR for them. Called outside
a kernel they say so (O016). docs/language.md describes them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar, cast

from freehold.frontend.intrinsics import Padding, Rounding, intrinsic, outside
from freehold.frontend.signature import ConstMarker, TensorAnnotation
from freehold.support.dtypes import DType

T = TypeVar("T")
Const = Annotated[T, ConstMarker()]
"""A parameter whose value is known when the kernel is compiled: `BK: Const[int] = 64`."""


class Tile:
    """An immutable array of elements that one tile block works on. Extents are powers of two, known at compile time."""

    dtype: DType
    shape: tuple[int, ...]
    ndim: int

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
        def __getitem__(self, index: slice | tuple[slice | None, ...] | None) -> Tile: ...

        @property
        def T(self) -> Tile:
            """The tile with its axes reversed."""
            ...

        def astype(self, dtype: AnyDType) -> Tile:
            """The tile with its elements converted. Floats become integers by dropping the fraction."""
            ...

        def reshape(self, *shape: int | tuple[int, ...]) -> Tile:
            """The same elements in row-major order under another shape; one extent may be -1."""
            ...

        def permute(self, *axes: int | tuple[int, ...]) -> Tile:
            """The tile with axis `axes[i]` at place `i`."""
            ...

        def transpose(self, *axes: int | tuple[int, ...]) -> Tile:
            """The tile with its axes reversed, or permuted as given."""
            ...

        def sum(self, axis: Axis = None, *, keepdims: bool = False) -> Tile:
            """As `freehold.sum`."""
            ...

        def prod(self, axis: Axis = None, *, keepdims: bool = False) -> Tile:
            """As `freehold.prod`."""
            ...

        def max(self, axis: Axis = None, *, keepdims: bool = False) -> Tile:
            """As `freehold.max`."""
            ...

        def min(self, axis: Axis = None, *, keepdims: bool = False) -> Tile:
            """As `freehold.min`."""
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
        def __bool__(self) -> bool: ...


Operand: TypeAlias = "Tile | float | bool"
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

else:
    from freehold.support.dtypes import (  # noqa: F401
        bf16,
        bool_,
        f8e4m3fn,
        f8e5m2,
        f16,
        f32,
        f64,
        i8,
        i16,
        i32,
        i64,
        tf32,
        u8,
        u16,
        u32,
        u64,
    )


class _Tensor:
    """What all tensor parameters have."""

    dtype: DType
    """The element type."""
    ndim: int
    """The number of axes."""
    if TYPE_CHECKING:
        shape: tuple[Scalar, ...]
        """The extents, in elements; each at least 1."""

    def __init__(self, *_: object):
        outside(type(self).__name__)


class Ref(_Tensor):
    """A tensor that a kernel may read anywhere, as any number of others may: `x: Ref["M", "K"]`."""

    __freehold_mode__ = "ref"

    def __class_getitem__(cls, item: object) -> Any:
        return TensorAnnotation("ref", _items(item))

    if TYPE_CHECKING:

        def load(
            self,
            index: Index | tuple[Index, ...],
            shape: Shape,
            *,
            padding: Padding = "zero",
            latency: int | None = None,
            allow_tma: bool | None = None,
        ) -> Tile:
            """
            Reads the tile at `index`, counted in tiles of `shape`: element `index[i] * shape[i]` is its first.

            What overhangs the tensor reads as `padding`. The index must lie in the tensor: that is proved, or checked
            at launch, or in the kernel. `latency` (1 to 10) and `allow_tma` are hints about speed.
            """
            ...

        def load_like(
            self,
            region: Mut | Out | Region,
            *,
            padding: Padding = "zero",
            latency: int | None = None,
            allow_tma: bool | None = None,
        ) -> Tile:
            """The tile at the place of `region`: `load(region.index, region.tile)`."""
            ...


class Region(_Tensor):
    """The part of a `Mut` or `Out` tensor that one tile block owns."""

    index: tuple[Scalar, ...]
    """Its coordinates, in tiles."""
    tile: tuple[int, ...]
    """Its shape."""

    if TYPE_CHECKING:

        def load(self, *, padding: Padding = "zero", latency: int | None = None, allow_tma: bool | None = None) -> Tile:
            """Reads the region. What overhangs the tensor reads as `padding`."""
            ...

        def store(self, tile: Operand, *, latency: int | None = None, allow_tma: bool | None = None) -> None:
            """Writes the region. What overhangs the tensor is not written; elements are converted to its dtype."""
            ...

        def release(self) -> None:
            """Gives the region back before the kernel ends; it may not be used afterwards."""
            ...


class Mut(Region):
    """A tensor of which each tile block reads and writes its own region: `y: Mut["N"]`."""

    __freehold_mode__ = "mut"

    def __class_getitem__(cls, item: object) -> Any:
        return TensorAnnotation("mut", _items(item))

    if TYPE_CHECKING:

        def at(self, *index: Index) -> Region:
            """The region at other coordinates, where the compiler can prove that no other block owns it."""
            ...


class Out(Region):
    """A tensor of which each tile block writes its own region, and reads it only after that: `c: Out["M", "N"]`."""

    __freehold_mode__ = "out"

    def __class_getitem__(cls, item: object) -> Any:
        return TensorAnnotation("out", _items(item))

    if TYPE_CHECKING:

        def at(self, *index: Index) -> Region:
            """The region at other coordinates, where the compiler can prove that no other block owns it."""
            ...


def _items(item: object) -> tuple[object, ...]:
    if isinstance(item, tuple):
        return cast("tuple[object, ...]", item)
    return (item,)


# --- Loops and static values -----------------------------------------------------------------------------------------


@intrinsic
def tiles(tensor: _Tensor, *, axis: int, size: int) -> Iterator[Scalar]:
    """The indices of the tiles of `size` elements that cover `tensor` along `axis`: `0 .. ceildiv(extent, size) - 1`.

    Only as what a `for` runs over. The index carries its bound, so a load with it needs no check.
    """
    ...


@intrinsic
def static_range(*args: int) -> Iterator[int]:
    """As `range` of values known at compile time; the loop is unrolled, its variable is known in each turn."""
    ...


@intrinsic
def static_assert(condition: bool, message: str = "") -> None:
    """Refuses the kernel (O030) unless `condition`, known at compile time, holds."""


@intrinsic
def assert_(condition: Operand, message: str = "") -> None:
    """Stops the kernel with `message` unless `condition` holds, for every element. As `assert`."""


@intrinsic
def print(*values: object, sep: str = " ", end: str = "\n") -> None:
    """Prints, once a tile block, as Python does: tiles element by element, f-strings by printf's formats."""


@intrinsic
def cdiv(a: Any, b: Any) -> Any:
    """`ceil(a / b)` of integers; `b` is positive."""
    ...


# --- Creation --------------------------------------------------------------------------------------------------------


@intrinsic
def zeros(shape: Shape, dtype: AnyDType) -> Tile:
    """A tile of zeros."""
    ...


@intrinsic
def ones(shape: Shape, dtype: AnyDType) -> Tile:
    """A tile of ones."""
    ...


@intrinsic
def full(shape: Shape, value: Operand, dtype: AnyDType) -> Tile:
    """A tile that holds `value` everywhere."""
    ...


@intrinsic
def arange(stop: int, dtype: AnyDType = ...) -> Tile:
    """The integers from 0 up to `stop`, a power of two; `i32` unless another integer type is given."""
    ...


# --- Elementwise -----------------------------------------------------------------------------------------------------


@intrinsic
def exp(x: Operand) -> Tile:
    """e to the power of each element."""
    ...


@intrinsic
def exp2(x: Operand, *, flush_to_zero: bool = False) -> Tile:
    """2 to the power of each element."""
    ...


@intrinsic
def log(x: Operand) -> Tile:
    """The natural logarithm."""
    ...


@intrinsic
def log2(x: Operand) -> Tile:
    """The logarithm to base 2."""
    ...


@intrinsic
def sqrt(x: Operand, *, rounding: Rounding = "nearest", flush_to_zero: bool = False) -> Tile:
    """The square root."""
    ...


@intrinsic
def rsqrt(x: Operand, *, flush_to_zero: bool = False) -> Tile:
    """One over the square root."""
    ...


@intrinsic
def sin(x: Operand) -> Tile:
    """The sine of radians."""
    ...


@intrinsic
def cos(x: Operand) -> Tile:
    """The cosine of radians."""
    ...


@intrinsic
def tan(x: Operand) -> Tile:
    """The tangent of radians."""
    ...


@intrinsic
def sinh(x: Operand) -> Tile:
    """The hyperbolic sine."""
    ...


@intrinsic
def cosh(x: Operand) -> Tile:
    """The hyperbolic cosine."""
    ...


@intrinsic
def tanh(x: Operand) -> Tile:
    """The hyperbolic tangent."""
    ...


@intrinsic
def atan2(y: Operand, x: Operand) -> Tile:
    """The angle of the point `(x, y)`, in radians."""
    ...


@intrinsic
def floor(x: Operand) -> Tile:
    """Rounded down, as a float."""
    ...


@intrinsic
def ceil(x: Operand) -> Tile:
    """Rounded up, as a float."""
    ...


@intrinsic
def abs(x: Operand) -> Tile:
    """The absolute value."""
    ...


@intrinsic
def maximum(x: Operand, y: Operand, *, propagate_nan: bool = True) -> Tile:
    """The larger of two; NaN if either is, as in NumPy, unless `propagate_nan` is False."""
    ...


@intrinsic
def minimum(x: Operand, y: Operand, *, propagate_nan: bool = True) -> Tile:
    """The smaller of two; NaN if either is, as in NumPy, unless `propagate_nan` is False."""
    ...


@intrinsic
def where(condition: Operand, x: Operand, y: Operand) -> Tile:
    """`x` where the condition holds, else `y`."""
    ...


@intrinsic
def fma(x: Operand, y: Operand, z: Operand) -> Tile:
    """`x * y + z`, rounded once."""
    ...


@intrinsic
def isnan(x: Operand) -> Tile:
    """Whether each element is NaN."""
    ...


@intrinsic
def isinf(x: Operand) -> Tile:
    """Whether each element is an infinity."""
    ...


@intrinsic
def isfinite(x: Operand) -> Tile:
    """Whether each element is neither NaN nor an infinity."""
    ...


@intrinsic
def sign(x: Operand) -> Tile:
    """-1, 0 or 1 by the sign of each element, in its dtype; NaN of NaN."""
    ...


@intrinsic
def clip(x: Operand, low: Operand, high: Operand) -> Tile:
    """`minimum(maximum(x, low), high)`; NaN if any of the three is."""
    ...


@intrinsic
def round(x: Operand) -> Tile:
    """Rounded to the nearest whole number, as a float; halves go to the even one."""
    ...


# --- Shapes ----------------------------------------------------------------------------------------------------------


@intrinsic
def reshape(x: Tile, shape: Shape) -> Tile:
    """As `x.reshape(shape)`."""
    ...


@intrinsic
def permute(x: Tile, axes: tuple[int, ...]) -> Tile:
    """As `x.permute(axes)`."""
    ...


@intrinsic
def transpose(x: Tile, axes: tuple[int, ...] | None = None) -> Tile:
    """As `x.transpose(axes)`."""
    ...


@intrinsic
def expand_dims(x: Tile, axis: int) -> Tile:
    """`x` with a new axis of extent 1 at `axis`."""
    ...


@intrinsic
def broadcast_to(x: Operand, shape: Shape) -> Tile:
    """`x` repeated to `shape`, by NumPy's rules."""
    ...


@intrinsic
def concatenate(parts: tuple[Tile, Tile], axis: int = 0) -> Tile:
    """Two tiles one after the other along `axis`."""
    ...


@intrinsic
def bitcast(x: Tile, dtype: AnyDType) -> Tile:
    """The same bits read as another dtype of the same width."""
    ...


# --- Reductions, scans, products -------------------------------------------------------------------------------------


@intrinsic
def sum(x: Tile, axis: Axis = None, *, keepdims: bool = False) -> Tile:
    """The sum over `axis`, or over all. f16 and bf16 are summed in f32 and rounded once."""
    ...


@intrinsic
def prod(x: Tile, axis: Axis = None, *, keepdims: bool = False) -> Tile:
    """The product over `axis`, or over all. f16 and bf16 are multiplied in f32 and rounded once."""
    ...


@intrinsic
def max(x: Tile, axis: Axis = None, *, keepdims: bool = False) -> Tile:
    """The largest element over `axis`, or over all; NaN if there is one."""
    ...


@intrinsic
def min(x: Tile, axis: Axis = None, *, keepdims: bool = False) -> Tile:
    """The smallest element over `axis`, or over all; NaN if there is one."""
    ...


@intrinsic
def any(x: Tile, axis: Axis = None, *, keepdims: bool = False) -> Tile:
    """Whether an element over `axis`, or over all, is not 0."""
    ...


@intrinsic
def all(x: Tile, axis: Axis = None, *, keepdims: bool = False) -> Tile:
    """Whether no element over `axis`, or over all, is 0."""
    ...


@intrinsic
def argmax(x: Tile, axis: int | None = None, *, keepdims: bool = False) -> Tile:
    """Where the largest element along `axis`, or of all, is first found, as `i32`; the first NaN, if there is one."""
    ...


@intrinsic
def argmin(x: Tile, axis: int | None = None, *, keepdims: bool = False) -> Tile:
    """Where the smallest element along `axis`, or of all, is first found, as `i32`; the first NaN, if there is one."""
    ...


@intrinsic
def reduce(x: Tile, function: Callable[[Any, Any], Any], identity: float, axis: int, *, keepdims: bool = False) -> Tile:
    """Folds `function`, which must be associative, over `axis`. `identity` is its neutral element."""
    ...


@intrinsic
def scan(x: Tile, function: Callable[[Any, Any], Any], identity: float, axis: int, *, reverse: bool = False) -> Tile:
    """All partial results of folding `function`, which must be associative, along `axis`."""
    ...


@intrinsic
def cumsum(x: Tile, axis: int = 0, *, reverse: bool = False) -> Tile:
    """Running sums along `axis`. f16 and bf16 are summed in f32."""
    ...


@intrinsic
def cumprod(x: Tile, axis: int = 0, *, reverse: bool = False) -> Tile:
    """Running products along `axis`. f16 and bf16 are multiplied in f32."""
    ...


@intrinsic
def sort(x: Tile, axis: int = -1, *, descending: bool = False) -> Tile:
    """The elements in order along `axis`. NaN counts as the largest."""
    ...


@intrinsic
def argsort(x: Tile, axis: int = -1, *, descending: bool = False) -> Tile:
    """Where the elements of `sort` stood along `axis`, as `i32`; equal ones keep their order."""
    ...


@intrinsic
def top_k(x: Tile, k: int, axis: int = -1) -> tuple[Tile, Tile]:
    """The `k` largest elements along `axis`, in order, and where they stood. NaN counts as the largest."""
    ...


@intrinsic
def mma(a: Tile, b: Tile, acc: Tile) -> Tile:
    """`a @ b + acc` on the tensor cores: `(M, K)`, `(K, N)`, `(M, N)`, or each with one batch axis before.

    `acc` is f32 for bf16, f32 and tf32; f16 or f32 for f16 and 8-bit floats; f64 for f64; i32 for 8-bit integers.
    """
    ...


# --- Random numbers --------------------------------------------------------------------------------------------------


@intrinsic
def random_bits(seed: Operand, counters: Tile) -> Tile:
    """32 random bits an element, as `u32`: Philox4x32-10 of a counter and a seed, the same on every machine."""
    ...


@intrinsic
def random_uniform(seed: Operand, counters: Tile) -> Tile:
    """`f32` numbers from 0 up to but not 1, by the upper 24 of the bits of `random_bits`."""
    ...
