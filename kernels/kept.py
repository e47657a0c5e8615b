"""Softmax and norms of rows of 16-bit numbers that stay in registers as they are in memory, until they are stored."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import freehold as fh
from freehold import Const, Out, Ref, f32, i32
from freehold.kernels.schedules import PROCESSORS, cut, hinted
from freehold.kernels.tiles import above, exponential, part, quotient, safe, wide

_GROUP: Final = 8
"""Neighbours of a row that one thread has."""


class Kept(NamedTuple):
    """How rows of one length are kept: the width of a tile, warps, and blocks a multiprocessor."""

    width: int
    warps: int
    occupancy: int

    @property
    def hints(self) -> dict[str, int]:
        """The kernel's hints."""
        return {"num_worker_warps": self.warps, "occupancy": self.occupancy}


SOFTMAX: Final = {32768: Kept(4096, 16, 2)}
"""Lengths of rows that are faster so, as measured on an H200."""
RMS: Final = {16384: Kept(2048, 8, 4), 32768: Kept(4096, 16, 2)}
LAYER: Final = {2048: Kept(512, 2, 16), 16384: Kept(4096, 16, 3), 32768: Kept(4096, 16, 2)}


def kept_way(found: dict[int, Kept], x: Any) -> Kept | None:
    """How the rows of the matrix `x` are kept; None where they are not."""
    return found.get(x.shape[1]) if x.dtype.itemsize == 2 and x.shape[0] > 2 * PROCESSORS else None


