"""
Softmax and norms of long rows of 16-bit numbers, of which a part stays in registers and the rest is loaded again.

What was loaded last is loaded again first: then it comes from the L1 cache, which holds nearly as much as registers do.
The other way round, or with more than both hold, it comes from the L2 cache, or from memory.
"""

from __future__ import annotations

from typing import Any

import freehold as fh
from freehold import Const, Out, Ref, f32
from freehold.kernels.exponentials import FAR, first_number, in_range, power, powers
from freehold.kernels.kept import (
    first_tiles,
    loaded,
    loaded_ahead,
    marked,
    moments_of_sums,
    negative,
    numbers,
    of_each_pair,
    of_pairs,
    one_each,
    row_again,
    when_all_are_there,
    with_next,
    with_squares,
)
from freehold.kernels.row_schedules import Reloaded
from freehold.kernels.schedules import PROCESSORS, cut, hinted
from freehold.kernels.tiles import LOG2E, quotient, safe, store_of_rows


def staggered(i: Any, LATER: int) -> Any:
    """
    The index of a block, known late for three of four of those that begin first: by so many square roots one after the
    other for the second, twice and three times as many for the third and the fourth. Where a multiprocessor has one
    row at a time, and few in all, all of them would read at once, and then write.
    """
    if LATER == 0:
        return i
    roots: Any = fh.where(i < PROCESSORS, i % 4 * LATER, 0)
    t = fh.full((1, 1), 1.0, f32)
    for _ in range(roots):
        t = fh.rsqrt(t + 1.0)
    return fh.where(t.reshape(()) < 0.0, 0, i)  # never below 0, which no compiler knows


