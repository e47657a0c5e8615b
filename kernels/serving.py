"""What an engine does between products: heads normalised and turned, caches in pages written and read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32, i32
from freehold.kernels.decoding import decode_merge, merge_launch, nothing, store_part
from freehold.kernels.prefill import LOWEST, power_of_2
from freehold.kernels.schedules import PROCESSORS, ceildiv, cut, filled, hinted, power_of_two
from freehold.kernels.tiles import LOG2E, accumulator, places, quotient, safe, safe_early, safe_with_data, wide

# --- Kernels ----------------------------------------------------------------------------------------------------------


def turned(
    halves: tuple[Any, ...], weights: tuple[Any, ...] | None, angles: tuple[Any, ...], size: Any, eps: Any, axis: int
) -> tuple[Any, Any]:
    """
    Heads in halves, turned: element i of one half and i of the other are a pair. With weights they are normalised
    first, along `axis`; `size` is the elements of a head. Angles are cosines and sines.
    """
    (cos, sin), dtype, (a, b) = angles, halves[0].dtype, tuple(wide(t) for t in halves)
    if weights is not None:
        squares = (a * a + b * b).sum(axis=axis, keepdims=True)
        scale = fh.rsqrt(squares / size.astype(a.dtype) + eps.astype(a.dtype))
        a, b = tuple((t * scale * wide(w)).astype(dtype).astype(t.dtype) for t, w in zip((a, b), weights, strict=True))
    return (a * cos - b * sin).astype(dtype), (b * cos + a * sin).astype(dtype)


@safe_with_data
def append_runs(
    cache: Mut["N", "S", 2, "KH", 2, "E"],
    k: Ref["N", "T", "KH", 2, "E"],
    v: Ref["N", "T", "KH", 2, "E"],
    cos: Ref["T", "E"],
    sin: Ref["T", "E"],
    order: Ref[i32, "R"],
    slots: Ref[i32, "2 * R + 1"],
    eps: f32,
    weights: Ref["N", 2, "E"] | None = None,
):
    """
    Rows of k, turned, and of v go to the caches of N layers: run r begins with row `order[r]`, and goes to the slots
    from `slots[2 * r]` up to `slots[2 * r + 1]`. With `weights` heads of k are normalised first.

    The slots cut the caches into groups of rows (`fh.ragged(cache, tile, axis=1, by="slots", partial=True)`): what is
    between two runs is a group, too, which nobody writes. They ascend, which is checked: so no two runs share a slot. A
    run that reads beyond the last row repeats it. There is little to load, and what TMA needs takes longer.
    """
    fh.require("T <= 1073741824 and S <= 1073741824", "no number of a row wraps around")
    e, layer, i, _, h, _, _ = cache.index
    _, _, _, high, _, half = cache.tile
    if e % 2 == 0:
        row = fh.clip(order.load((e // 2,), ()) + i, 0, k.shape[1] - 1)
        halves = tuple(k.load((layer, row, h, n, 0), (1, 1, high, 1, half), allow_tma=False) for n in (0, 1))
        halves = tuple(t.reshape(1, high, 1, half) for t in halves)
        by = None
        if weights is not None:
            by = tuple(
                weights.load((layer, n, 0), (1, 1, half), allow_tma=False).reshape(1, 1, 1, half) for n in (0, 1)
            )
        angles = tuple(t.load((row, 0), (1, half), allow_tma=False).reshape(1, 1, 1, half) for t in (cos, sin))
        key = fh.concatenate(turned(halves, by, angles, 2 * k.shape[4], eps, 3), axis=2)
        value = v.load((layer, row, h, 0, 0), (1, 1, high, 2, half), allow_tma=False).reshape(1, high, 2, half)
        new = fh.concatenate((key[:, None], value[:, None]), axis=1)
        cache.store(new.reshape(cache.tile).astype(cache.dtype), allow_tma=False)


def same_pages(k: Any, v: Any) -> None:
    """Asks of the launch that keys and values have the same pages and heads, and that no number wraps around."""
    fh.require(k.shape[0] == v.shape[0])
    fh.require(k.shape[1] == v.shape[1])
    fh.require(k.shape[2] == v.shape[2])
    fh.require("P >= 1 and P <= 65536 and L <= 1048576", "no number wraps around")


def keys_of(k: Any, page: Any, at: Any, h: Any, TILE: int, HALF: int) -> tuple[Any, ...]:
    """The keys of the `at`-th tile of a page, as a whole where `k` is, else in halves."""
    if k.ndim == 4:
        return (k.load((page, at, h, 0), (1, TILE, 1, 2 * HALF)).reshape(TILE, 2 * HALF),)
    return tuple(k.load((page, at, h, n, 0), (1, TILE, 1, 1, HALF)).reshape(TILE, HALF) for n in (0, 1))


def page_at(pages: Any, j: Any, count: Any) -> Any:
    """The j-th page, or the last one that there is; one of `count`, whatever stands there."""
    return fh.clip(pages.load((fh.minimum(j, pages.shape[0] - 1),), (), allow_tma=False), 0, count - 1)


def place_at(numbers: Any, row: Any) -> Any:
    """What a list of numbers has for a row, at least 0."""
    return fh.maximum(numbers.load((row,), (), allow_tma=False), 0)


def page_or_last(table: Any, b: Any, j: Any, count: Any) -> Any:
    """The j-th page of a sequence, or of a table that has fewer the last one; one of `count`, whatever stands there."""
    return fh.clip(table.load((b, fh.minimum(j, table.shape[1] - 1)), ()), 0, count - 1)


def weighed(state: tuple[Any, Any, Any], scores: tuple[Any, ...], values: tuple[Any, ...], c: Any) -> Any:
    """Top, total and sum of a walk over keys after more tiles of scores, and of the values that they are of."""
    top, total, acc = state
    largest = scores[0]
    for s in scores[1:]:
        largest = fh.maximum(largest, s)
    higher = fh.maximum(top, largest.max(axis=1, keepdims=True) * c)
    weights, fade = tuple(power_of_2(s * c - higher) for s in scores), power_of_2(top - higher)
    added = weights[0]
    for p in weights[1:]:
        added = added + p
    acc = acc * fade
    for p, v in zip(weights, values, strict=True):
        acc = fh.mma(p.astype(v.dtype), v, acc)
    return higher, total * fade + added.sum(axis=1, keepdims=True), acc


def seen(state: tuple[Any, Any, Any], queries: Any, keys: Any, values: Any, counts: Any, c: Any) -> Any:
    """As `weighed`, of one tile: of queries in halves, and keys in halves or whole, of which some count."""
    if len(keys) == 1:
        queries = (fh.concatenate(queries, axis=1),)
    s = fh.zeros((queries[0].shape[0], keys[0].shape[0]), state[0].dtype)
    for one, other in zip(queries, keys, strict=True):
        s = fh.mma(one, other.T, s)
    return weighed(state, (fh.where(counts, s, float("-inf")),), (values,), c)


def after_new(state: tuple[Any, Any, Any], queries: Any, key: Any, value: Any, mine: Any, c: Any) -> Any:
    """Top, total and sum after a key and its value alone, where they are `mine`; queries and the key are in halves."""
    score = sum((wide(one) * wide(other)).sum(axis=1, keepdims=True) for one, other in zip(queries, key, strict=True))
    top, total, acc = state
    return fh.where(mine, score * c, top), fh.where(mine, 1.0, total), fh.where(mine, value, acc)


@safe
def turn_heads(
    first: Mut["T", "KH", "G", "F"],
    second: Mut["T", "KH", "G", "F"],
    cos: Ref["T", "F"],
    sin: Ref["T", "F"],
    size: i32,
    eps: f32,
    weights: Ref[2, "F"] | None = None,
):
    """Heads of `size` elements, whose halves these are, turned, and before that normalised if there are weights."""
    t, _, _, _ = first.index
    TQ, _, _, HALF = first.tile
    angles = tuple(x.load((t, 0), (TQ, HALF), allow_tma=False).reshape(TQ, 1, 1, HALF) for x in (cos, sin))
    by = None
    if weights is not None:
        by = tuple(weights.load((n, 0), (1, HALF), allow_tma=False).reshape(1, 1, 1, HALF) for n in (0, 1))
    halves = tuple(x.load(allow_tma=False) for x in (first, second))
    one, other = turned(halves, by, angles, size, eps, 3)
    first.store(one, allow_tma=False)
    second.store(other, allow_tma=False)


@safe
def paged_rows(
    o: Out["T", "KH", "G", "E"],
    q: Ref["T", "KH", "G", "D"],
    k: Ref["N", "PAGE", "KH", "D"],
    v: Ref["N", "PAGE", "KH", "E"],
    pages: Ref[i32, "L"],
    bases: Ref[i32, "T"],
    positions: Ref[i32, "T"],
    scale: f32,
    WIDTH: Const[int],
    PAGE: Const[int],
    STEP: Const[int],
):
    """
    Causal attention of tokens over the caches of their sequences, which are in pages.

    `pages` has the pages of all sequences, one behind the other, and the tokens of a sequence stand one behind the
    other in the same order. Token t is at `positions[t]` of its sequence, whose pages begin at number
    `bases[t] // PAGE`. A tile of rows walks over the pages of all whose tokens it has: each sees its own. The G heads
    that share keys are rows of one product. Pages that all rows see whole are taken `STEP` at a time, and nothing is
    masked there. `WIDTH` is D, up to a power of two.

    The number of no page stands for the first or the last one, and none is checked: so who loads pages walks ahead of
    who multiplies them.
    """
    fh.require("L <= 1048576 and T <= 1048576 and N <= 1048576", "no number wraps around")
    i, h, g, e = o.index
    TQ, _, G, DV = o.tile
    i = fh.cdiv(q.shape[0], TQ) - 1 - i  # what takes longest is begun first
    dtype, rows = accumulator(q.dtype), TQ * G
    queries = q.load((i, h, 0, 0), (TQ, 1, G, WIDTH)).reshape(rows, WIDTH)
    low = bases.load((i,), (TQ,), allow_tma=False)
    bounds = tuple(t[:, None] for t in (low, low + positions.load((i,), (TQ,), allow_tma=False)))
    low, high = tuple(fh.broadcast_to(t, (TQ, G)).reshape(rows, 1) for t in bounds)
    c = scale.astype(dtype) * LOG2E

    def turn(state: Any, j: Any, COUNT: int, MASK: bool) -> Any:
        numbers = tuple(page_at(pages, j + n, v.shape[0]) for n in range(COUNT))
        keys = tuple(k.load((page, 0, h, 0), (1, PAGE, 1, WIDTH)).reshape(PAGE, WIDTH) for page in numbers)
        scores = tuple(fh.mma(queries, t.T, fh.zeros((rows, PAGE), dtype)) for t in keys)
        if MASK:
            at = places(j * PAGE, PAGE)[None, :]
            scores = tuple(fh.where((at >= low) & (at <= high), s, float("-inf")) for s in scores)
        values = tuple(v.load((page, 0, h, 0), (1, PAGE, 1, DV)).reshape(PAGE, DV) for page in numbers)
        return weighed(state, scores, values, c)

    state = nothing(rows, DV, dtype)
    head, last = i * TQ, fh.minimum((i + 1) * TQ, q.shape[0]) - 1
    base, end = place_at(bases, head), place_at(bases, last)
    first, stop = base // PAGE, (end + place_at(positions, last)) // PAGE + 1
    seen = (base + place_at(positions, head) + 1) // PAGE - first
    whole: Any = first + fh.where(base == end, fh.maximum(seen, 0) // STEP * STEP, 0)  # of one sequence alone
    for j in fh.tiles(pages, axis=0, size=1, start=first, stop=whole, step=STEP):
        state = turn(state, j, STEP, False)
    for j in fh.tiles(pages, axis=0, size=1, start=whole, stop=stop):
        state = turn(state, j, 1, True)
    _, total, acc = state
    o.at(i, h, g, e).store((acc * (1.0 / fh.maximum(total, 1e-30))).reshape(o.tile).astype(o.dtype))


def turned_rows(x: Any, at: Any, rows: int, weights: Any, angles: Any, eps: Any, HALF: int) -> tuple[Any, Any]:
    """Heads of x, turned: `rows` of them from `at` on, whose last two axes are halves."""
    by = None
    if weights is not None:
        by = tuple(weights.load((n, 0), (1, HALF), allow_tma=False) for n in (0, 1))
    shape = (1,) * (len(at) - 1) + (rows, 1, HALF)
    halves = tuple(x.load((*at, n, 0), shape, allow_tma=False).reshape(rows, HALF) for n in (0, 1))
    return turned(halves, by, angles, 2 * x.shape[-1], eps, 1)


# freehold: FIRST=2 PAGE=64 TILE=32 HALF=64
@safe_early("k", "v", "table", "lengths")
def query_parts(
    part: Out["B", "KH", "P", "G", "E"],
    lse: Out["B", "KH", "P", "G"] | None,
    q: Ref["B", "KH", "G", 2, "F"],
    new_k: Ref["B", "KH", 2, "F"],
    new_v: Ref["B", "KH", "E"],
    k: Ref,
    v: Ref["N", "PAGE", "KH", "E"],
    table: Ref[i32, "B", "L"],
    lengths: Ref[i32, "B"],
    cos: Ref["B", "F"],
    sin: Ref["B", "F"],
    scale: f32,
    eps: f32,
    HALF: Const[int],
    PAGE: Const[int],
    TILE: Const[int],
    FIRST: Const[int],
    weights: Ref[2, "F"] | None = None,
    key_weights: Ref[2, "F"] | None = None,
):
    """
    As `paged_parts`, of queries and a new key, which are turned first, and before that normalised if there are weights.

    The last of a sequence's `lengths` tokens is the new one, which its pages need not have yet. Without `lse` there is
    one part, and that is the result. k is (N, PAGE, KH, 2 * F), or where F is no power of two (N, PAGE, KH, 2, F). A
    page has one or more tiles of `TILE` keys, and the first `FIRST` tiles of a part are loaded before what the kernel
    in front may still be writing. The number of no page stands for the first or the last one. What TMA needs to load a
    query takes longer than the query.
    """
    same_pages(k, v)
    b, h, p, _, _ = part.index
    (G, DV), dtype = part.tile[3:], accumulator(q.dtype)
    before = lengths.load((b,), ()) - 1
    many = part.shape[2]

    def tile_of(j: Any) -> tuple[Any, Any, Any]:
        page, at = page_or_last(table, b, j // (PAGE // TILE), v.shape[0]), j % (PAGE // TILE)
        values = v.load((page, at, h, 0), (1, TILE, 1, DV)).reshape(TILE, DV)
        return keys_of(k, page, at, h, TILE, HALF), values, places(j * TILE, TILE)[None, :] < before

    ahead = tuple(tile_of(p + n * many) for n in fh.static_range(FIRST))
    angles = tuple(t.load((b, 0), (1, HALF), allow_tma=False) for t in (cos, sin))
    queries = turned_rows(q, (b, h, 0), G, weights, angles, eps, HALF)
    key = turned_rows(new_k, (b, h), 1, key_weights, angles, eps, HALF)
    value = wide(new_v.load((b, h, 0), (1, 1, DV), allow_tma=False).reshape(1, DV))
    c = scale.astype(dtype) * LOG2E
    state = after_new(nothing(G, DV, dtype), queries, key, value, p == 0, c)
    for keys, values, counts in ahead:
        state = seen(state, queries, keys, values, counts, c)
    stop: Any = fh.minimum(fh.cdiv(before, TILE), table.shape[1] * (PAGE // TILE))
    for j in range(p + FIRST * many, stop, many):
        keys, values, counts = tile_of(j)
        state = seen(state, queries, keys, values, counts, c)
    store_part(part, lse, state, TMA=None)


def near(state: tuple[Any, Any, Any], query: Any, tiles: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    """
    Top, total and sum of one query after tiles of keys, values and which of them count, without matrix units. Scores
    are binary logarithms.
    """
    top, total, acc = state
    scores = tuple(
        fh.where(counts, (wide(keys) * query).sum(axis=1, keepdims=True), float("-inf")) for keys, _, counts in tiles
    )
    largest = scores[0]
    for s in scores[1:]:
        largest = fh.maximum(largest, s)
    higher = fh.maximum(top, largest.max())
    weights, fade = tuple(power_of_2(s - higher) for s in scores), power_of_2(top - higher)
    weight, weighed = weights[0], wide(tiles[0][1]) * weights[0]
    for (_, values, _), more in zip(tiles[1:], weights[1:], strict=True):
        weight, weighed = weight + more, weighed + wide(values) * more
    return higher, total * fade + weight.sum(), acc * fade + weighed.sum(axis=0, keepdims=True)


def near_new(halves: tuple[Any, Any], key: tuple[Any, Any], value: Any, mine: Any, scale: Any) -> tuple[Any, Any]:
    """A query as a row, times `scale`, and top, total and sum after a key and its value, where they are `mine`."""
    one, other = tuple(wide(t) * scale for t in halves)
    score = (wide(key[0]) * one + wide(key[1]) * other).sum()
    query = fh.where(fh.arange(2)[:, None] == 0, one, other).reshape(1, 2 * one.shape[1])
    return query, (fh.where(mine, score, LOWEST), fh.where(mine, 1.0, 0.0), fh.where(mine, value, 0.0))


# freehold: TILE=16 FIRST=1 MORE=True PAGE=64 HALF=64 KH=8 D=128 E=128 F=64 G=4
@safe_early("k", "v", "table", "lengths")
def query_rows(
    part: Out["B", "KH", "P", "G", "E"],
    lse: Out["B", "KH", "P", "G"] | None,
    q: Ref["B", "KH", "G", 2, "F"],
    new_k: Ref["B", "KH", 2, "F"],
    new_v: Ref["B", "KH", "E"],
    k: Ref["N", "PAGE", "KH", "D"],
    v: Ref["N", "PAGE", "KH", "E"],
    table: Ref[i32, "B", "L"],
    lengths: Ref[i32, "B"],
    cos: Ref["B", "F"],
    sin: Ref["B", "F"],
    scale: f32,
    eps: f32,
    TILE: Const[int],
    FIRST: Const[int],
    MORE: Const[bool],
    HALF: Const[int],
    PAGE: Const[int],
    KH: Const[int],
    D: Const[int],
    E: Const[int],
    F: Const[int],
    G: Const[int],
    weights: Ref[2, "F"] | None = None,
    key_weights: Ref[2, "F"] | None = None,
):
    """
    As `query_parts`, of one head a block, which has `TILE` keys at once, of which a page has a whole number. The first
    `FIRST` tiles of a part are loaded before what the kernel in front may still be writing, and weighed together.
    Without `MORE` a part has no others: that the parts hold all pages of the table is asked of the launch.
    """
    same_pages(k, v)
    if not MORE:
        fh.require("L * PAGE <= P * FIRST * TILE", "a part has these tiles alone")
    b, h, p, g, _ = part.index
    before, many = lengths.load((b,), ()) - 1, part.shape[2]

    def tile_of(j: Any) -> tuple[Any, Any, Any]:
        page, at = page_or_last(table, b, j // (PAGE // TILE), v.shape[0]), j % (PAGE // TILE)
        keys = k.load((page, at, h, 0), (1, TILE, 1, 2 * HALF), allow_tma=False).reshape(TILE, 2 * HALF)
        values = v.load((page, at, h, 0), (1, TILE, 1, 2 * HALF), allow_tma=False).reshape(TILE, 2 * HALF)
        return keys, values, places(j * TILE, TILE)[:, None] < before

    ahead = tuple(tile_of(p + n * many) for n in fh.static_range(FIRST))
    angles = tuple(t.load((b, 0), (1, HALF), allow_tma=False) for t in (cos, sin))
    halves = turned_rows(q, (b, h, g), 1, weights, angles, eps, HALF)
    key = turned_rows(new_k, (b, h), 1, key_weights, angles, eps, HALF)
    value = wide(new_v.load((b, h, 0), (1, 1, 2 * HALF), allow_tma=False).reshape(1, 2 * HALF))
    query, state = near_new(halves, key, value, p == 0, scale * LOG2E)
    top, total, acc = near(state, query, ahead)
    if MORE:
        stop: Any = fh.minimum(fh.cdiv(before, TILE), table.shape[1] * (PAGE // TILE))
        for j in range(p + FIRST * many, stop, many):
            top, total, acc = near((top, total, acc), query, (tile_of(j),))
    some = fh.maximum(total, 1e-30)
    part.store((acc * quotient(1.0, some)).reshape(part.tile).astype(part.dtype), allow_tma=False)
    if lse is not None:
        lse.store(((top + fh.log2(some)) * (1.0 / LOG2E)).reshape(lse.tile), allow_tma=False)


@safe
def added_tiles(y: Mut["M", "N"], x: Ref["M", "N"]):
    """y += x: what penalties, biases and grammars add to logits."""
    y.store((wide(y.load()) + wide(x.load_like(y))).astype(y.dtype))


# --- Launches ---------------------------------------------------------------------------------------------------------


ENOUGH: Final = 128
"""Heads of which each is worked on by one tile block: so there is nothing to merge."""
_SHORT: Final = 256
"""Tokens of a sequence whose keys and values one block has at once."""
EARLY: Final = 1
"""Tiles of a part that are loaded ahead of what the kernel in front may still be writing: two were slower."""


def reaches(heads: int) -> tuple[int, int]:
    """
    Tokens up to which a sequence that decodes alone is short, and up to which threads attend to it without matrix
    units, where it has so many heads.
    """
    return _SHORT, 4096 if heads <= 32 else 1024


def parts_of_query(most: int, heads: int, group: int = 1, reach: int = 0) -> int:
    """
    Into how many parts `query_launches` best cuts a cache of up to `most` pages; `heads` are those of keys, of all
    sequences, each for a `group` of queries. `reach` is as there.
    """
    if reach:
        return 1 if reach <= _SHORT else min(16 if heads * group > 32 else 32, ceildiv(3 * PROCESSORS, heads))
    return 1 if heads >= ENOUGH else max(1, min(most, ceildiv(3 * PROCESSORS, heads), 32))


def append_launch(
    cache: Any, k: Any, v: Any, angles: tuple[Any, Any], order: Any, slots: Any, most: int, eps: float, weights: Any
) -> Any:
    """
    The launch of `append_runs` to caches (N, S, 2, KH, D), of heads (N, T, KH, D), in runs of up to `most` rows.

    `angles` are cosines and sines (T, D // 2), `weights` (N, 2, D // 2) those of norms, or None.
    """
    whole, k, v = (in_halves(t) for t in (cache, k, v))
    heads, _, half = whole.shape[3:]
    tile = 1, 1, 2, power_of_two(heads), 2, power_of_two(half)
    part = fh.ragged(whole, tile, axis=1, by="slots", most=most, partial=True)
    hints = {"num_worker_warps": 2, "occupancy": 16}
    return hinted(append_runs, hints)(part, k, v, *angles, order, slots, eps, weights)


def turn_launch(q: Any, angles: tuple[Any, Any], weights: Any, eps: float) -> Any:
    """
    The launch that turns heads q (T, KH, G, D) where they are.

    `angles` are cosines and sines (T, D // 2), `weights` (2, D // 2) those of a norm in front, or None.
    """
    half, group = q.shape[3] // 2, power_of_two(q.shape[2])
    tile = 1, max(1, min(power_of_two(q.shape[1]), 16 // group)), group, power_of_two(half)
    parts = (cut(t, tile) for t in (q[..., :half], q[..., half:]))
    return hinted(turn_heads, {"num_worker_warps": 4, "occupancy": 8})(*parts, *angles, 2 * half, eps, weights)


def rows_launch(o: Any, q: Any, k: Any, v: Any, pages: Any, bases: Any, positions: Any, scale: float) -> Any:
    """The launch of `paged_rows` for o and q (T, KH, G, D), k and v (N, PAGE, KH, D), where PAGE is a power of two."""
    group, head, page = power_of_two(o.shape[2]), power_of_two(o.shape[3]), k.shape[1]
    part = cut(o, (max(1, 64 // group), 1, group, head))
    given = pages, bases, positions, scale, power_of_two(q.shape[3]), page, max(1, 128 // page)
    return hinted(paged_rows, {"num_worker_warps": 4, "occupancy": 2})(part, q, k, v, *given)


def query_launches(
    o: Any,
    room: tuple[Any, Any],
    q: Any,
    new: tuple[Any, Any],
    k: Any,
    v: Any,
    table: Any,
    lengths: Any,
    scale: float,
    angles: tuple[Any, Any],
    weights: tuple[Any, Any],
    eps: float,
    reach: int = 0,
) -> Iterator[Any]:
    """
    The launches that write attention of one query a sequence (B, KH, G, D), turned first, to o (B, KH, G, D).

    `new` are the key and the value of the same token, (B, KH, D), which is the last of `lengths`. `room` is for the
    parts, (B, KH, P, G, D), and (B, KH, P, G); with one part it is not used. `angles` are cosines and sines
    (B, D // 2), `weights` (2, D // 2) those of the norms of queries and keys, or None each. Where sequences have
    at most `reach` tokens, one of those of `reaches`, another kernel is faster, which is right for all; 0: any number.
    It is faster still with a table of so few pages that the parts have all of them at once.
    """
    part, lse = room
    if reach and k.shape[3] == power_of_two(k.shape[3]):
        yield from _by_threads(o, part, lse, q, new, k, v, (table, lengths, *angles, scale, eps), weights)
        return
    if part.shape[2] == 1:
        part, lse = o[:, :, None], None
    high, width = max(16, power_of_two(o.shape[2])), power_of_two(o.shape[3])
    cuts = cut(part, (1, 1, 1, high, width)), None if lse is None else cut(lse, (1, 1, 1, high))
    blocks = part.shape[0] * part.shape[1] * part.shape[2]
    many = blocks > 3 * PROCESSORS  # which run all at once where a processor has four of them
    tile = min(32, k.shape[1]) if many else k.shape[1]
    halves = power_of_two(q.shape[3] // 2), k.shape[1], tile, EARLY
    given = in_halves(q), in_halves(new[0]), new[1], whole_keys(k), v, table, lengths, *angles, scale, eps
    hints = {"occupancy": max((3, 2), key=lambda at_once: filled(blocks, at_once))}
    hints = {"num_worker_warps": 4, "occupancy": 4} if many else hints
    yield hinted(query_parts, hints)(*cuts, *given, *halves, *weights)
    if lse is not None:
        yield merge_launch(o, part, lse)


class Near(NamedTuple):
    """How threads attend to the keys of a part, without matrix units."""

    tile: int
    """Keys of a tile."""
    first: int
    """Tiles that are loaded ahead of what the kernel in front may still be writing."""
    warps: int


def near_of(parts: int, page: int, head: int) -> Near:
    """
    The same for so many parts, of pages of so many tokens, and heads of so many elements. One part has all keys of a
    short sequence in registers, and needs no merge. Of several each is a warp's, which waits for no others.
    """
    tile = min(64 if parts == 1 else 16, page)
    return Near(tile, max(1, min(_SHORT, 32768 // head) // tile), 8) if parts == 1 else Near(tile, 1, 1)


def _by_threads(
    o: Any, part: Any, lse: Any, q: Any, new: Any, k: Any, v: Any, given: Any, weights: Any
) -> Iterator[Any]:
    """The launches of `query_rows` and, of several parts, of a merge that waits as little."""
    (_, page, heads, head), count = k.shape, part.shape[2]
    tile, first, warps = near_of(count, page, head)
    if count == 1:
        part, lse = o[:, :, None], None
    cuts = cut(part, (1, 1, 1, 1, head)), None if lse is None else cut(lse, (1, 1, 1, 1))
    more = given[0].shape[1] * page > count * first * tile
    constants = tile, first, more, head // 2, page, heads, head, v.shape[3], head // 2, q.shape[2]
    hints = {"num_worker_warps": warps}
    yield hinted(query_rows, hints)(*cuts, in_halves(q), in_halves(new[0]), new[1], k, v, *given, *constants, *weights)
    if lse is not None:
        whole = cut(o, (1, 1, 1, min(32, head)))
        yield hinted(decode_merge, {"num_worker_warps": 1})(whole, part, lse, power_of_two(count))


def in_halves(t: Any) -> Any:
    """Heads, the last axis, as two halves."""
    return t.reshape(*t.shape[:-1], 2, t.shape[-1] // 2)


def whole_keys(k: Any) -> Any:
    """Keys as the kernels take them."""
    return k if k.shape[-1] == power_of_two(k.shape[-1]) else in_halves(k)
