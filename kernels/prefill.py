"""Attention of many queries, forward and backward: causal or not, grouped heads, sliding windows, sinks."""

from __future__ import annotations

from functools import cache, partial
from math import sqrt
from typing import Any, Final

import freehold as fh
from freehold import Const, Out, Ref, f32, i32
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.operators import operator, wide_dtype
from freehold.kernels.pieces import multiplied, torn_all
from freehold.kernels.schedules import PROCESSORS, ceildiv, filled, hinted, power_of_two
from freehold.kernels.streams import beside_one_another
from freehold.kernels.tiles import LOG2E, accumulator, places, safe, wide
from freehold.kernels.walks import (
    FAR,
    FIRST,
    LOWEST,
    attended,
    attention_strided,
    finish,
    kept,
    masked,
    nearest,
    positions_agree,
    power_of_2,
    seen_whole,
    stop,
    whole_sums,
)

MANY: Final = 1 << 30
"""
Scores from which on gradients of queries and of keys are launched beside one another: one kernel has the processors
that the other leaves idle in its last turn. On an H200 both then take 0.94 to 1 of the time; fewer were not measured.
"""

# --- Kernels ----------------------------------------------------------------------------------------------------------


def begin(first: Any, ahead: Any, window: Any, TK: int, WINDOW: bool) -> Any:
    """The first tile of keys that rows from `first` on see."""
    return fh.maximum(first + ahead - window + 1, 0) // TK if WINDOW else 0


def seeing(
    first: Any, TK: int, S: Any, TQ: int, ahead: Any, window: Any, CAUSAL: bool, WINDOW: bool
) -> tuple[Any, Any, Any]:
    """Of S queries the first tile that sees any of TK keys, an even one from which on all of them do, and the end."""
    last: Any = fh.cdiv(S, TQ)
    if WINDOW:
        last = fh.minimum(last, fh.cdiv(fh.maximum(first + TK - 1 - ahead + window, 0), TQ))
    if not CAUSAL:
        return 0, 0, last
    whole = fh.cdiv(fh.maximum(first + TK - 1 - ahead, 0), 2 * TQ) * 2
    return fh.maximum(first - ahead, 0) // TQ, fh.minimum(whole, last), last


def held(tile: Any, first: Any, end: Any) -> Any:
    """
    Rows from `first` on, and zeros from `end` on, as they were loaded: but computed, so they stay in registers.

    A product takes its first factor from there, too, and reads that much less shared memory, which limits products of
    small tiles: gradients of keys and values of 64 elements take 6 % less time. Heads of 128 have no registers left.
    """
    return fh.where(places(first, tile.shape[0])[:, None] < end, tile, 0.0)


def halves(tile: Any, part: tuple[int, int], second: tuple[int, int], shape: tuple[int, int]) -> tuple[Any, Any]:
    """Two parts of a tile as tiles of a shape: where the second one is, counted in parts."""
    return fh.extract(tile, (0, 0), part).reshape(shape), fh.extract(tile, second, part).reshape(shape)


def near(nothing: Any, queries: Any, k: Any, of: Any, row: Any, c: Any, seen: Any, WIDTH: int, CAUSAL: bool) -> Any:
    """How a walk begins whose weights are relative to the largest score of the first keys that a row sees."""
    keys, (ahead, end) = k.load((*of, 0, 0), (1, 1, FIRST, WIDTH)).reshape(FIRST, WIDTH), seen
    s = multiplied(queries, torn_all(keys, 0), fh.zeros((row.shape[0], FIRST), c.dtype), True)
    s = masked(s, row, places(0, FIRST)[None, :], ahead, 0, end, CAUSAL, False)
    return fh.maximum(nothing[0], s.max(axis=1, keepdims=True) * c), fh.zeros(s.shape, c.dtype), nothing[2]


