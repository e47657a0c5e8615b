"""Softmax and norms of rows of 16-bit numbers that stay in registers as they are in memory, until they are stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import freehold as fh
from freehold import Const, Out, Ref, bf16, f16, f32, i32
from freehold.kernels.exponentials import FAR, first_number, in_range, power, powers, sums_again
from freehold.kernels.row_schedules import Kept
from freehold.kernels.schedules import cut, hinted
from freehold.kernels.tiles import LOG2E, above, exponential, part, quotient, safe, softened, store_of_rows, wide

_GROUP: Final = 8
"""Neighbours of a row that one thread has."""


_NEVER: Final = 0x7F812345
"""The bits of a signalling NaN: nothing that is computed has them, which the compiler does not know."""

_WORD: Final = 0x7F817F81
"""Two of them as `bf16` or `f16`: a row that has them is not a number in any case."""

_CANCELS: Final = 64.0
"""Variances, at most, that the square of a mean is for them to be taken from sums of squares."""

_NEAR: Final = 4096.0
"""The largest maximum in powers of two by which powers are right to 0.02 of 100, half of what f16 is rounded by."""


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


def in_words(t: Any) -> Any:
    """
    A tile of a row that was loaded, four pairs of neighbours together: of 16-bit numbers the words that hold a
    pair, as they are in memory; others as `f32`.
    """
    W = t.shape[-1]
    if t.dtype == bf16 or t.dtype == f16:
        return fh.unpack(fh.pack(t.reshape(W)), i32).reshape(1, W // _GROUP, _GROUP // 2)
    return wide(t).reshape(1, W // _GROUP, _GROUP // 2, 2)


def loaded(x: Any, at: tuple[Any, ...], tile: tuple[int, ...]) -> Any:
    """A tile of a row, `in_words`."""
    return in_words(x.load(at, tile, allow_tma=False))


def first_tiles(x: Any, i: Any, tile: tuple[int, ...], H: int) -> Any:
    """The first H tiles of row i, each as `loaded`."""
    tiles: Any = ()
    for k in fh.static_range(H):
        tiles = (*tiles, loaded(x, (i, k), tile))
    return tiles


def loaded_ahead(at: Callable[[int], Any], count: int, by: int) -> Any:
    """What the first `by` of `count` turns need, loaded in front of them: `at(j)` loads what turn j does."""
    found: Any = ()
    for j in fh.static_range(min(by, count)):
        found = (*found, at(j))
    return found


def with_next(found: Any, at: Callable[[int], Any], j: int, count: int, by: int) -> Any:
    """In turn j, what was `loaded_ahead`, and what the turn needs that is `by` behind it."""
    return (*found, at(j + by)) if j + by < count else found


def numbers(t: Any, dtype: Any, nothing: Any = None) -> tuple[Any, Any]:
    """
    The first and the second of each pair, of what was `loaded` from a tensor of `dtype`. `nothing` is as that of
    `again`. A word of `bf16` takes one operation for each number, whose bits are the upper half of an `f32`: a product
    or a mask, which are computed of `nothing`, so that no compiler takes them for those of another walk.
    """
    if t.dtype != i32:
        return t[:, :, :, 0], t[:, :, :, 1]
    if dtype == f16:
        bits = t if nothing is None else t | nothing[:, :, None]
        pairs = wide(fh.unpack(fh.pack(bits.reshape(t.size)), f16)).reshape(*t.shape, 2)
        return pairs[:, :, :, 0], pairs[:, :, :, 1]
    if nothing is None:
        first, second = t << 16, t & -65536
    else:
        first, second = t * (nothing + 65536)[:, :, None], t & (nothing - 65536)[:, :, None]
    return fh.bitcast(first, f32), fh.bitcast(second, f32)


def of_pairs(first: Any, second: Any, dtype: Any) -> Any:
    """The tile of a row of these pairs."""
    return (
        fh.concatenate((first[:, :, :, None], second[:, :, :, None]), axis=3).reshape(1, first.size * 2).astype(dtype)
    )


def of_each_pair(first: Any, second: Any, dtype: Any) -> Any:
    """
    As `of_pairs`, with one instruction a pair, which makes a word of two numbers. Of all pairs at once the assembler
    does not do that: two more would make words of words. Where instructions bound the kernel this is faster, and
    elsewhere as fast or slower (docs/experiments/long-rows.md).
    """
    G, words = first.shape[1], ()
    for j in fh.static_range(_GROUP // 2):
        pair = one_each(first, j).reshape(G, 1), one_each(second, j).reshape(G, 1)
        words = (*words, fh.concatenate(pair, axis=1).astype(dtype))
    halves = fh.concatenate(words[:2], axis=1), fh.concatenate(words[2:], axis=1)
    return fh.concatenate(halves, axis=1).reshape(1, _GROUP * G)


def one_each(t: Any, j: int) -> Any:
    """Element j of each four."""
    return t.extract((0, 0, j), (1, t.shape[1], 1)).reshape(1, t.shape[1])


def behind(t: Any) -> Any:
    """0 for each 8 neighbours, that was computed of `t`: what is computed with it comes behind it."""
    first = one_each(t, 0)
    return negative(fh.rsqrt(first * first + 1.0))


def marked(t: Any) -> Any:
    """As `behind`, by one comparison of a number of each 8 neighbours."""
    return fh.where(fh.bitcast(t, i32) == _NEVER, 1, 0)


def when_all_are_there(kept: tuple[Any, ...]) -> Any:
    """
    0 for each 8 neighbours, that is known when all words of a row are there: else the first tiles are computed with
    before the last ones are asked for, which have no registers until then.
    """
    if kept[0].dtype != i32:
        return None
    found = one_each(kept[0], 0) == _WORD
    for t in kept[1:]:
        found = found | (one_each(t, 0) == _WORD)
    return fh.where(found, 1, 0)


def row_again(y: Any, x: Any, i: Any, LOG: bool) -> None:
    """Softmax of a row of which the sum or the maximum was out of range, from memory."""
    top, total = sums_again(x, i, y.tile)
    scale, less = quotient(1.0, total), fh.log(total)
    for k in fh.tiles(x, axis=1, size=y.tile[1]):
        t = part(x, (i, k), y.tile)
        y.at(k).store(softened(t, top, scale, less, LOG).astype(y.dtype), allow_tma=False)


def with_squares(pairs: tuple[Any, Any], base: Any, sums: Any, squares: Any) -> tuple[Any, Any]:
    """The sums of what is above `base`, and of its squares, with a tile more."""
    for half in pairs:
        for j in fh.static_range(_GROUP // 2):
            away = one_each(half, j) - base
            sums, squares = sums + away, squares + away * away
    return sums, squares


def both_moments(a: Any, b: Any) -> Any:
    """Of two groups of numbers together: their count, mean, and sum of squared distances from it."""
    n, off = a[0] + b[0], b[1] - a[1]
    part_of_b = b[0] * quotient(1.0, fh.maximum(n, 1.0))
    return n, a[1] + off * part_of_b, a[2] + b[2] + off * off * a[0] * part_of_b


def both_exponentials(a: Any, b: Any) -> Any:
    """Of two groups together: the maximum, and the sum of the exponentials of what is below it."""
    top = fh.maximum(a[0], b[0])
    base = above(top)
    return top, a[1] * exponential(a[0] - base) + b[1] * exponential(b[0] - base)


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
def softmax_shared(y: Out["M", "N"], x: Ref["M", "N"], LOG: Const[bool], K: Const[int], N: Const[int]):
    """
    y = exp(x) / sum(exp(x)) along rows of N, which is K tiles, or its logarithm; a row is a cluster's. There each
    reduction is several barriers of all its blocks, so there is one.
    """
    (i,) = y.index
    W = y.tile[1]
    kept = row_of(x, i, y.tile, K)
    most, sums = fh.full((1, W // 8), float("-inf"), f32), fh.zeros((1, W // 8), f32)
    for k in fh.static_range(K):
        most = fh.maximum(most, groups(wide(kept[k])).max(axis=2))
    base, nothing = above(most), infinite(most)
    for k in fh.static_range(K):
        sums += exponential(groups(again(kept[k], nothing)) - base[:, :, None]).sum(axis=2)
    top, total = fh.reduce((most, sums), both_exponentials, (float("-inf"), 0.0), axis=1, keepdims=True)
    top = above(top)
    scale, less = quotient(1.0, total), fh.log(total)
    nothing = negative(scale)
    for k in fh.static_range(K):
        t = again(kept[k], nothing)
        y.at(k).store(softened(t, top, scale, less, LOG).astype(y.dtype), allow_tma=False)


# freehold: K=2 N=1024
@safe
def softmax_kept(y: Out["M", "N"], x: Ref["M", "N"], LOG: Const[bool], K: Const[int], N: Const[int]):
    """
    As `softmax_shared`, of rows that one block has. Each tile begins with what the one in front of it has computed:
    else the numbers of several would be in registers, in 32 bits. Maxima are those of x * log2(e), which are rounded as
    `power` is not: where they are large, what is computed is far off, or no number, and the row is computed again.
    """
    fh.require(fh.cdiv(x.shape[1], y.tile[1]) == K, "K is the number of tiles in a row")
    (i,) = y.index
    W = y.tile[1]
    kept = first_tiles(x, i, y.tile, K)
    most, sums = fh.full((1, W // _GROUP), float("-inf"), f32), fh.zeros((1, W // _GROUP), f32)
    for k in fh.static_range(K):
        most = fh.maximum(most, fh.maximum(*numbers(kept[k], x.dtype)).max(axis=2) * LOG2E)
    base, nothing = above(most)[:, :, None], infinite(most)
    for k in fh.static_range(K):
        sums += powers(numbers(kept[k], x.dtype, nothing), base)
        nothing = negative(sums)
    top = above(most.max(axis=1, keepdims=True))
    total = (sums * fh.exp2(most - top, flush_to_zero=True)).sum(axis=1, keepdims=True)
    if (fh.abs(top).max() < _NEAR) & (total.max() > 0.0):
        scale, less = quotient(1.0, total)[:, :, None], fh.log(total)[:, :, None]
        nothing, top = negative(total), top[:, :, None]
        largest = (top * (1.0 / LOG2E)).astype(x.dtype).astype(f32)  # exactly
        for k in fh.static_range(K):
            first, second = numbers(kept[k], x.dtype, nothing)
            if LOG:
                first, second = first - largest - less, second - largest - less
                nothing = behind(first)
            else:
                first, second = power(first, top) * scale, power(second, top) * scale
                nothing = negative(one_each(first, 0))
            y.at(k).store(of_pairs(first, second, y.dtype), allow_tma=False)
    else:
        row_again(y, x, i, LOG)


# freehold: K=2 N=1024 ALL=True EACH=True BEHIND=1
@safe
def softmax_once(
    y: Out["M", "N"],
    x: Ref["M", "N"],
    LOG: Const[bool],
    K: Const[int],
    N: Const[int],
    ALL: Const[bool],
    EACH: Const[bool],
    BEHIND: Const[int],
):
    """
    As `softmax_kept`, with one walk and one reduction before numbers are stored: sums are those above the row's first
    number (`exponentials`). With `ALL` it begins when all of a row is there, with `EACH` each tile is added up behind
    the one in front of it, and with `BEHIND` so many are stored behind those in front of them.
    """
    fh.require(fh.cdiv(x.shape[1], y.tile[1]) == K, "K is the number of tiles in a row")
    (i,) = y.index
    W = y.tile[1]
    begin = first_number(x, (i, 0))
    base, sums = (begin * LOG2E)[:, :, None], fh.zeros((1, W // _GROUP), f32)
    kept = first_tiles(x, i, y.tile, K)
    nothing = when_all_are_there(kept) if ALL else None
    for k in fh.static_range(K):
        sums += powers(numbers(kept[k], x.dtype, nothing), base)
        if EACH:
            nothing = marked(sums)
    total = sums.sum(axis=1, keepdims=True)
    if in_range(total) & (fh.abs(begin).max() < FAR):
        shift, natural = base + fh.log2(total)[:, :, None], (begin + fh.log(total))[:, :, None]
        nothing = negative(total)
        for k in fh.static_range(K):
            first, second = numbers(kept[k], x.dtype, nothing)
            if LOG:
                first, second = first - natural, second - natural
            else:
                first, second = power(first, shift), power(second, shift)
            if BEHIND and (k + 1) % BEHIND == 0:
                nothing = marked(one_each(first, 0))
            y.at(k).store(of_pairs(first, second, y.dtype), allow_tma=False)
    else:
        row_again(y, x, i, LOG)


# freehold: K=3 N=1536 H=2 A=1
@safe
def rms_norm_kept(
    y: Out["M", "N"],
    rstd: Out["M"] | None,
    x: Ref["M", "N"],
    w: Ref["N"],
    eps: fh.f32,
    K: Const[int],
    N: Const[int],
    H: Const[int],
    A: Const[int],
):
    """
    y = x / sqrt(mean(x ** 2) + eps) * w, along rows of N, which is K tiles; `rstd` is what x is multiplied by.

    H tiles stay in registers. Each of them begins with what the one in front of it has computed: else all of w would be
    loaded at once, for which there are no registers. It is loaded `A` tiles ahead.
    """
    fh.require(fh.cdiv(x.shape[1], y.tile[1]) == K, "K is the number of tiles in a row")
    (i,) = y.index
    W = y.tile[1]
    squares = fh.zeros((1, W // 8), f32)
    for k in range(H, K):
        squares = with_squares(numbers(loaded(x, (i, k), y.tile), x.dtype), 0.0, 0.0, squares)[1]
    kept = first_tiles(x, i, y.tile, H)
    for k in fh.static_range(H):
        squares = with_squares(numbers(kept[k], x.dtype), 0.0, 0.0, squares)[1]

    def weight(k: Any) -> Any:
        return loaded(w, (k,), (W,))

    weights = loaded_ahead(weight, H, A)
    scale = fh.rsqrt(quotient(squares.sum(axis=1, keepdims=True), y.shape[1].astype(f32)) + eps)
    store_of_rows(rstd, scale)
    nothing, scale = negative(scale), scale[:, :, None]
    for k in fh.static_range(H):
        weights = with_next(weights, weight, k, H, A)
        (first, second), (u, v) = numbers(kept[k], x.dtype, nothing), numbers(weights[k], w.dtype)
        first, second = first * scale * u, second * scale * v
        nothing = behind(first)
        y.at(k).store(of_pairs(first, second, y.dtype), allow_tma=False)
    for k in reversed(range(H, K)):
        (first, second), (u, v) = numbers(loaded(x, (i, k), y.tile), x.dtype), numbers(weight(k), w.dtype)
        y.at(k).store(of_pairs(first * scale * u, second * scale * v, y.dtype), allow_tma=False)


def moments(x: Any, i: Any, tile: Any, K: int, H: int) -> tuple[Any, Any]:
    """
    The H tiles of row i that stay in registers, and of each 8 neighbours of all tiles their count, mean, and sum of
    squared distances from it.

    These come of sums of distances from a mean of 8 of them, and of their squares: what that cancels is at most an
    eighth of their number times what remains.
    """
    W = tile[1]
    kept: Any = first_tiles(x, i, tile, H) if H == K else ()
    first, second = numbers(kept[0] if H == K else loaded(x, (i, H), tile), x.dtype)
    pairs, base = first + second, fh.zeros((1, W // 8), f32)
    for j in fh.static_range(_GROUP // 2):  # no reduction, which O422 takes of 8 neighbours alone in clusters
        base += one_each(pairs, j)
    base *= 0.125
    sums, squares = fh.zeros((1, W // 8), f32), fh.zeros((1, W // 8), f32)
    if H < K:
        for k in range(H, K):
            sums, squares = with_squares(numbers(loaded(x, (i, k), tile), x.dtype), base, sums, squares)
        kept = first_tiles(x, i, tile, H)
    for k in fh.static_range(H):
        nothing = infinite(base) if k == 0 and H == K else None
        sums, squares = with_squares(numbers(kept[k], x.dtype, nothing), base, sums, squares)
    off = sums * (1.0 / (8 * K))
    return kept, (fh.full((1, W // 8), 8.0 * K, f32), base + off, squares - sums * off)


def sums_and_squares(x: Any, i: Any, tile: Any, K: int, H: int) -> tuple[Any, Any]:
    """The H tiles of row i that stay in registers; of each 8 neighbours of all tiles their sum, and their squares'."""
    zeros = fh.zeros((1, tile[1] // _GROUP), f32)
    of_each = zeros, zeros
    for k in range(H, K):
        of_each = with_squares(numbers(loaded(x, (i, k), tile), x.dtype), 0.0, *of_each)
    kept = first_tiles(x, i, tile, H)
    for k in fh.static_range(H):
        of_each = with_squares(numbers(kept[k], x.dtype), 0.0, *of_each)
    return kept, of_each


def moments_of_sums(x: Any, i: Any, tile: Any, K: int, N: int, of_each: Any) -> tuple[Any, Any]:
    """
    The mean of row i, and its variance, by sums and squares: one reduction of plain sums, and nothing is divided in it.
    Where they cancel, as the mean is far from 0, squares of distances from it are added up, from memory.
    """
    total, square = fh.reduce(of_each, lambda a, b: (a[0] + b[0], a[1] + b[1]), (0.0, 0.0), axis=1, keepdims=True)
    middle = total * (1.0 / N)
    variance = square * (1.0 / N) - middle * middle
    if fh.where(middle * middle <= variance * _CANCELS, 0, 1).max() == 1:
        squares = fh.zeros((1, tile[1] // _GROUP), f32)
        for k in range(K):
            squares = with_squares(numbers(loaded(x, (i, k), tile), x.dtype), middle, 0.0, squares)[1]
        variance = squares.sum(axis=1, keepdims=True) * (1.0 / N)
    return middle, variance


# freehold: K=3 N=1536 H=2 A=1 ONCE=True
@safe
def layer_norm_kept(
    y: Out["M", "N"],
    mean: Out["M"] | None,
    rstd: Out["M"] | None,
    x: Ref["M", "N"],
    w: Ref["N"],
    b: Ref["N"],
    eps: fh.f32,
    BIAS: Const[bool],
    K: Const[int],
    N: Const[int],
    H: Const[int],
    A: Const[int],
    ONCE: Const[bool],
):
    """
    y = (x - mean) * rstd * w + b, along rows of N, which is K tiles; without `BIAS`, b is not looked at. `H` and `A` as
    of `rms_norm_kept`. With `ONCE` moments are those of sums; else, and in clusters, of distances.
    """
    fh.require(fh.cdiv(x.shape[1], y.tile[1]) == K, "K is the number of tiles in a row")
    (i,) = y.index
    W = y.tile[1]

    def both(k: Any) -> Any:
        return loaded(w, (k,), (W,)), loaded(b, (k,), (W,)) if BIAS else ()

    def scaled(t: Any, of: Any) -> tuple[Any, Any]:
        first, second = t
        u, v = numbers(of[0], w.dtype)
        first, second = (first * scale + shift) * u, (second * scale + shift) * v
        if BIAS:
            u, v = numbers(of[1], b.dtype)
            first, second = first + u, second + v
        return first, second

    kept, of_each = sums_and_squares(x, i, y.tile, K, H) if ONCE else moments(x, i, y.tile, K, H)
    weights = loaded_ahead(both, H, A)
    if ONCE:
        middle, variance = moments_of_sums(x, i, y.tile, K, N, of_each)
    else:
        _, middle, total = fh.reduce(of_each, both_moments, (0.0, 0.0, 0.0), axis=1, keepdims=True)
        variance = quotient(total, y.shape[1].astype(f32))
    scale = fh.rsqrt(variance + eps)
    store_of_rows(mean, middle)
    store_of_rows(rstd, scale)
    nothing, shift, scale = negative(scale), -(middle * scale)[:, :, None], scale[:, :, None]
    for k in fh.static_range(H):
        weights = with_next(weights, both, k, H, A)
        first, second = scaled(numbers(kept[k], x.dtype, nothing), weights[k])
        nothing = marked(one_each(first, 0)) if ONCE else behind(first)
        y.at(k).store(of_pairs(first, second, y.dtype), allow_tma=False)
    for k in reversed(range(H, K)):
        first, second = scaled(numbers(loaded(x, (i, k), y.tile), x.dtype), both(k))
        y.at(k).store(of_pairs(first, second, y.dtype), allow_tma=False)


def softmax_launch(way: Kept, y: Any, x: Any, log: bool) -> Any:
    """The launch of a softmax of this file."""
    K, _ = way.tiles(y.shape[1])
    kernel: Any = softmax_once if way.order else softmax_kept if way.blocks == 1 else softmax_shared
    return hinted(kernel, way.hints)(cut(y, (1, way.width), owned=1), x, log, K, y.shape[1], *(way.order or ()))


def norm_launch(kernel: Any, way: Kept, y: Any, moments: tuple[Any, ...], x: Any, w: Any, *more: Any) -> Any:
    """The launch of a norm of this file: the result, moments of rows, and what comes in front of `K`."""
    parts = cut(y, (1, way.width), owned=1), *(cut(t, (1,)) for t in moments)
    K, H = way.tiles(y.shape[1])
    ahead = way.ahead if w.dtype.itemsize == 2 else min(1, way.ahead)  # there are no registers for more of wide ones
    once = (way.blocks == 1,) if kernel is layer_norm_kept else ()
    return hinted(kernel, way.hints)(*parts, x, w, *more, K, y.shape[1], H, ahead, *once)
