"""Sums, means and extremes along any axis, where extremes are, and rows divided by their norms."""

from __future__ import annotations

from math import gcd, prod
from typing import Any, Final

import freehold as fh
from freehold import Const, Out, Ref, f32, i32
from freehold.kernels.arguments import Tensor, axis_of, function
from freehold.kernels.operators import operator, wide_dtype
from freehold.kernels.schedules import LONGEST, PROCESSORS, ceildiv, hinted, power_of_two
from freehold.kernels.tiles import accumulator, columns, part, safe, wide

FOLDS: Final = ("sum", "mean", "amax", "amin", "abs sum", "square sum")
NORMS: Final = {1: "abs sum", 2: "square sum"}

# --- Kernels ----------------------------------------------------------------------------------------------------------


@safe
def sum_of_rows(y: Out["N"], x: Ref["M", "N"], R: Const[int] = 32):
    """y = x.sum(axis=0), in the same order every time."""
    acc = fh.zeros((R, y.tile[0]), accumulator(x.dtype))
    for i in fh.tiles(x, axis=0, size=R):
        acc += wide(x.load((i, y.index[0]), (R, y.tile[0]), allow_tma=False))
    y.store(acc.sum(axis=0).astype(y.dtype))


def nothing(KIND: str) -> float:
    """What a reduction of nothing is."""
    return float("-inf") if KIND == "amax" else float("inf") if KIND == "amin" else 0.0


def joined(acc: Any, t: Any, KIND: str) -> Any:
    """The elements of a tile, and what was found before in their places."""
    match KIND:
        case "amax":
            return fh.maximum(acc, t)
        case "amin":
            return fh.minimum(acc, t)
        case "abs sum":
            return acc + abs(t)
        case "square sum":
            return acc + t * t
        case _:
            return acc + t


def closed(acc: Any, KIND: str) -> Any:
    """The reduction of a tile along its axis 1."""
    if KIND == "amax":
        return acc.max(axis=1)
    return acc.min(axis=1) if KIND == "amin" else acc.sum(axis=1)


def folded(x: Any, at: tuple[Any, Any], tile: tuple[int, ...], KIND: str, start: Any = 0, step: Any = 1) -> Any:
    """The reduction of the tiles of `x` along its middle axis, from tile `start` on, each `step`-th of them."""
    acc = fh.full(tile, nothing(KIND), accumulator(x.dtype))
    for k in fh.tiles(x, axis=1, size=tile[1], start=start, step=step):
        t = wide(x.load((at[0], k, at[1]), tile))
        if KIND in ("amax", "amin"):
            t = fh.where((k * tile[1] + fh.arange(tile[1]))[None, :, None] < x.shape[1], t, nothing(KIND))
        acc = joined(acc, t, KIND)
    return closed(acc, KIND)


def folded_rows(x: Any, row: Any, tile: tuple[int, ...], KIND: str, start: Any = 0, step: Any = 1) -> Any:
    """As `folded`, along the rows of a matrix."""
    acc = fh.full(tile, nothing(KIND), accumulator(x.dtype))
    for k in fh.tiles(x, axis=1, size=tile[1], start=start, step=step):
        t = wide(x.load((row, k), tile))
        if KIND in ("amax", "amin"):
            t = fh.where((k * tile[1] + fh.arange(tile[1]))[None, :] < x.shape[1], t, nothing(KIND))
        acc = joined(acc, t, KIND)
    return closed(acc, KIND)


@safe
def fold_axis(y: Out["A", "P", "C"], x: Ref["A", "R", "C"], KIND: Const[str], TR: Const[int]):
    """One of `FOLDS` along the middle axis, in P parts: part p has every P-th tile of TR. The mean is of one part."""
    a, p, c = y.index
    TA, _, TC = y.tile
    found = folded(x, (a, c), (TA, TR, TC), KIND, p, y.shape[1])
    if KIND == "mean":
        fh.require("P == 1", "a mean is of one part")
        found = found / x.shape[1].astype(found.dtype)
    y.store(found[:, None, :].astype(y.dtype))