def far(state: Any) -> Any:
    """
    Whether any sum is beyond `FAR`, or no number.

    By a maximum of floats: behind `fh.all` the assembler computes addresses by thread and no longer by warp.
    """
    _, total, acc = state
    return fh.where(total + abs(acc).sum(axis=1, keepdims=True) <= FAR, 0.0, 1.0).max() > 0.0


def walk(turn: Any, state: Any, k: Any, first: Any, TQ: int, TK: int, of: tuple[Any, Any, Any], *flags: bool) -> Any:
    """
    The state after a turn with each tile of keys that rows from `first` on see. `of` is as for `masked`, and `flags`
    are `CAUSAL`, `WINDOW` and `KEPT`.
    """
    (ahead, window, end), (CAUSAL, WINDOW, KEPT) = of, flags
    begun, last, least = begin(first, ahead, window, TK, WINDOW), stop(first, TQ, ahead, end, TK, CAUSAL), TK
    if not WINDOW:
        least = min(TQ, TK) if CAUSAL else TK  # no more is multiplied than has to be, where rows see a part
        whole = seen_whole(first, ahead, end, TK, CAUSAL)
        for j in fh.tiles(k, axis=2, size=TK, stop=whole):
            state = turn(state, j, TK, False, KEPT)
        begun, last = whole * (TK // least), stop(first, TQ, ahead, end, least, CAUSAL)
    for j in fh.tiles(k, axis=2, size=least, start=begun, stop=last):
        state = turn(state, j, least, True, KEPT)
    return whole_sums(state) if KEPT else state


def walk_once(loaded: Any, seen: Any, nothing: Any, k: Any, c: Any, first: Any, TK: int, of: Any, *flags: bool) -> Any:
    """
    As `walk` with kept scores, which are those of the walk's own first turn, in one loop: the tiles of a second one are
    loaded only when the first has ended. So it counts how many tiles that are seen whole are left: a condition on that
    leaves the loop as it is, where one on the tile's number would split it. `flags` are `CAUSAL` and `WHOLE`.
    """
    (ahead, end), TQ, (top, _, acc), (CAUSAL, WHOLE) = of, nothing[2].shape[0], nothing, flags
    if WHOLE or CAUSAL:  # computed zeros: of constant ones it is the first product that leaves sums out, and 1 % slower
        acc = fh.broadcast_to((c * 0.0).reshape(1, 1), acc.shape)
    parts, whole = fh.zeros((TQ, FIRST), acc.dtype), seen_whole(first, ahead, end, TK, CAUSAL)
    left: Any = whole
    for j in fh.tiles(k, axis=2, size=TK, stop=stop(first, TQ, ahead, end, TK, CAUSAL)):
        s, values = loaded(j, TK, not CAUSAL and not WHOLE)
        if not CAUSAL:
            top = fh.where(j == 0, nearest(s, c), top)  # each turn, which is faster than a condition here
        else:
            if left <= 0:
                s = seen(s, j, TK)
            if left == whole:
                top = nearest(s, c)
        top, parts, acc = kept((top, parts, acc), s, values, c)
        left = left - 1
    return whole_sums((top, parts, acc))


def again(turn: Any, state: Any, k: Any, size: int, last: Any, MASK: bool) -> Any:
    """The state after a walk that keeps no score."""
    for j in fh.tiles(k, axis=2, size=size, stop=last):
        state = turn(state, j, size, MASK, False)
    return state


def ways_agree(TK: int, CAUSAL: bool, WINDOW: bool, WHOLE: bool, KEPT: int, PIECES: int) -> None:
    """Asks that S queries and T keys are what a walk of these kinds takes."""
    positions_agree(CAUSAL, WINDOW)
    fh.static_assert(not (WHOLE and (CAUSAL or WINDOW)), "all keys are seen")
    if WHOLE:
        fh.require(f"T % {TK} == 0", "keys are whole tiles")
    fh.static_assert(not (KEPT and (WINDOW or PIECES)), "every row sees the first key, and weights have its dtype")


def soon(KEPT: int, TQ: int) -> int | None:
    """The latency of loads: where many rows walk once, more tiles on their way gain nothing, and blocks begin later."""
    return 1 if KEPT == 2 and TQ > 64 else None


@safe
def attention_tiles(
    o: Out["B", "H", "S", "E"],
    lse: Out["B", "H", "S"],
    q: Ref["B", "H", "S", "D"],
    k: Ref["B", "H // G", "T", "D"],
    v: Ref["B", "H // G", "T", "E"],
    sinks: Ref["X"],
    scale: f32,
    window: i32,
    G: Const[int],
    WIDTH: Const[int],
    TK: Const[int],
    CAUSAL: Const[bool] = True,
    WINDOW: Const[bool] = False,
    SINKS: Const[bool] = False,
    PIECES: Const[int] = 0,
    KEPT: Const[int] = 0,
    H: Const[Any] = None,
    E: Const[Any] = None,
    WHOLE: Const[bool] = False,
):
    """
    o = softmax(q @ k.T * scale) @ v in one walk over the keys; G heads of queries share one of keys and values. Queries
    are the last S of T positions. `CAUSAL` leaves out keys behind a query, `WINDOW` those `window` or more in front of
    it. `SINKS` adds a score a head. `WIDTH` is D, up to a power of 2. With `PIECES`, f32 is so many products of bf16.
    `KEPT`: as `kept` (2: `walk_once`), and again beyond `FAR`. `WHOLE`: all keys are seen, in whole tiles.
    """
    fh.require("H % G == 0 and X == H" if SINKS else "H % G == 0")
    ways_agree(TK, CAUSAL, WINDOW, WHOLE, KEPT, PIECES)
    (b, h, i, e), (_, _, TQ, DV) = o.index, o.tile
    i = fh.cdiv(q.shape[2], TQ) - 1 - i if CAUSAL else i  # what takes longest is begun first
    dtype, ahead, end = accumulator(q.dtype), k.shape[2] - q.shape[2], k.shape[2]
    queries = torn_all(q.load((b, h, i, 0), (1, 1, TQ, WIDTH), latency=soon(KEPT, TQ)).reshape(TQ, WIDTH), PIECES)
    c, row = scale.astype(dtype) * LOG2E, places(i * TQ, TQ)[:, None]
    nothing = fh.full((TQ, 1), LOWEST, dtype), fh.zeros((TQ, 1), dtype), fh.zeros((TQ, DV), dtype)

    def loaded(j: Any, size: int, MASK: bool) -> Any:
        keys = k.load((b, h // G, j, 0), (1, 1, size, WIDTH), latency=soon(KEPT, TQ)).reshape(size, WIDTH)
        s = multiplied(queries, torn_all(keys, PIECES), fh.zeros((TQ, size), dtype), True)
        values = v.load((b, h // G, j, 0), (1, 1, size, DV), latency=1 if CAUSAL and KEPT == 2 else soon(KEPT, TQ))
        return seen(s, j, size) if MASK else s, values.reshape(size, DV)

    def seen(s: Any, j: Any, size: int) -> Any:
        return masked(s, row, places(j * size, size)[None, :], ahead, window, end, CAUSAL, WINDOW)

    def turn(state: Any, j: Any, size: int, MASK: bool, KEPT: bool) -> Any:
        s, values = loaded(j, size, MASK)
        return kept(state, s, values, c) if KEPT else attended(state, s, values, c, PIECES)

    if KEPT == 2:
        state = walk_once(loaded, seen, nothing, k, c, i * TQ, TK, (ahead, end), CAUSAL, WHOLE)
    else:
        state = near(nothing, queries, k, (b, h // G), row, c, (ahead, end), WIDTH, CAUSAL) if KEPT else nothing
        state = walk(turn, state, k, i * TQ, TQ, TK, (ahead, window, end), CAUSAL, WINDOW, KEPT > 0)
    least, sink = min(TQ, TK) if CAUSAL else TK, sinks.load(h, ()).astype(dtype) * LOG2E if SINKS else None
    to, last = (o.at(b, h, i, e), lse.at(b, h, i)), stop(i * TQ, TQ, ahead, end, least, CAUSAL)
    if KEPT and far(state):
        finish(*to, again(turn, nothing, k, least, last, not WHOLE), sink)
    else:
        finish(*to, state, sink)


@safe
def attention_row_dots(
    less: Out["B", "H", "S"],
    added: Out["B", "H", "(S + 1) // 2", 4],
    do: Ref["B", "H", "S", "E"],
    o: Ref["B", "H", "S", "E"],
    lse: Ref["B", "H", "S"],
    WIDTH: Const[int],
):
    """
    What is added to gradients of weights, less = -(do * o).sum(axis=-1). In `added` it stands beside what is added to
    scores, -lse in powers of two, of two rows each: a thread of the keys' products loads these four numbers at once.
    """
    b, h, i = less.index
    rows = less.tile[2]
    shape = (1, 1, rows, WIDTH)
    dots = (wide(do.load((b, h, i, 0), shape)) * wide(o.load((b, h, i, 0), shape))).sum(axis=3)
    less.store(-dots)
    starts = lse.load((b, h, i), (1, 1, rows)) * -LOG2E
    both = fh.concatenate((starts.reshape(rows // 2, 2), -dots.reshape(rows // 2, 2)), 1)
    added.store(both.reshape(added.tile))


@safe
def attention_backward_queries(
    dq: Out["B", "H", "S", "D"],
    q: Ref["B", "H", "S", "D"],
    k: Ref["B", "H // G", "T", "D"],
    v: Ref["B", "H // G", "T", "E"],
    do: Ref["B", "H", "S", "E"],
    lse: Ref["B", "H", "S"],
    less: Ref["B", "H", "S"],
    scale: f32,
    window: i32,
    G: Const[int],
    DV: Const[int],
    TK: Const[int],
    CAUSAL: Const[bool] = True,
    WINDOW: Const[bool] = False,
    AHEAD: Const[int | None] = None,
    H: Const[Any] = None,
    D: Const[Any] = None,
):
    """The gradient of the queries, in one walk over the keys that they see. `AHEAD` is the latency of their loads."""
    fh.require("H % G == 0")
    positions_agree(CAUSAL, WINDOW)
    b, h, i, e = dq.index
    _, _, TQ, WIDTH = dq.tile
    if CAUSAL:
        i = fh.cdiv(q.shape[2], TQ) - 1 - i
    dtype = accumulator(q.dtype)
    queries = q.load((b, h, i, 0), (1, 1, TQ, WIDTH)).reshape(TQ, WIDTH)
    above = do.load((b, h, i, 0), (1, 1, TQ, DV)).reshape(TQ, DV)
    shift = lse.load((b, h, i), (1, 1, TQ)).reshape(TQ, 1) * LOG2E
    below = less.load((b, h, i), (1, 1, TQ)).reshape(TQ, 1)
    c = scale.astype(dtype) * LOG2E
    ahead = k.shape[2] - q.shape[2]
    row, end = places(i * TQ, TQ)[:, None], k.shape[2]
    acc = fh.zeros((TQ, WIDTH), dtype)

    def turn(acc: Any, j: Any, MASK: bool) -> Any:
        keys = k.load((b, h // G, j, 0), (1, 1, TK, WIDTH), latency=AHEAD).reshape(TK, WIDTH)
        values = v.load((b, h // G, j, 0), (1, 1, TK, DV), latency=AHEAD).reshape(TK, DV)
        s = fh.mma(queries, keys.T, fh.zeros((TQ, TK), dtype))
        if MASK:
            s = masked(s, row, places(j * TK, TK)[None, :], ahead, window, end, CAUSAL, WINDOW)
        dp = fh.mma(above, values.T, fh.zeros((TQ, TK), dtype))
        return fh.mma((power_of_2(s * c - shift) * (dp + below)).astype(k.dtype), keys, acc)

    first, last = begin(i * TQ, ahead, window, TK, WINDOW), stop(i * TQ, TQ, ahead, end, TK, CAUSAL)
    if not WINDOW:
        whole = seen_whole(i * TQ, ahead, end, TK, CAUSAL)
        for j in fh.tiles(k, axis=2, size=TK, stop=whole):
            acc = turn(acc, j, False)
        first = whole
    for j in fh.tiles(k, axis=2, size=TK, start=first, stop=last):
        acc = turn(acc, j, True)
    dq.at(b, h, i, e).store((acc * scale.astype(dtype)).reshape(dq.tile).astype(dq.dtype))


@safe
def attention_backward_keys(
    dk: Out["B", "KH", "T", "D"],
    dv: Out["B", "KH", "T", "E"],
    q: Ref["B", "KH", "G", "S", "D"],
    k: Ref["B", "KH", "T", "D"],
    v: Ref["B", "KH", "T", "E"],
    do: Ref["B", "KH", "G", "S", "E"],
    added: Ref["B", "KH", "G", "(S + 1) // 2", 4],
    scale: f32,
    window: i32,
    TQ: Const[int],
    CAUSAL: Const[bool] = True,
    WINDOW: Const[bool] = False,
    HELD: Const[bool] = False,
    BEGUN: Const[bool] = False,  # gradients of weights begin with what is added to them
    PAIRED: Const[bool] = False,  # what is added is loaded for two tiles at once
    KH: Const[Any] = None,
    D: Const[Any] = None,
):
    """The gradients of keys and values, the rows of all products: in registers if `HELD`, as weights always are."""
    positions_agree(CAUSAL, WINDOW)
    (b, h, j, _), (_, _, TK, WIDTH), DV = dk.index, dk.tile, dv.tile[3]
    dtype = accumulator(q.dtype)
    keys = k.load((b, h, j, 0), (1, 1, TK, WIDTH)).reshape(TK, WIDTH)
    values = v.load((b, h, j, 0), (1, 1, TK, DV)).reshape(TK, DV)
    if HELD:
        keys, values = held(keys, j * TK, k.shape[2]), held(values, j * TK, k.shape[2])
    c, S, ahead, half = scale.astype(dtype) * LOG2E, q.shape[3], k.shape[2] - q.shape[3], TQ // 2
    first, whole, last = seeing(j * TK, TK, S, TQ, ahead, window, CAUSAL, WINDOW)

    def turn(g: Any, i: Any, one: Any, other: Any, MASK: bool, rows: Any = None) -> Any:
        queries = q.load((b, h, g, i, 0), (1, 1, 1, TQ, WIDTH)).reshape(TQ, WIDTH)
        above = do.load((b, h, g, i, 0), (1, 1, 1, TQ, DV)).reshape(TQ, DV)
        rows = added.load((b, h, g, i, 0), (1, 1, 1, half, 4)).reshape(half, 4) if rows is None else rows
        start, below = halves(rows, (half, 2), (0, 1), (1, TQ))
        row, column, nothing = places(i * TQ, TQ)[None, :], places(j * TK, TK)[:, None], fh.zeros((TK, TQ), dtype)
        s = fh.mma(keys, queries.T, nothing)
        if MASK:
            s = masked(s, row, column, ahead, window, k.shape[2], CAUSAL, WINDOW)
        p = power_of_2(s * c + start)
        dp = fh.mma(values, above.T, fh.broadcast_to(below, (TK, TQ)) if BEGUN else nothing)
        other = fh.mma(p.astype(do.dtype), above, other)
        return fh.mma((p * (dp if BEGUN else dp + below)).astype(q.dtype), queries, one), other

    one, other = fh.zeros((TK, WIDTH), dtype), fh.zeros((TK, DV), dtype)
    for g in fh.tiles(q, axis=2, size=1):
        if CAUSAL:
            for i in fh.tiles(q, axis=3, size=TQ, start=first, stop=whole):
                one, other = turn(g, i, one, other, True)
        paired = whole + (last - whole) // 2 * 2  # two at a time: while one is worked on, the next one arrives
        for i in fh.tiles(q, axis=3, size=TQ, start=whole, stop=paired, step=2):
            rows = added.load((b, h, g, i // 2, 0), (1, 1, 1, TQ, 4)).reshape(TQ, 4) if PAIRED else None
            pair: Any = halves(rows, (half, 4), (1, 0), (half, 4)) if PAIRED else (None, None)
            one, other = turn(g, i, one, other, WINDOW, pair[0])
            one, other = turn(g, i + 1, one, other, WINDOW, pair[1])
        for i in fh.tiles(q, axis=3, size=TQ, start=paired, stop=last):
            one, other = turn(g, i, one, other, WINDOW)
    dk.store((one * scale.astype(dtype)).reshape(dk.tile).astype(dk.dtype))
    dv.store(other.reshape(dv.tile).astype(dv.dtype))


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    causal: bool = True,
    scale: float | None = None,
    window: int | None = None,
    sinks: Tensor | None = None,
) -> Tensor:
    """
    softmax(q @ k.T * scale) @ v, as `torch.nn.functional.scaled_dot_product_attention`; differentiable.

    `q` is (B, H, S, D), `k` (B, KH, T, D) and `v` (B, KH, T, E), where KH divides H: neighbouring heads of queries
    share one of keys and values. The result is (B, H, S, E) in the dtype of `q`. `scale` is 1 / sqrt(D) unless given.
    The queries are those of the last S positions; `causal` leaves out keys after a query's own, and `window` (at
    least 1) those that are so many or more in front of it, itself counted. `sinks` (H) are scores without values. Heads
    have up to 256 elements. Raises `ValueError` for other shapes, and for a scale that is not above 0.
    """
    if (causal or window) and q.shape[2] > k.shape[2]:
        raise ValueError(f"queries are those of the last positions: not {q.shape[2]} of {k.shape[2]}")
    if window is not None and window < 1:
        raise ValueError(f"a window has at least one position, not {window}")
    if scale is not None and not scale > 0:
        raise ValueError(f"a scale is above 0, not {scale}")  # what is masked is -inf times it
    return _attention(q, k, v, sinks, 1 / sqrt(q.shape[-1]) if scale is None else scale, window or 0, causal)[0]


# --- Operators --------------------------------------------------------------------------------------------------------


def _tiles(heads: int, S: int, T: int, D: int, size: int, early: bool) -> tuple[int, int, int, int]:
    """Queries and keys of a tile, warps, and blocks of a multiprocessor. `early`: wider ones pay from 8,192 keys on."""
    high, width = power_of_two(max(16, S)), power_of_two(max(16, T))
    if size > 2:
        return min(32, high), min(32, width), 4, 2
    if D > 64 or heads * ceildiv(S, 128) < 2 * PROCESSORS:  # or short, so that there are enough blocks
        return min(64, high), min(128 if D <= 128 else 64, width), 4, 2
    return (64, min(128, width), 4, 3) if early and T >= 8192 else (64, min(64, width), 4, 4)


def _in_tiles_of_128(heads: int, S: int, T: int, causal: bool) -> bool:
    """
    Whether blocks of 128 queries by eight warps, one a multiprocessor, are faster where weights are kept relative to a
    score: they load keys and values once for twice as many queries as those of 64, which wait for loads. Beginning and
    ending stand beside no other block's turns, so it takes many turns, and multiprocessors that all have one at last.
    """
    return filled(heads * ceildiv(S, 128), 1) >= 0.9 and (8192 <= T < 16384 if causal else T >= 2048)


@cache
def _strided(heads: int, S: int, T: int) -> int:
    """
    How many blocks of a head have all of its tiles of causal queries, each several; 0: a block has one tile. 1,024 keys
    take 1 to 9 % less time so, and 2,048 more. Of those that leave processors idle the least, the fewest.
    """
    if not 1024 <= S == T < 1280:
        return 0
    tiles = ceildiv(S, 64)
    least = min(range(1, tiles + 1), key=lambda n: ceildiv(heads * n, 2 * PROCESSORS) * ceildiv(tiles, n))
    return least if least < tiles else 0


@operator(
    "attention(Tensor q, Tensor k, Tensor v, Tensor? sinks, float scale, int window, bool causal) -> (Tensor, Tensor)",
    results=lambda q, k, v, sinks, scale, window, causal: (
        q.new_empty((*q.shape[:3], v.shape[3])),
        q.new_empty(q.shape[:3], dtype=wide_dtype(q)),
    ),
    takes={"q": "B H S D floats", "k": "B KH T D same", "v": "B KH T E same", "sinks": "H floats"},
    where=("H % KH == 0", "D <= 256", "E <= 256"),
)
def _attention(o: Any, lse: Any, q: Any, k: Any, v: Any, sinks: Any, scale: float, window: int, causal: bool) -> None:
    (B, H, S, D), T = q.shape, k.shape[2]
    wide_head = power_of_two(D), power_of_two(v.shape[3])
    # Of fewer keys it was not measured, and f16 has no room above 1 for weights.
    may_keep = str(q.dtype) == "torch.bfloat16" and not window and T >= 1024 and max(wide_head) <= 128
    kept = 0 if not may_keep else 2 if max(wide_head) > 64 else 1  # 2 takes up to 2 % longer with 64 elements
    high, width, warps, occupancy = _tiles(B * H, S, T, D, q.element_size(), causal and not kept)
    pieces = 3 if q.element_size() == 4 and min(S, T) >= 64 and max(wide_head) <= 128 else 0
    if pieces:
        high, width, warps, occupancy = 128 if max(wide_head) <= 64 else 64, 64, 8, 1
    hints = {"num_worker_warps": warps, "occupancy": occupancy}
    if high == 64 and width == 128 and not (causal or window or kept) and min(S, T) >= 12288:
        # Two blocks of 64 queries load keys and values once for both. Where the GPU is at its limit of power, as it is
        # after some milliseconds, what that saves makes it 3 % faster; shorter ones are as fast, or slower.
        high, hints = 128, {**hints, "num_cta_in_cga": 2}
    if kept == 2 and T % width == 0 and _in_tiles_of_128(B * H, S, T, causal):
        high, hints = 128, {"num_worker_warps": 8, "occupancy": 1}
    parts = fh.partition(o, (1, 1, high, wide_head[1])), fh.partition(lse, (1, 1, high))
    given, G = (*parts, q, k, v, q[0, 0, 0] if sinks is None else sinks, scale), H // k.shape[1]
    if kept == 2 and causal and (blocks := _strided(B * H, S, T)):
        constants = blocks, G, wide_head[0], width, sinks is not None, H, v.shape[3]
        hinted(attention_strided, hints)(*given, *constants).on()
        return
    whole = kept == 2 and not causal and T % width == 0
    flags = causal, window > 0, sinks is not None, pieces, kept
    hinted(attention_tiles, hints)(*given, window, G, wide_head[0], width, *flags, H, v.shape[3], whole).on()


@fh.planned
def _row_dots(less: Any, added: Any, do: Any, o: Any, lse: Any) -> None:
    parts = fh.partition(less, (1, 1, 16)), fh.partition(added, (1, 1, 8, 4))
    hinted(attention_row_dots, {"num_worker_warps": 4, "occupancy": 8})(
        *parts, do, o, lse, power_of_two(o.shape[3])
    ).on()


def _most(size: int, extent: int) -> int:
    """Rows of a tile of gradients, of so many in all."""
    return min(32 if size > 2 else 64, power_of_two(max(16, extent)))


@fh.planned
def _backward_queries(
    dq: Any, q: Any, k: Any, v: Any, do: Any, lse: Any, less: Any, scale: float, window: int, causal: bool
) -> None:
    S, heads, size = q.shape[2], (power_of_two(q.shape[3]), power_of_two(v.shape[3])), q.element_size()
    high, width = _most(size, S), _most(size, k.shape[2])
    rows, warps, occupancy, ahead = high, 4, 3 if max(heads) <= 64 else 2, None
    heads_of_128 = high == 64 and 64 < max(heads) <= 128
    if heads_of_128 and not window and 1024 <= S <= (4096 if causal else 1024):
        ahead = 1  # 1 to 9 % faster than tiles of 128, which are up to 2 % faster for longer ones
    elif heads_of_128 and S >= 128:
        rows, warps, occupancy = 128, 8, 1
    part = fh.partition(dq, (1, 1, rows, heads[0]))
    given = do, lse, less, scale, window, q.shape[1] // k.shape[1], heads[1], width, causal, window > 0, ahead
    hints = {"num_worker_warps": warps, "occupancy": occupancy}
    hinted(attention_backward_queries, hints)(part, q, k, v, *given, *q.shape[1::2]).on()


@fh.planned
def _backward_keys(
    dk: Any, dv: Any, q: Any, k: Any, v: Any, do: Any, added: Any, scale: float, window: int, causal: bool
) -> None:
    B, KH, S, heads = *k.shape[:2], q.shape[2], (power_of_two(q.shape[3]), power_of_two(v.shape[3]))
    high, width = _most(q.element_size(), S), _most(q.element_size(), k.shape[2])
    parts = fh.partition(dk, (1, 1, width, heads[0])), fh.partition(dv, (1, 1, width, heads[1]))
    groups = [t.reshape(B, KH, q.shape[1] // KH, *t.shape[2:]) for t in (q, do, added)]
    small, tiles_of_64 = max(heads) <= 64, max(heads) <= 128 and width == 64
    begun = tiles_of_64 and (small or window > 0 or S < 2048)  # of longer ones it takes 1 to 2 % more time
    how = small and tiles_of_64, begun, small and tiles_of_64
    given = groups[0], k, v, *groups[1:], scale, window, high, causal, window > 0, *how, KH, q.shape[3]
    hinted(attention_backward_keys, {"num_worker_warps": 4, "occupancy": 2})(*parts, *given).on()


@operator(
    "attention_backward(Tensor do, Tensor q, Tensor k, Tensor v, Tensor o, Tensor lse, float scale, int window,"
    " bool causal) -> (Tensor, Tensor, Tensor, Tensor)",
    results=lambda do, q, k, v, o, lse, scale, window, causal: (
        *(t.new_empty(t.shape) for t in (q, k, v)),
        lse.new_empty(lse.shape),
    ),
)
def _attention_backward(
    dq: Any,
    dk: Any,
    dv: Any,
    less: Any,
    do: Any,
    q: Any,
    k: Any,
    v: Any,
    o: Any,
    lse: Any,
    scale: float,
    window: int,
    causal: bool,
) -> None:
    added = lse.new_empty((*lse.shape[:2], ceildiv(lse.shape[2], 2), 4))
    _row_dots(less, added, do, o, lse)
    # Each is planned, so that the host has little to do also where two streams keep all of it from being one plan.
    given, last = (q, k, v, do), (scale, window, causal)
    steps = (
        partial(_backward_queries, dq, *given, lse, less, *last),
        partial(_backward_keys, dk, dv, *given, added, *last),
    )
    if dq.is_cuda and lse.numel() * k.shape[2] >= MANY:
        beside_one_another(iter(steps), 2, dq.device, last=True)
        return
    for step in steps:
        step()


@_attention.backward(keeps=lambda inputs, output: (*inputs[:4], *output))
def _gradients(ctx: Any, do: Any, _: Any) -> tuple[Any, ...]:
    q, k, v, sinks, o, lse = ctx.saved_tensors
    *given, less = _attention_backward(do.contiguous(), q, k, v, o, lse, *ctx.arguments)
    dsinks = None
    if sinks is not None:
        dsinks = ((sinks[None, :, None] - lse).exp() * less).sum((0, 2)).to(sinks.dtype)
    return *given, dsinks, None, None, None
