"""Making tiles, and giving them other shapes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, overload

from freehold.frontend.intrinsics import intrinsic
from freehold.frontend.language.tile import AnyDType, E, Index, Operand, Shape, Tile
from freehold.support.lazy import Lazy

if TYPE_CHECKING:
    from freehold.frontend import creation, packing, pieces, shapes
    from freehold.frontend.language.tile import f32, i32, u8
else:
    creation = Lazy("freehold.frontend.creation")
    packing = Lazy("freehold.frontend.packing")
    pieces = Lazy("freehold.frontend.pieces")
    shapes = Lazy("freehold.frontend.shapes")

__all__ = [
    "arange",
    "bitcast",
    "broadcast_to",
    "concatenate",
    "expand_dims",
    "extract",
    "full",
    "insert",
    "ones",
    "pack",
    "permute",
    "reshape",
    "transpose",
    "unpack",
    "zeros",
]


@overload
def zeros(shape: Shape) -> Tile[f32]: ...
@overload
def zeros(shape: Shape, dtype: type[E]) -> Tile[E]: ...
@overload
def zeros(shape: Shape, dtype: AnyDType) -> Tile: ...
@intrinsic(lambda: partial(creation.filled, number=0))
def zeros(shape: Shape, dtype: AnyDType = ...) -> Tile:
    """A tile of zeros, `f32` unless another dtype is given."""
    ...


@overload
def ones(shape: Shape) -> Tile[f32]: ...
@overload
def ones(shape: Shape, dtype: type[E]) -> Tile[E]: ...
@overload
def ones(shape: Shape, dtype: AnyDType) -> Tile: ...
@intrinsic(lambda: partial(creation.filled, number=1))
def ones(shape: Shape, dtype: AnyDType = ...) -> Tile:
    """A tile of ones, `f32` unless another dtype is given."""
    ...


@overload
def full(shape: Shape, value: Operand) -> Tile: ...
@overload
def full(shape: Shape, value: Operand, dtype: type[E]) -> Tile[E]: ...
@overload
def full(shape: Shape, value: Operand, dtype: AnyDType) -> Tile: ...
@intrinsic(lambda: creation.full)
def full(shape: Shape, value: Operand, dtype: AnyDType = ...) -> Tile:
    """A tile that holds `value` everywhere, of the value's dtype unless another is given."""
    ...


@overload
def arange(stop: int, /) -> Tile[i32]: ...
@overload
def arange(stop: int, dtype: type[E], /) -> Tile[E]: ...
@overload
def arange(stop: int, dtype: AnyDType, /) -> Tile: ...
@overload
def arange(stop: int, /, *, dtype: type[E]) -> Tile[E]: ...
@overload
def arange(stop: int, /, *, dtype: AnyDType) -> Tile: ...
@overload
def arange(stop: int, /, *, step: int, dtype: AnyDType = ...) -> Tile: ...
@overload
def arange(start: int, stop: int, step: int = 1, /) -> Tile[i32]: ...
@overload
def arange(start: int, stop: int, step: int = 1, /, *, dtype: type[E]) -> Tile[E]: ...
@overload
def arange(start: int, stop: int, step: int = 1, /, *, dtype: AnyDType) -> Tile: ...
@intrinsic(lambda: creation.arange)
def arange(start: Any, stop: Any = ..., step: Any = ..., dtype: Any = ...) -> Tile:
    """
    The integers from 0, or from `start`, up to `stop` by `step`; as many as a power of two.

    All three are known at compile time. The dtype is `i32` unless another is given, last or by its name.
    """
    ...


@intrinsic(lambda: shapes.reshaped)
def reshape(x: Tile[E], shape: Shape) -> Tile[E]:
    """As `x.reshape(shape)`."""
    ...


@intrinsic(lambda: partial(shapes.permuted, reverse=False))
def permute(x: Tile[E], axes: tuple[int, ...]) -> Tile[E]:
    """As `x.permute(axes)`."""
    ...


@intrinsic(lambda: partial(shapes.permuted, reverse=True))
def transpose(x: Tile[E], axes: tuple[int, ...] | None = None) -> Tile[E]:
    """As `x.transpose(axes)`."""
    ...


@intrinsic(lambda: shapes.expand_dims)
def expand_dims(x: Tile[E], axis: int) -> Tile[E]:
    """`x` with a new axis of extent 1 at `axis`."""
    ...


@overload
def broadcast_to(x: Tile[E], shape: Shape) -> Tile[E]: ...
@overload
def broadcast_to(x: Operand, shape: Shape) -> Tile: ...
@intrinsic(lambda: shapes.broadcast_to)
def broadcast_to(x: Operand, shape: Shape) -> Tile:
    """`x` repeated to `shape`, by NumPy's rules."""
    ...


@intrinsic(lambda: shapes.concatenate)
def concatenate(parts: tuple[Tile[E], ...], axis: int = 0) -> Tile[E]:
    """Tiles of one shape, two, four, or more of a power of two, one after the other along `axis`."""
    ...


@overload
def bitcast(x: Tile, dtype: type[E]) -> Tile[E]: ...
@overload
def bitcast(x: Tile, dtype: AnyDType) -> Tile: ...
@intrinsic(lambda: shapes.bitcast)
def bitcast(x: Tile, dtype: AnyDType) -> Tile:
    """The same bits read as another dtype of the same width."""
    ...


@intrinsic(lambda: pieces.extract, method_of=Tile)
def extract(x: Tile[E], index: Index | tuple[Index, ...], shape: Shape) -> Tile[E]:
    """
    The part of `shape` at `index`, counted in parts along each axis: `extract(t, (1, i), (16, 16))`.

    An index that is known is in range, or -1 for the last part and so on; one that is computed is taken modulo the
    number of parts.
    """
    ...


@intrinsic(lambda: pieces.insert, method_of=Tile)
def insert(x: Tile[E], index: Index | tuple[Index, ...], part: Operand) -> Tile[E]:
    """`x` with `part` in the place of what `extract(x, index, part.shape)` is; a scalar takes that of one element."""
    ...


@intrinsic(lambda: packing.pack)
def pack(x: Tile) -> Tile[u8]:
    """The bytes of each row, as `u8`: little-endian, elements of less than a byte from the lowest bits."""
    ...


@overload
def unpack(x: Tile, dtype: type[E]) -> Tile[E]: ...
@overload
def unpack(x: Tile, dtype: AnyDType) -> Tile: ...
@intrinsic(lambda: packing.unpack)
def unpack(x: Tile, dtype: AnyDType) -> Tile:
    """The elements that the bytes of each row hold, the first in the lowest bits: `unpack(bytes, f4e2m1fn)`."""
    ...