def better_of(t: Any, k: Any, best: Any, found: Any, LEAST: bool) -> Any:
    """The better elements of a tile and of those before, and which turns they are of; nothing is better than NaN."""
    better = ~(t >= best if LEAST else t <= best) & (best == best)
    return fh.where(better, t, best), fh.where(better, k, found)


def first_of_best(best: Any, place: Any, LEAST: bool) -> Any:
    """The first place along axis 1 of what is best there."""
    top = best.min(axis=1, keepdims=True) if LEAST else best.max(axis=1, keepdims=True)
    there = (best == top) | (fh.isnan(best) & fh.isnan(top))
    return fh.where(there, place, 0x7FFFFFFF).min(axis=1)


@safe
def extreme_axis(y: Out["A", "C"], x: Ref["A", "R", "C"], LEAST: Const[bool], TR: Const[int]):
    """Where the middle axis is largest, or with `LEAST` smallest: the first of equals, or the first NaN."""
    a, c = y.index
    TA, TC = y.tile
    begin = float("inf") if LEAST else float("-inf")
    tile = TA, TR, TC
    best, found = fh.full(tile, begin, accumulator(x.dtype)), fh.zeros(tile, i32)
    row = fh.arange(TR)[None, :, None]
    for k in fh.tiles(x, axis=1, size=TR):
        t = fh.where(k * TR + row < x.shape[1], wide(x.load((a, k, c), tile)), begin)
        best, found = better_of(t, k, best, found, LEAST)
    y.store(first_of_best(best, found * TR + row, LEAST).astype(y.dtype))


@safe
def extreme_rows(y: Out["A"], x: Ref["A", "R"], LEAST: Const[bool], TR: Const[int], ONCE: Const[bool]):
    """As `extreme_axis`, along the rows of a matrix, whose elements are next to one another; `ONCE`: in one tile."""
    (a,) = y.index
    begin = float("inf") if LEAST else float("-inf")
    tile = y.tile[0], TR
    place = fh.arange(TR)[None, :]
    if ONCE:
        fh.require("R <= TR", "a row fits a tile")
        best = fh.where(place < x.shape[1], wide(x.load((a, 0), tile)), begin)
    else:
        best, found = fh.full(tile, begin, accumulator(x.dtype)), fh.zeros(tile, i32)
        for k in fh.tiles(x, axis=1, size=TR):
            t = fh.where(k * TR + place < x.shape[1], wide(x.load((a, k), tile)), begin)
            best, found = better_of(t, k, best, found, LEAST)
        place = found * TR + place
    y.store(first_of_best(best, place, LEAST).astype(y.dtype))


@safe
def extreme_of_parts(
    y: Out["A", "C"], found: Ref[i32, "A", "P", "C"], x: Ref["A", "R", "C"], LEAST: Const[bool], F: Const[int]
):
    """As `extreme_axis`, where it is known of each F-th row from each of the first F on, counted in steps of F."""
    a, c = y.index
    TA, TC = y.tile
    row, column = (y.start[0] + fh.arange(TA))[:, None], (y.start[1] + fh.arange(TC))[None, :]
    first = fh.zeros((TA, TC), i32)
    best = fh.zeros((TA, TC), accumulator(x.dtype))
    for j in fh.static_range(F):
        place = found.load((a, j, c), (TA, 1, TC)).reshape(TA, TC) * F + j
        t = wide(x.gather(row, place, column))
        better = t < best if LEAST else t > best
        both = fh.isnan(t) & fh.isnan(best)
        better = better | (((t == best) | both) & (place < first)) | (fh.isnan(t) & ~fh.isnan(best))
        if j == 0:
            better = place >= 0
        first, best = fh.where(better, place, first), fh.where(better, t, best)
    y.store(first.astype(y.dtype))


