"""
Walks of queries over keys: what attention does with each tile of keys, and a kernel whose blocks go on from one tile of
queries to the next.
"""

from __future__ import annotations

from typing import Any, Final

import freehold as fh
from freehold import Const, Mut, Ref, f32, f64, i32
from freehold.kernels.pieces import multiplied, torn_all
from freehold.kernels.tiles import LOG2E, accumulator, places, quotient, safe

LOWEST: Final = -1e30
"""Below every score, and a number: what is less than it by -inf is no NaN."""

LN2: Final = 0.6931471805599453
"""The natural logarithm of 2."""

FIRST: Final = 8
"""Keys in front, to whose largest score weights are relative where it is kept, and parts of a row's sum of weights."""

FAR: Final = 1e30
"""Beyond this, sums that are relative to a score of the first keys are computed again, relative to the largest."""


def positions_agree(CAUSAL: bool, WINDOW: bool) -> None:
    """Asks that S queries are the last of T positions, where that matters."""
    fh.require("S <= T" if CAUSAL or WINDOW else "T > 0", "queries are the last of the positions")
    fh.require("S <= 536870912 and T <= 536870912", "no place wraps around")


def power_of_2(t: Any) -> Any:
    """2 ** t, of `f32` by one instruction."""
    return fh.exp2(t) if t.dtype == f64 else fh.exp2(t, flush_to_zero=True)


def masked(s: Any, row: Any, column: Any, ahead: Any, window: Any, end: Any, CAUSAL: bool, WINDOW: bool) -> Any:
    """Scores, and -inf where a key is after the query's place, out of its window, or beyond the end."""
    inside = column <= row + ahead if CAUSAL else column < end
    if WINDOW:
        inside = inside & (column > row + ahead - window)
    return fh.where(inside, s, float("-inf"))


def stop(first: Any, TQ: int, ahead: Any, end: Any, TK: int, CAUSAL: bool) -> Any:
    """The tile of keys behind the last one that the rows from `first` to `first + TQ` see."""
    return fh.cdiv(first + TQ + ahead, TK) if CAUSAL else fh.cdiv(end, TK)


def seen_whole(first: Any, ahead: Any, end: Any, TK: int, CAUSAL: bool) -> Any:
    """How many tiles of keys in front are seen whole by all rows from `first` on."""
    return (fh.minimum(first + ahead + 1, end) if CAUSAL else end) // TK


def attended(state: tuple[Any, Any, Any], s: Any, values: Any, c: Any, PIECES: int) -> Any:
    """Greatest score, sum of weights and sum of weighted values of a walk over keys, after one more tile of scores."""
    top, total, acc = state
    higher = fh.maximum(top, s.max(axis=1, keepdims=True) * c)
    p, fade = power_of_2(s * c - higher), power_of_2(top - higher)
    total, acc = total * fade + p.sum(axis=1, keepdims=True), acc * fade
    if PIECES:
        nothing = fh.zeros(acc.shape, acc.dtype)
        return higher, total, acc + multiplied(torn_all(p, PIECES), torn_all(values, PIECES), nothing)
    return higher, total, fh.mma(p.astype(values.dtype), values, acc)