# freehold: K=3 N=1536 H=2 A=1 ALL=True EACH=True BEHIND=1 LATER=2
@safe
def softmax_reloaded(
    y: Out["M", "N"],
    x: Ref["M", "N"],
    LOG: Const[bool],
    K: Const[int],
    N: Const[int],
    H: Const[int],
    A: Const[int],
    ALL: Const[bool],
    EACH: Const[bool],
    BEHIND: Const[int],
    LATER: Const[int],
):
    """
    y = exp(x) / sum(exp(x)) along rows of N, which is K tiles, or its logarithm, as `softmax_once`, whose `ALL`,
    `EACH` and `BEHIND` it has. H tiles stay in registers, and the others are loaded again, `A` tiles ahead of their
    use, or with 0 by a loop. `LATER` is that of `staggered`.
    """
    fh.require(fh.cdiv(x.shape[1], y.tile[1]) == K, "K is the number of tiles in a row")
    i, W = staggered(y.index[0], LATER), y.tile[1]
    begin = first_number(x, (i, 0))
    base, sums = (begin * LOG2E)[:, :, None], fh.zeros((1, W // 8), f32)
    kept = first_tiles(x, i, y.tile, H)
    nothing = when_all_are_there(kept) if ALL else None
    for k in fh.static_range(H):
        sums += powers(numbers(kept[k], x.dtype, nothing), base)
        nothing = marked(sums) if EACH else nothing
    for k in range(H, K):
        sums += powers(numbers(loaded(x, (i, k), y.tile), x.dtype), base)
    total = sums.sum(axis=1, keepdims=True)
    if in_range(total) & (fh.abs(begin).max() < FAR):
        shift, natural = base + fh.log2(total)[:, :, None], (begin + fh.log(total))[:, :, None]

        def of(pair: tuple[Any, Any]) -> tuple[Any, Any]:
            first, second = pair
            return (first - natural, second - natural) if LOG else (power(first, shift), power(second, shift))

        nothing = negative(total)
        if A == 0:
            for k in reversed(range(H, K)):
                pair = of(numbers(loaded(x, (i, k), y.tile), x.dtype))
                y.at(k).store(of_pairs(*pair, y.dtype), allow_tma=False)
        else:

            def row(j: Any) -> Any:
                return loaded(x, (i, K - 1 - j), y.tile)

            again = loaded_ahead(row, K - H, A)
            for j in fh.static_range(K - H):
                again = with_next(again, row, j, K - H, A)
                pair = of(numbers(again[j], x.dtype, nothing))
                nothing = marked(one_each(pair[0], 0))
                y.at(K - 1 - j).store(of_pairs(*pair, y.dtype), allow_tma=False)
        for k in fh.static_range(H):
            pair = of(numbers(kept[k], x.dtype, nothing))
            if BEHIND and (k + 1) % BEHIND == 0:
                nothing = marked(one_each(pair[0], 0))
            y.at(k).store(of_pairs(*pair, y.dtype), allow_tma=False)
    else:
        row_again(y, x, i, LOG)


# freehold: K=3 N=1536 H=2 A=1 B=1 LATER=2
@safe
def rms_norm_reloaded(
    y: Out["M", "N"],
    rstd: Out["M"],
    x: Ref["M", "N"],
    w: Ref["N"],
    eps: fh.f32,
    K: Const[int],
    N: Const[int],
    H: Const[int],
    A: Const[int],
    B: Const[int],
    LATER: Const[int],
):
    """
    y = x / sqrt(mean(x ** 2) + eps) * w, along rows of N, which is K tiles; `rstd` is what x is multiplied by. H tiles
    stay in registers, and the others are loaded again, `A` tiles ahead of their use; w is loaded `B` tiles ahead.
    `LATER` is that of `staggered`.
    """
    fh.require(fh.cdiv(x.shape[1], y.tile[1]) == K, "K is the number of tiles in a row")
    (i,), W = y.index, y.tile[1]
    i = staggered(i, LATER)
    kept, squares = first_tiles(x, i, y.tile, H), fh.zeros((1, W // 8), f32)
    for k in fh.static_range(H):
        squares = with_squares(numbers(kept[k], x.dtype), 0.0, 0.0, squares)[1]
    for k in range(H, K):
        squares = with_squares(numbers(loaded(x, (i, k), y.tile), x.dtype), 0.0, 0.0, squares)[1]

    def weight(j: Any) -> Any:
        return loaded(w, (K - 1 - j,), (W,))

    def row(j: Any) -> Any:
        return loaded(x, (i, K - 1 - j), y.tile)

    weights = loaded_ahead(weight, K, B)
    scale = fh.rsqrt(quotient(squares.sum(axis=1, keepdims=True), y.shape[1].astype(f32)) + eps)
    store_of_rows(rstd, scale)
    nothing, scale = negative(scale), scale[:, :, None]
    again = loaded_ahead(row, K - H, A)
    for j in fh.static_range(K):
        k = K - 1 - j
        weights = with_next(weights, weight, j, K, B)
        again = with_next(again, row, j, K - H, A)
        t = kept[k] if k < H else again[j]
        (first, second), (u, v) = numbers(t, x.dtype, nothing), numbers(weights[j], w.dtype)
        first, second = first * scale * u, second * scale * v
        nothing = marked(one_each(first, 0))
        y.at(k).store(of_pairs(first, second, y.dtype), allow_tma=False)


# freehold: K=3 N=1536 H=2 A=1 B=1 LATER=2
@safe
def layer_norm_reloaded(
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
    H: Const[int],
    A: Const[int],
    B: Const[int],
    LATER: Const[int],
):
    """
    y = (x - mean) * rstd * w + b, along rows of N, which is K tiles; without `BIAS`, b is not looked at. `H`, `A`, `B`
    and `LATER` as of `rms_norm_reloaded`.
    """
    fh.require(fh.cdiv(x.shape[1], y.tile[1]) == K, "K is the number of tiles in a row")
    (i,), W = y.index, y.tile[1]
    i = staggered(i, LATER)

    def both(j: Any) -> Any:
        k = K - 1 - j
        return loaded(w, (k,), (W,)), loaded(b, (k,), (W,)) if BIAS else ()

    def row(j: Any) -> Any:
        return loaded(x, (i, K - 1 - j), y.tile)

    zeros = fh.zeros((1, W // 8), f32)
    kept, of_each = first_tiles(x, i, y.tile, H), (zeros, zeros)
    for k in fh.static_range(H):
        of_each = with_squares(numbers(kept[k], x.dtype), 0.0, *of_each)
    for k in range(H, K):
        of_each = with_squares(numbers(loaded(x, (i, k), y.tile), x.dtype), 0.0, *of_each)
    weights = loaded_ahead(both, K, B)
    middle, variance = moments_of_sums(x, i, y.tile, K, N, of_each)
    scale = fh.rsqrt(variance + eps)
    store_of_rows(mean, middle)
    store_of_rows(rstd, scale)
    nothing, shift, scale = negative(scale), -(middle * scale)[:, :, None], scale[:, :, None]
    again = loaded_ahead(row, K - H, A)
    for j in fh.static_range(K):
        k = K - 1 - j
        weights = with_next(weights, both, j, K, B)
        again = with_next(again, row, j, K - H, A)
        first, second = numbers(kept[k] if k < H else again[j], x.dtype, nothing)
        u, v = numbers(weights[j][0], w.dtype)
        first, second = (first * scale + shift) * u, (second * scale + shift) * v
        if BIAS:
            u, v = numbers(weights[j][1], b.dtype)
            first, second = first + u, second + v
        nothing = marked(one_each(first, 0))
        y.at(k).store(of_each_pair(first, second, y.dtype), allow_tma=False)


def softmax_reloaded_launch(way: Reloaded, y: Any, x: Any, log: bool) -> Any:
    """The launch of a softmax of this file."""
    K = y.shape[1] // way.width
    parts = cut(y, (1, way.width), owned=1)
    return hinted(softmax_reloaded, way.hints)(parts, x, log, K, y.shape[1], way.held, way.ahead, *way.order, way.later)


def norm_reloaded_launch(kernel: Any, way: Reloaded, y: Any, moments: tuple[Any, ...], x: Any, *more: Any) -> Any:
    """The launch of a norm of this file: the result, moments of rows, and what comes in front of `K`."""
    parts = cut(y, (1, way.width), owned=1), *(cut(t, (1,)) for t in moments)
    K = y.shape[1] // way.width
    return hinted(kernel, way.hints)(*parts, x, *more, K, y.shape[1], way.held, way.ahead, way.weights, way.later)