def groups(t: Any) -> Any:
    """A tile of one row, 8 neighbours along an axis of their own."""
    return t.reshape(1, t.shape[1] // _GROUP, _GROUP)


def again(t: Any, nothing: Any) -> Any:
    """
    The elements of a tile to compute with, converted anew, where `nothing` is a 0 that was computed, of the tile or of
    each 8 neighbours: what is converted once stays in registers in 32 bits until its last use, which are too many.
    """
    bits = fh.unpack(fh.pack(t.reshape(t.shape[1])), i32).reshape(1, t.shape[1] // _GROUP, _GROUP // 2)
    bits = (bits | nothing[:, :, None]).reshape(t.shape[1] // 2)
    return wide(fh.unpack(fh.pack(bits), t.dtype)).reshape(t.shape)


def infinite(t: Any) -> Any:
    """0, and 1 where a number is infinite: then what is computed of it is not a number in any case."""
    return fh.where(t == float("inf"), 1, 0)


def negative(t: Any) -> Any:
    """0, of numbers of which only the compiler does not know that they are not negative."""
    return fh.where(t < 0.0, 1, 0)


def row_of(x: Any, i: Any, tile: Any, K: int) -> Any:
    """The K tiles of row i, as they are in memory."""
    fh.require(fh.cdiv(x.shape[1], tile[1]) == K, "K is the number of tiles in a row")
    kept: Any = ()
    for k in fh.static_range(K):
        kept = (*kept, x.load((i, k), tile, allow_tma=False))
    return kept


# freehold: K=2 N=1024
@safe
def softmax_kept(y: Out["M", "N"], x: Ref["M", "N"], LOG: Const[bool], K: Const[int], N: Const[int]):
    """y = exp(x) / sum(exp(x)) along rows of N, which is K tiles, or its logarithm."""
    (i,) = y.index
    W = y.tile[1]
    kept = row_of(x, i, y.tile, K)
    most, sums = fh.full((1, W // 8), float("-inf"), f32), fh.zeros((1, W // 8), f32)
    for k in fh.static_range(K):
        most = fh.maximum(most, groups(wide(kept[k])).max(axis=2))
    base, nothing = above(most), infinite(most)
    for k in fh.static_range(K):
        sums += exponential(groups(again(kept[k], nothing)) - base[:, :, None]).sum(axis=2)
    top = above(most.max(axis=1, keepdims=True))
    total = (sums * exponential(most - top)).sum(axis=1, keepdims=True)
    scale, shift = quotient(1.0, total), top + fh.log(total)
    nothing = negative(scale)
    for k in fh.static_range(K):
        t = again(kept[k], nothing)
        y.at(k).store((t - shift if LOG else exponential(t - top) * scale).astype(y.dtype), allow_tma=False)


# freehold: K=2 N=1024
@safe
def rms_norm_kept(
    y: Out["M", "N"], rstd: Out["M"], x: Ref["M", "N"], w: Ref["N"], eps: fh.f32, K: Const[int], N: Const[int]
):
    """y = x / sqrt(mean(x ** 2) + eps) * w, along rows of N, which is K tiles; `rstd` is what x is multiplied by."""
    (i,) = y.index
    W = y.tile[1]
    kept = row_of(x, i, y.tile, K)
    sums = fh.zeros((1, W // 8), f32)
    for k in fh.static_range(K):
        t = groups(wide(kept[k]))
        sums += (t * t).sum(axis=2)
    scale = fh.rsqrt(quotient(sums.sum(axis=1, keepdims=True), y.shape[1].astype(f32)) + eps)
    rstd.store(scale.reshape(rstd.tile))
    nothing = negative(scale)
    for k in fh.static_range(K):
        t = again(kept[k], nothing) * scale * part(w, (k,), (W,))[None, :]
        y.at(k).store(t.astype(y.dtype), allow_tma=False)


# freehold: K=2 N=1024
@safe
def layer_norm_kept(
    y: Out["M", "N"],
    mean: Out["M"],
    rstd: Out["M"],
    x: Ref["M", "N"],
    w: Ref["N"],
    b: Ref["N"],
    eps: fh.f32,
    BIAS: Const[bool],
    K: Const[int],
    N: Const[int],
):
    """
    y = (x - mean) * rstd * w + b, along rows of N, which is K tiles; without `BIAS`, b is not looked at.

    Each thread has the moments of its elements, which are joined. Each tile begins with what the one in front of it has
    computed: else all of w and b would be loaded at once, for which there are no registers.
    """
    (i,) = y.index
    W = y.tile[1]
    kept = row_of(x, i, y.tile, K)
    sums, squares = fh.zeros((1, W // 8), f32), fh.zeros((1, W // 8), f32)
    for k in fh.static_range(K):
        sums += groups(wide(kept[k])).sum(axis=2)
    own = sums * (1.0 / (8 * K))
    nothing = infinite(own)
    for k in fh.static_range(K):
        away = groups(again(kept[k], nothing)) - own[:, :, None]
        squares += (away * away).sum(axis=2)
    middle = sums.sum(axis=1, keepdims=True) * (1.0 / (W * K))
    off = own - middle
    total = (squares + off * off * (8 * K)).sum(axis=1, keepdims=True)
    scale = fh.rsqrt(quotient(total, y.shape[1].astype(f32)) + eps)
    mean.store(middle.reshape(mean.tile))
    rstd.store(scale.reshape(rstd.tile))
    nothing, shift = negative(scale), -(middle * scale)
    for k in fh.static_range(K):
        t = again(kept[k], nothing) * scale + shift
        t = t * again(w.load((k,), (W,), allow_tma=False)[None, :], nothing)
        t = t + again(b.load((k,), (W,), allow_tma=False)[None, :], nothing) if BIAS else t
        first = groups(t).extract((0, 0, 0), (1, W // 8, 1)).reshape(1, W // 8)
        nothing = negative(fh.rsqrt(first * first + 1.0))
        y.at(k).store(t.astype(y.dtype), allow_tma=False)


def kept_launch(kernel: Any, way: Kept, y: Any, moments: tuple[Any, ...], *arguments: Any) -> Any:
    """The launch of a kernel of this file: the result, moments of rows, and what comes in front of `K` and `N`."""
    parts = cut(y, (1, way.width), owned=1), *(cut(t, (1,)) for t in moments)
    return hinted(kernel, way.hints)(*parts, *arguments, y.shape[1] // way.width, y.shape[1])