def kept(state: tuple[Any, Any, Any], s: Any, values: Any, c: Any) -> Any:
    """
    As `attended`, relative to a score that stays, whichever it is: the largest of the first keys. Nothing fades: as
    precise in bf16, which has the exponents of f32. The sum is in parts: threads add up their own.
    """
    top, parts, acc = state
    p = power_of_2(s * c - top)
    parts = parts + p.reshape(s.shape[0], s.shape[1] // FIRST, FIRST).sum(axis=1)
    return top, parts, fh.mma(p.astype(values.dtype), values, acc)


def nearest(s: Any, c: Any) -> Any:
    """The largest score of the first keys of a tile, for weights to be relative to."""
    return fh.extract(s, (0, 0), (s.shape[0], FIRST)).max(axis=1, keepdims=True) * c


def beside_sink(state: Any, sink: Any) -> Any:
    """Largest score, sum and weighted values of rows as a score beside them, which has no value, leaves them."""
    top, total, acc = state
    higher = fh.maximum(top, sink)
    fade = power_of_2(top - higher)
    return higher, total * fade + power_of_2(sink - higher), acc * fade


def finish(o: Any, lse: Any, state: Any, sink: Any) -> None:
    """Stores what a walk over keys has found, to the regions of a block."""
    top, total, acc = state if sink is None else beside_sink(state, sink)
    o.store((acc * quotient(1.0, total)).reshape(o.tile).astype(o.dtype))
    lse.store(((top + fh.log2(total)) * LN2).reshape(lse.tile))


def whole_sums(state: tuple[Any, Any, Any]) -> Any:
    """The same, of which `kept` left the sums of weights in parts."""
    return state[0], state[1].sum(axis=1, keepdims=True), state[2]


def near_still(near: Any, state: tuple[Any, Any, Any]) -> Any:
    """What is 1 as long as no sum of `kept` was beyond `FAR`, or no number, for each part of a row; else 0."""
    _, parts, acc = state
    sums = parts + abs(acc).reshape(acc.shape[0], acc.shape[1] // FIRST, FIRST).sum(axis=1)
    return fh.where(sums <= FAR, near, 0.0)


def walked_near(
    loaded: Any, seen: Any, queries: Any, row: Any, k: Any, c: Any, whole: Any, last: Any, TK: int, state: Any
) -> Any:
    """
    What a walk over tiles of keys leaves of a state, relative to the largest score of the first keys. Of the first
    `whole` tiles, a float, all keys are seen.
    """
    top, parts, acc = state
    left = whole
    for j in fh.tiles(k, axis=2, size=TK, stop=last):
        s, values = loaded(queries, j)
        if left <= 0.0:
            s = s + seen(0.0, row, j)
        top = fh.where(left == whole, nearest(s, c), top)
        top, parts, acc = kept((top, parts, acc), s, values, c)
        left = left - 1.0
    return top, parts, acc


def walked(loaded: Any, seen: Any, queries: Any, row: Any, k: Any, c: Any, last: Any, TK: int, state: Any) -> Any:
    """What a walk over tiles of keys leaves of a state, relative to the largest score."""
    for j in fh.tiles(k, axis=2, size=TK, stop=last):
        s, values = loaded(queries, j)
        state = attended(state, seen(s, row, j), values, c, 0)
    return state


# The turns' loop of `attention_strided` has no instruction that is not needed. Sums begin with zeros that are computed:
# those of a constant would be chosen in each turn. It has a turn for certain: zeros for none would have registers. And
# what masks and the first turn depend on is counted in floats: where a condition asks for the tile's number, loops are
# split.
@safe
def attention_strided(
    o: Mut["B", "H", "S", "E"],
    lse: Mut["B", "H", "S"],
    q: Ref["B", "H", "S", "D"],
    k: Ref["B", "H // G", "T", "D"],
    v: Ref["B", "H // G", "T", "E"],
    sinks: Ref["X"],
    scale: f32,
    blocks: i32,
    G: Const[int],
    WIDTH: Const[int],
    TK: Const[int],
    SINKS: Const[bool] = False,
    H: Const[Any] = None,
    E: Const[Any] = None,
    at: fh.Grid = fh.Grid("B", "H", "blocks"),
):
    """
    As `attention_tiles`, causal. Each of so many `blocks` of a head works on tiles of queries that are so many apart,
    and what a tile begins with is loaded while the one before ends. Weights are `kept`, relative to the largest score
    of the first keys in a walk's own first turn; where a tile goes beyond `FAR`, all of its block are walked again.
    """
    fh.require("H % G == 0 and X == H" if SINKS else "H % G == 0")
    positions_agree(True, False)
    fh.require("T > 0 and blocks > 0")
    (b, h, p), (_, _, TQ, DV) = at.index, o.tile
    fh.require(o.shape[3] <= DV, "a head is one tile wide")
    dtype, count = accumulator(q.dtype), fh.cdiv(fh.maximum(fh.cdiv(q.shape[2], TQ) - p, 0), blocks)
    c, zero = scale.astype(dtype) * LOG2E, (scale.astype(dtype) * 0.0).reshape(1, 1)
    ahead, end = k.shape[2] - q.shape[2], k.shape[2]
    sink = sinks.load(h, ()).astype(dtype) * LOG2E if SINKS else None

    def begun(n: Any) -> tuple[Any, Any, Any]:
        i = n * blocks + p
        queries = q.load((b, h, i, 0), (1, 1, TQ, WIDTH), latency=1).reshape(TQ, WIDTH)
        return i, queries, places(i * TQ, TQ)[:, None]

    def loaded(queries: Any, j: Any) -> tuple[Any, Any]:
        keys = k.load((b, h // G, j, 0), (1, 1, TK, WIDTH), latency=1).reshape(TK, WIDTH)
        s = fh.mma(queries, keys.T, fh.zeros((TQ, TK), dtype))
        return s, v.load((b, h // G, j, 0), (1, 1, TK, DV), latency=1).reshape(TK, DV)

    def seen(s: Any, row: Any, j: Any) -> Any:
        return masked(s, row, places(j * TK, TK)[None, :], ahead, 0, end, True, False)

    near: Any = fh.full((TQ, FIRST), 1.0, dtype)
    for n in range(count):
        i, queries, row = begun(n)
        state = fh.full((TQ, 1), LOWEST, dtype), fh.zeros((TQ, FIRST), dtype), fh.broadcast_to(zero, (TQ, DV))
        whole, last = seen_whole(i * TQ, ahead, end, TK, True), stop(i * TQ, TQ, ahead, end, TK, True)
        state = walked_near(loaded, seen, queries, row, k, c, whole.astype(f32), fh.maximum(last, 1), TK, state)
        near = near_still(near, state)
        finish(o.at(b, h, i, 0), lse.at(b, h, i), whole_sums(state), sink)
    if near.min() <= 0.0:
        for n in range(count):
            i, queries, row = begun(n)
            state = fh.full((TQ, 1), LOWEST, dtype), fh.zeros((TQ, 1), dtype), fh.zeros((TQ, DV), dtype)
            state = walked(loaded, seen, queries, row, k, c, stop(i * TQ, TQ, ahead, end, TK, True), TK, state)
            finish(o.at(b, h, i, 0), lse.at(b, h, i), state, sink)
