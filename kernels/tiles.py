"""What the kernels share: how they are declared, the precision they compute in, walks along rows, exponentials."""

from __future__ import annotations

from typing import Any, Final

import freehold as fh
from freehold import Tile, f32, f64

LOG2E: Final = 1.4426950408889634
"""The binary logarithm of e."""

safe: Final = fh.kernel(deny_kernel_checks=True, deny_unsafe=True, overlap=True)
"""A kernel of which everything is proved or asked of the launch: nothing unsafe, nothing checked while it runs."""

safe_with_data: Final = fh.kernel(deny_unsafe=True, overlap=True)
"""A kernel with nothing unsafe that indexes by numbers from memory, which it checks once a block."""


def safe_early(*names: str) -> Any:
    """As `safe`, of a kernel that loads arguments of these names while the kernels in front of it end."""
    return fh.kernel(deny_kernel_checks=True, deny_unsafe=True, overlap=names)


def accumulator(dtype: Any) -> Any:
    """The dtype that sums of elements of `dtype` are computed in: `f64` for `f64`, else `f32`."""
    return f64 if dtype == f64 else f32


def wide(tile: Any) -> Any:
    """The elements in the dtype in which they are computed with."""
    return tile.astype(f64 if tile.dtype == f64 else f32)


def extents_agree(TA: bool, TB: bool) -> None:
    """Asks that the extents of c (M, N), a (A, B) and b (P, Q) fit a product, with `TA` and `TB` of transposes."""
    fh.require("M == B" if TA else "M == A")
    fh.require("N == P" if TB else "N == Q")
    if TA:
        fh.require("A == Q" if TB else "A == P")
    else:
        fh.require("B == Q" if TB else "B == P")


def columns(x: Any, width: int, K: int, back: bool = False) -> Any:
    """
    The tiles of `width` along the rows of the matrix `x`. With `K` they are as many, and unrolled: what a later walk
    loads again stays in registers. With 0 there may be any number, `back` from the end: what was loaded last is what
    caches still have.
    """
    fh.require(K == 0 or fh.cdiv(x.shape[1], width) == K, "K is the number of tiles in a row")
    if K:
        return fh.static_range(K)
    tiles = fh.tiles(x, axis=1, size=width)
    return reversed(tiles) if back else tiles


def after_held(x: Any, width: int, K: int, N: Any, H: int, back: bool = False) -> Any:
    """As `columns`, without the first H of rows of length N, which stay in registers."""
    length: Any = N or 0
    fh.static_assert(H == 0 or (K == 0 and 0 < H * width < length and length % width == 0), "rows of whole tiles")
    if H:
        return reversed(range(H, length // width)) if back else range(H, length // width)
    return columns(x, width, K, back)


def part(x: Any, at: Any, tile: tuple[int, ...], padding: str = "zero") -> Any:
    """A tile of a row to compute with. Each thread loads what it computes with, which is faster here than by TMA."""
    return wide(x.load(at, tile, padding=padding, allow_tma=False))


def exponential(t: Any) -> Any:
    """e ** t. Of `f32` by one instruction: the relative error is at most 2**-22 + abs(t) * 2**-24."""
    if t.dtype == f64:
        return fh.exp(t)
    return fh.exp2(t * LOG2E, flush_to_zero=True)


def quotient(x: Any, y: Any) -> Any:
    """x / y. Of `f32` by an approximate reciprocal: 2 units in the last place; 0 where abs(y) is above 2**126."""
    if y.dtype == f64:
        return x / y
    return fh.divide(x, y, rounding=fh.Rounding.APPROX, flush_to_zero=True)


def sigmoid(t: Any) -> Any:
    """1 / (1 + e ** -t)."""
    return quotient(1.0, 1.0 + exponential(-t))


def above(t: Any) -> Any:
    """What to take from numbers whose maximum is `t` before `exponential`: `t`, and 0 where that is -inf."""
    return fh.where(t == float("-inf"), 0.0, t)


def softened(t: Any, top: Any, scale: Any, less: Any, LOG: bool) -> Any:
    """
    Softmax of numbers of a row, or its logarithm. `top` is the largest, or near it: exponentials above it have a sum of
    which `less` is the logarithm and `scale` the reciprocal.
    """
    return t - top - less if LOG else exponential(t - top) * scale


def store_of_rows(part: Any, t: Any) -> None:
    """Stores a number of each row, a column of them, where the call has an array for them."""
    if part is not None:
        part.store(t.reshape(part.tile))


def places(start: Any, count: int) -> Tile:
    """The integers from `start` on."""
    return start + fh.arange(count)