@safe
def fold_rows(y: Out["A", "P"], x: Ref["A", "R"], KIND: Const[str], TR: Const[int]):
    """As `fold_axis`, along the rows of a matrix."""
    a, p = y.index
    found = folded_rows(x, a, (y.tile[0], TR), KIND, p, y.shape[1])
    if KIND == "mean":
        fh.require("P == 1", "a mean is of one part")
        found = found / x.shape[1].astype(found.dtype)
    y.store(found[:, None].astype(y.dtype))


def scale_of(sums: Any, count: Any, eps: f32, KIND: str, MEAN: bool) -> Any:
    """What to multiply by to divide by a norm: a sum of absolutes, or the root of one of squares, each at least eps."""
    least = eps.astype(sums.dtype)
    if MEAN:
        sums = sums / count.astype(sums.dtype) + least
        return fh.rsqrt(sums) if KIND == "square sum" else 1.0 / sums
    return 1.0 / fh.maximum(fh.sqrt(sums) if KIND == "square sum" else sums, least)


@safe
def divide_by_norm(
    y: Out["A", "R", "C"],
    x: Ref["A", "R", "C"],
    eps: f32,
    KIND: Const[str],
    MEAN: Const[bool],
    WHOLE: Const[bool] = False,
):
    """y = x / norm of the middle axis, which is read once where a tile has the `WHOLE` of it."""
    a, c = y.index
    if WHOLE:
        fh.require(x.shape[1] <= y.tile[1], "a tile has all of the axis")
        t = wide(x.load((a, 0, c), y.tile, allow_tma=False))
        sums = closed(joined(fh.zeros(y.tile, t.dtype), t, KIND), KIND)[:, None, :]
        y.at(0).store((t * scale_of(sums, x.shape[1], eps, KIND, MEAN)).astype(y.dtype), allow_tma=False)
        return
    scale = scale_of(folded(x, (a, c), y.tile, KIND)[:, None, :], x.shape[1], eps, KIND, MEAN)
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        y.at(k).store((wide(x.load((a, k, c), y.tile)) * scale).astype(y.dtype))


@safe
def divide_rows_by_norm(
    y: Out["A", "R"], x: Ref["A", "R"], eps: f32, KIND: Const[str], MEAN: Const[bool], K: Const[int] = 0
):
    """As `divide_by_norm`, along the rows of a matrix; with `K` they are so many tiles, and stay in registers."""
    (a,) = y.index
    if K:
        acc = fh.zeros(y.tile, accumulator(x.dtype))
        for k in columns(x, y.tile[1], K):
            acc = joined(acc, part(x, (a, k), y.tile), KIND)
        sums = closed(acc, KIND)
    else:
        sums = folded_rows(x, a, y.tile, KIND)
    scale = scale_of(sums[:, None], x.shape[1], eps, KIND, MEAN)
    for k in columns(y, y.tile[1], K, back=True):
        t = part(x, (a, k), y.tile) if K else wide(x.load((a, k), y.tile))
        y.at(k).store((t * scale).astype(y.dtype), allow_tma=not K)


