"""Functions of many elements: reductions, scans, order, matrix products; and random numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from freehold.frontend.intrinsics import intrinsic
from freehold.frontend.language.tile import Axis, E, Operand, Q, Scalar, Tile
from freehold.support.lazy import Lazy

if TYPE_CHECKING:
    from freehold.frontend import folds, orders, products, random_numbers, reductions
    from freehold.frontend.language.tile import bf16, bool_, f8e4m3fn, f8e5m2, f16, f32, f64, i8, i32, tf32, u8, u32
else:
    folds = Lazy("freehold.frontend.folds")
    orders = Lazy("freehold.frontend.orders")
    products = Lazy("freehold.frontend.products")
    random_numbers = Lazy("freehold.frontend.random_numbers")
    reductions = Lazy("freehold.frontend.reductions")

__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "cumprod",
    "cumsum",
    "max",
    "min",
    "mma",
    "mma_scaled",
    "prod",
    "random_bits",
    "random_uniform",
    "reduce",
    "scan",
    "sort",
    "sum",
    "top_k",
]

T = TypeVar("T")
HalfT = TypeVar("HalfT", bound="f32 | f16")


@overload
def sum(x: Tile[Q], axis: None = None, *, keepdims: Literal[False] = False) -> Scalar[Q]: ...
@overload
def sum(x: Tile[Q], axis: Axis = None, *, keepdims: bool = False) -> Tile[Q]: ...
@overload
def sum(x: Tile[bool_], axis: None = None, *, keepdims: Literal[False] = False) -> i32: ...
@overload
def sum(x: Tile[bool_], axis: Axis = None, *, keepdims: bool = False) -> Tile[i32]: ...
@intrinsic(lambda: partial(reductions.reduction, name="sum"), method_of=Tile)
def sum(x: Tile, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """The sum over `axis`, or over all. f16 and bf16 are summed in f32 and rounded once."""
    ...


@overload
def prod(x: Tile[Q], axis: None = None, *, keepdims: Literal[False] = False) -> Scalar[Q]: ...
@overload
def prod(x: Tile[Q], axis: Axis = None, *, keepdims: bool = False) -> Tile[Q]: ...
@overload
def prod(x: Tile[bool_], axis: None = None, *, keepdims: Literal[False] = False) -> i32: ...
@overload
def prod(x: Tile[bool_], axis: Axis = None, *, keepdims: bool = False) -> Tile[i32]: ...
@intrinsic(lambda: partial(reductions.reduction, name="prod"), method_of=Tile)
def prod(x: Tile, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """The product over `axis`, or over all. f16 and bf16 are multiplied in f32 and rounded once."""
    ...


@overload
def max(x: Tile[E], axis: None = None, *, keepdims: Literal[False] = False) -> Scalar[E]: ...
@overload
def max(x: Tile[E], axis: Axis = None, *, keepdims: bool = False) -> Tile[E]: ...
@intrinsic(lambda: partial(reductions.reduction, name="max"), method_of=Tile)
def max(x: Tile, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """The largest element over `axis`, or over all; NaN if there is one."""
    ...


@overload
def min(x: Tile[E], axis: None = None, *, keepdims: Literal[False] = False) -> Scalar[E]: ...
@overload
def min(x: Tile[E], axis: Axis = None, *, keepdims: bool = False) -> Tile[E]: ...
@intrinsic(lambda: partial(reductions.reduction, name="min"), method_of=Tile)
def min(x: Tile, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """The smallest element over `axis`, or over all; NaN if there is one."""
    ...


@overload
def any(x: Tile, axis: None = None, *, keepdims: Literal[False] = False) -> bool_: ...
@overload
def any(x: Tile, axis: Axis = None, *, keepdims: bool = False) -> Tile[bool_]: ...
@intrinsic(lambda: partial(reductions.reduction, name="any"), method_of=Tile)
def any(x: Tile, axis: Axis = None, *, keepdims: bool = False) -> object:
    """Whether an element over `axis`, or over all, is not 0."""
    ...


@overload
def all(x: Tile, axis: None = None, *, keepdims: Literal[False] = False) -> bool_: ...
@overload
def all(x: Tile, axis: Axis = None, *, keepdims: bool = False) -> Tile[bool_]: ...
@intrinsic(lambda: partial(reductions.reduction, name="all"), method_of=Tile)
def all(x: Tile, axis: Axis = None, *, keepdims: bool = False) -> object:
    """Whether no element over `axis`, or over all, is 0."""
    ...


@overload
def argmax(x: Tile, axis: None = None, *, keepdims: Literal[False] = False) -> i32: ...
@overload
def argmax(x: Tile, axis: int | None = None, *, keepdims: bool = False) -> Tile[i32]: ...
@intrinsic(lambda: partial(orders.extreme_position, larger=True), method_of=Tile)
def argmax(x: Tile, axis: int | None = None, *, keepdims: bool = False) -> object:
    """Where the largest element along `axis`, or of all, is first found, as `i32`; the first NaN, if there is one."""
    ...


@overload
def argmin(x: Tile, axis: None = None, *, keepdims: Literal[False] = False) -> i32: ...
@overload
def argmin(x: Tile, axis: int | None = None, *, keepdims: bool = False) -> Tile[i32]: ...
@intrinsic(lambda: partial(orders.extreme_position, larger=False), method_of=Tile)
def argmin(x: Tile, axis: int | None = None, *, keepdims: bool = False) -> object:
    """Where the smallest element along `axis`, or of all, is first found, as `i32`; the first NaN, if there is one."""
    ...


@intrinsic(lambda: partial(folds.folded, scan=False))
def reduce(
    x: T, function: Callable[[Any, Any], Any], identity: Any, axis: int | None = None, *, keepdims: bool = False
) -> T:
    """
    Folds `function`, which must be associative and commutative, over `axis`, or over all. `identity` is its neutral
    element: a GPU joins elements in any order, and the identity with any of them.

    A tuple, named tuple or dataclass of tiles of one shape is folded as a whole: `function` is given two of the same
    form, of scalars, and returns one; so is `identity`, of numbers.
    """
    ...


@intrinsic(lambda: partial(folds.folded, scan=True))
def scan(
    x: T, function: Callable[[Any, Any], Any], identity: Any, axis: int | None = None, *, reverse: bool = False
) -> T:
    """
    All partial results of folding `function`, which must be associative, along `axis`. `identity` is its neutral
    element. Several tiles are folded as by `reduce`.

    `axis` may be left out of tiles that have one.
    """
    ...


@overload
def cumsum(x: Tile[Q], axis: int | None = None, *, reverse: bool = False) -> Tile[Q]: ...
@overload
def cumsum(x: Tile[bool_], axis: int | None = None, *, reverse: bool = False) -> Tile[i32]: ...
@intrinsic(lambda: partial(reductions.running, name="sum"), method_of=Tile)
def cumsum(x: Tile, axis: int | None = None, *, reverse: bool = False) -> Tile:
    """Running sums along `axis`, which may be left out of tiles that have one. f16 and bf16 are summed in f32."""
    ...


@overload
def cumprod(x: Tile[Q], axis: int | None = None, *, reverse: bool = False) -> Tile[Q]: ...
@overload
def cumprod(x: Tile[bool_], axis: int | None = None, *, reverse: bool = False) -> Tile[i32]: ...
@intrinsic(lambda: partial(reductions.running, name="prod"), method_of=Tile)
def cumprod(x: Tile, axis: int | None = None, *, reverse: bool = False) -> Tile:
    """Running products along `axis`, which may be left out of tiles that have one; of f16 and bf16 in f32."""
    ...


@intrinsic(lambda: partial(orders.sorted_, positional=False))
def sort(x: Tile[E], axis: int = -1, *, descending: bool = False) -> Tile[E]:
    """The elements in order along `axis`. NaN counts as the largest."""
    ...


@intrinsic(lambda: partial(orders.sorted_, positional=True))
def argsort(x: Tile, axis: int = -1, *, descending: bool = False) -> Tile[i32]:
    """Where the elements of `sort` stood along `axis`, as `i32`; equal ones keep their order."""
    ...


@intrinsic(lambda: orders.top_k)
def top_k(x: Tile[E], k: int, axis: int = -1) -> tuple[Tile[E], Tile[i32]]:
    """The `k` largest elements along `axis`, in order, and where they stood. NaN counts as the largest."""
    ...


@overload
def mma(
    a: Tile[f16 | f8e4m3fn | f8e5m2], b: Tile[f16 | f8e4m3fn | f8e5m2], acc: Tile[HalfT], *, fast_acc: bool = False
) -> Tile[HalfT]: ...
@overload
def mma(
    a: Tile[bf16 | f32 | tf32], b: Tile[bf16 | f32 | tf32], acc: Tile[f32], *, fast_acc: bool = False
) -> Tile[f32]: ...
@overload
def mma(a: Tile[f64], b: Tile[f64], acc: Tile[f64], *, fast_acc: bool = False) -> Tile[f64]: ...
@overload
def mma(a: Tile[i8 | u8], b: Tile[i8 | u8], acc: Tile[i32], *, fast_acc: bool = False) -> Tile[i32]: ...
@intrinsic(lambda: products.mma)
def mma(a: Tile, b: Tile, acc: Tile, *, fast_acc: bool = False) -> Tile:
    """`a @ b + acc` on the tensor cores: `(M, K)`, `(K, N)`, `(M, N)`, or each with one batch axis before.

    `acc` is f32 for bf16, f32 and tf32; f16 or f32 for f16 and 8-bit floats; f64 for f64; i32 for 8-bit integers.
    `fast_acc` lets products of 8-bit floats be added with less precision, which is faster where the GPU can.
    """
    ...


@intrinsic(lambda: products.mma_scaled)
def mma_scaled(a: Tile, a_scale: Tile, b: Tile, b_scale: Tile, acc: Tile[f32]) -> Tile[f32]:
    """`(a * a_scale) @ (b * b_scale) + acc`, where consecutive elements along K share a scale. From sm_100 on.

    `a` is `(M, K)` and its scales `(M, K // n)`, `b` is `(K, N)` and its scales `(K // n, N)`, or each with one batch
    axis before. 8-bit floats are scaled by f8e8m0fnu with n = 32; f4e2m1fn by f8e8m0fnu or f8e5m3fnu with 16 or 32, by
    f8e4m3fn with 16. `acc` is f32.
    """
    ...


@intrinsic(lambda: random_numbers.bits)
def random_bits(seed: Operand, counters: Tile) -> Tile[u32]:
    """32 random bits an element, as `u32`: Philox4x32-10 of a counter and a seed, the same on every machine."""
    ...


@intrinsic(lambda: random_numbers.uniform)
def random_uniform(seed: Operand, counters: Tile) -> Tile[f32]:
    """`f32` numbers from 0 up to but not 1, by the upper 24 of the bits of `random_bits`."""
    ...
