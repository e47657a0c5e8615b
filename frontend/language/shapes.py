"""Making tiles, and giving them other shapes."""

from __future__ import annotations

from freehold.frontend.intrinsics import intrinsic
from freehold.frontend.language.tile import AnyDType, Index, Operand, Shape, Tile


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


@intrinsic
def extract(x: Tile, index: Index | tuple[Index, ...], shape: Shape) -> Tile:
    """
    The part of `shape` at `index`, counted in parts along each axis: `extract(t, (1, i), (16, 16))`.

    An index that is known is in range, or -1 for the last part and so on; one that is computed is taken modulo the
    number of parts.
    """
    ...


@intrinsic
def insert(x: Tile, index: Index | tuple[Index, ...], part: Operand) -> Tile:
    """`x` with `part` in the place of what `extract(x, index, part.shape)` is; a scalar takes that of one element."""
    ...


@intrinsic
def pack(x: Tile) -> Tile:
    """The bytes of each row, as `u8`: little-endian, elements of less than a byte from the lowest bits."""
    ...


@intrinsic
def unpack(x: Tile, dtype: AnyDType) -> Tile:
    """The elements that the bytes of each row hold, the first in the lowest bits: `unpack(bytes, f4e2m1fn)`."""
    ...