@safe
def divide_rows_by_sums(
    y: Out["A", "R"], x: Ref["A", "R"], sums: Ref["A"], eps: f32, KIND: Const[str], MEAN: Const[bool]
):
    """As `divide_rows_by_norm`, of sums that are there already."""
    a, _ = y.index
    scale = scale_of(sums.load((a,), (y.tile[0],))[:, None], x.shape[1], eps, KIND, MEAN)
    y.store((part(x, y.index, y.tile) * scale).astype(y.dtype), allow_tma=False)


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def reduce(x: Tensor, kind: str, dim: int | tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
    """
    One of `FOLDS` of `x`, of floats, along an axis, neighbouring axes, or all: "sum", "mean", "amax", "amin", "abs sum"
    or "square sum".

    In the dtype of `x`, computed in float32, or float64 for float64. Extremes of NaN are NaN. All but extremes are
    differentiable. Raises `ValueError` for other kinds, and axes that are no neighbours.
    """
    if kind not in FOLDS:
        raise ValueError(f"a reduction is one of {', '.join(FOLDS)}, not {kind!r}")
    seen, shape = _seen(x, dim, keepdim)
    return _fold(seen, kind).reshape(shape)


@function()
def argmax(x: Tensor, dim: int = -1, keepdim: bool = False) -> Tensor:
    """Where `x`, of floats, is largest along an axis: the first of equals, or the first NaN, in int64."""
    seen, shape = _seen(x, dim, keepdim)
    return _extreme(seen, False).reshape(shape)


@function()
def argmin(x: Tensor, dim: int = -1, keepdim: bool = False) -> Tensor:
    """Where `x`, of floats, is smallest along an axis: the first of equals, or the first NaN, in int64."""
    seen, shape = _seen(x, dim, keepdim)
    return _extreme(seen, True).reshape(shape)


@function()
def normalize(
    x: Tensor, p: int = 2, dim: int | tuple[int, ...] | None = -1, *, mean: bool = False, eps: float = 1e-12
) -> Tensor:
    """
    x / max(norm, eps) along an axis, neighbouring axes, or all (None), for the norm `p` 1 or 2: as
    `torch.nn.functional.normalize`.

    With `mean` it is divided by `mean(abs(x)) + eps`, or by `sqrt(mean(x ** 2) + eps)`. In the dtype of `x`. No
    gradients. Raises `ValueError` for other norms, and axes that are no neighbours.
    """
    if p not in NORMS:
        raise ValueError(f"a norm is 1 or 2, not {p!r}")
    return _normalize(_seen(x, dim, True)[0], NORMS[p], mean, eps).reshape(x.shape)


def _seen(x: Any, dim: int | tuple[int, ...] | None, keepdim: bool) -> tuple[Any, tuple[int, ...]]:
    """`x` with what is in front of the axes, the axes, and what is behind them; and the shape of a reduction."""
    if dim is None and not x.dim():
        return x.reshape(1, 1, 1), ()
    given = range(x.dim()) if dim is None else (dim,) if isinstance(dim, int) else dim
    axes = sorted(axis_of(x, d) for d in given)
    if len(set(axes)) < len(axes):
        raise ValueError(f"each axis once, not {dim}")
    if not axes or axes[-1] - axes[0] >= len(axes):
        raise ValueError(f"axes that are neighbours, not {dim}")
    one, two, three = x.shape[: axes[0]], x.shape[axes[0] : axes[-1] + 1], x.shape[axes[-1] + 1 :]
    kept = (1,) * len(axes) if keepdim else ()
    return x.reshape(prod(one), prod(two), prod(three)), (*one, *kept, *three)


# --- Operators --------------------------------------------------------------------------------------------------------


def axis_tile(A: int, R: int, C: int, wide: int = 128, most: int = 4096) -> tuple[int, int, int]:
    """A tile of about `most` elements, at most `wide` along the last axis, for a walk along the middle one."""
    width = min(wide, power_of_two(C))
    high = min(most // width, power_of_two(R))
    return min(most // (width * high), power_of_two(A)), high, width


def row_tile(A: int, R: int, most: int = 4096) -> tuple[int, int]:
    """A tile of about `most` elements for a walk along rows."""
    width = min(most, power_of_two(R))
    return min(most // width, power_of_two(A)), width


def _blocks(A: int, C: int, tile: tuple[int, ...]) -> int:
    """How many blocks a reduction of (A, R, C) along R has that is not in parts."""
    return ceildiv(A, tile[0]) * (1 if C == 1 else ceildiv(C, tile[2]))


def _in_parts(x: Any, kind: str, tile: tuple[int, ...]) -> Any:
    """What `kind` is of x (A, R, C) in parts, (A, P, C), as many as fill a GPU."""
    A, R, C = x.shape
    P = max(1, min(ceildiv(R, tile[1]), 4 * PROCESSORS // _blocks(A, C, tile)))
    parts = x.new_empty((A, P, C), dtype=wide_dtype(x))
    _launch_fold(parts, x, kind, tile)
    return parts


def _launch_fold(y: Any, x: Any, kind: str, tile: tuple[int, ...]) -> None:
    if x.shape[2] == 1:
        hinted(fold_rows, _hints(x))(fh.partition(y[:, :, 0], (tile[0], 1)), x[:, :, 0], kind, tile[1]).on()
    else:
        hinted(fold_axis, _hints(x))(fh.partition(y, (tile[0], 1, tile[2])), x, kind, tile[1]).on()


def joined_rows(x: Any) -> int:
    """
    How many neighbouring rows of x (A, R, C) to see as one, so that each begins at a multiple of 16 bytes, which a GPU
    loads at once: 1 where rows do already, or cannot.
    """
    _, R, C = x.shape
    count = 16 // gcd(16, C * x.element_size())
    return count if R % count == 0 and R // count >= _JOINED and x.is_contiguous() and C > 1 else 1


_JOINED: Final = 64
"""Joined rows from which on it is worth a second pass."""


def _tile(A: int, R: int, C: int) -> tuple[int, ...]:
    """How `fold_axis` is cut: in large tiles where they keep the GPU busy, and else in small ones."""
    if C == 1:
        high, width = row_tile(A, R)
        return 2 * high if 32 * high * PROCESSORS <= A else high, width
    return axis_tile(A, R, C, 256 if C >= 256 and A * ceildiv(C, 256) > 2 * PROCESSORS else 64)


def _hints(x: Any) -> dict[str, int]:
    """What keeps an H200 reading: rows of 65536 x 2048 `f32` without hints take 3.2 times as long."""
    return {"num_worker_warps": 8 if x.element_size() == 8 else 4, "occupancy": 4}


@operator(
    "fold_axis(Tensor x, str kind) -> Tensor",
    results=lambda x, kind: x.new_empty((x.shape[0], x.shape[2])),
    takes={"x": "floats"},
)
def _fold(y: Any, x: Any, kind: str) -> None:
    together = joined_rows(x)
    if together > 1:
        count, rows, length = x.shape
        seen = x.view(count, -1, together * length)
        parts = x.new_empty((count, 1, together * length), dtype=wide_dtype(x))
        _launch_fold(parts, seen, "sum" if kind == "mean" else kind, _tile(count, seen.shape[1], seen.shape[2]))
        if kind == "mean":
            parts.div_(rows)
        x, kind = parts.view(count, together, length), kind if kind in ("amax", "amin") else "sum"
    A, R, C = x.shape
    tile = _tile(A, R, C)
    if _blocks(A, C, tile) * 2 <= (4 if C == 1 else 3) * PROCESSORS and tile[1] < R:
        parts = _in_parts(x, "sum" if kind == "mean" else kind, tile)
        if kind == "mean":
            parts.div_(R)
        x, kind = parts, kind if kind in ("amax", "amin") else "sum"
        tile = _tile(*parts.shape)
    _launch_fold(y.unsqueeze(1), x, kind, tile)


@_fold.backward(keeps=lambda inputs, output: inputs[:1])
def _fold_gradient(ctx: Any, dy: Any) -> tuple[Any, ...]:
    (x,), (kind,) = ctx.saved_tensors, ctx.arguments
    dy = dy[:, None, :]
    if kind in ("sum", "mean"):
        return (dy / x.shape[1] if kind == "mean" else dy).expand(x.shape), None
    if kind in ("amax", "amin"):
        raise NotImplementedError(f"{kind} has no gradient here")
    return dy * (x.sign() if kind == "abs sum" else 2 * x), None


def _places(x: Any, least: bool) -> Any:
    return x.new_empty((x.shape[0], x.shape[2])).long()


def _extreme_hints(x: Any) -> dict[str, int]:
    """Of `extreme_axis`: found on an H200 with 4 and 2 bytes."""
    size = x.element_size()
    return {"num_worker_warps": 8 if size == 8 else 4, "occupancy": 2 if size == 2 else 4}


@operator("extreme_axis(Tensor x, bool least) -> Tensor", results=_places, takes={"x": "floats"})
def _extreme(y: Any, x: Any, least: bool) -> None:
    A, R, C = x.shape
    if C == 1:
        high, width = row_tile(A, R)
        hints = _hints(x) if width < R or x.element_size() == 8 else {"num_worker_warps": 4, "occupancy": 8}
        hinted(extreme_rows, hints)(fh.partition(y[:, 0], high), x[:, :, 0], least, width, width >= R).on()
        return
    together = joined_rows(x)
    seen = x.view(A, -1, together * C)
    out = y if together == 1 else x.new_empty(A, together * C).int()
    tile = axis_tile(A, seen.shape[1], together * C)
    hinted(extreme_axis, _extreme_hints(seen))(fh.partition(out, (tile[0], tile[2])), seen, least, tile[1]).on()
    if together > 1:
        region = fh.partition(y, (min(1024 // tile[2], power_of_two(A)), tile[2]))
        extreme_of_parts(region, out.view(A, together, C), x, least, together).on()


@operator(
    "divide_by_norm(Tensor x, str kind, bool mean, float eps) -> Tensor",
    results=lambda x, kind, mean, eps: x.new_empty(x.shape),
    takes={"x": "floats"},
)
def _normalize(y: Any, x: Any, kind: str, mean: bool, eps: float) -> None:
    A, R, C = x.shape
    if C > 1:
        whole = power_of_two(R) <= _WHOLE
        tile = axis_tile(A, R, C, max(16, 4096 // power_of_two(R)) if whole else 128)
        divide_by_norm(fh.partition(y, tile, owned=1), x, eps, kind, mean, whole).on()
        return
    out, rows, tile = y[:, :, 0], x[:, :, 0], row_tile(A, R)
    if ceildiv(A, tile[0]) >= PROCESSORS:
        kernel: Any = divide_rows_by_norm
        count = 0
        if 2 * LONGEST < R <= 8 * LONGEST and x.dtype.itemsize == 4:  # several multiprocessors have a row in registers
            ctas = power_of_two(ceildiv(R, LONGEST))
            tile = 1, 1024 * ctas
            count = ceildiv(R, tile[1])
            kernel = hinted(kernel, {"num_worker_warps": 8, "occupancy": 2, "num_cta_in_cga": ctas})
        elif R > 8192:  # few rows at once, so that their second reading is of the cache
            kernel, tile = hinted(kernel, {"num_worker_warps": 16, "occupancy": 1}), (1, 8192)
        else:
            kernel = hinted(kernel, _hints(x))
        kernel(fh.partition(out, tile, owned=1), rows, eps, kind, mean, count).on()
        return
    parts = _in_parts(x, kind, tile)
    sums = parts.new_empty((A, 1, 1))
    _launch_fold(sums, parts, "sum", row_tile(A, parts.shape[1]))
    of_each = fh.partition(out, (1, min(4096 // out.dtype.itemsize, power_of_two(R))))
    hints = {"num_worker_warps": 8, "occupancy": 8}
    hinted(divide_rows_by_sums, hints)(of_each, rows, sums[:, 0, 0], eps, kind, mean).on()


_WHOLE: Final = 256
"""Elements of an axis that stay in registers, at most: 16 others stand beside each then."""


def sum_rows(y: Any, x: Any) -> None:
    """Writes the sums over the rows of the matrix `x` to `y`."""
    hinted(sum_of_rows, {"num_worker_warps": 4, "occupancy": 4})(fh.partition(y, 32), x, 64).on()
