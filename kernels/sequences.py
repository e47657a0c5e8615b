"""Attention of sequences of any lengths that stand behind one another in one tensor, forward and backward."""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import Any

import freehold as fh
from freehold import Const, Out, Ref, f32, i32
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.operators import operator, wide_dtype
from freehold.kernels.prefill import MANY, far, halves, held
from freehold.kernels.schedules import hinted, power_of_two
from freehold.kernels.streams import beside_one_another
from freehold.kernels.tiles import LOG2E, accumulator, places, quotient, safe, safe_with_data, wide
from freehold.kernels.walks import (
    FIRST,
    LN2,
    LOWEST,
    attended,
    kept,
    nearest,
    power_of_2,
    whole_sums,
)

# --- Kernels ----------------------------------------------------------------------------------------------------------

# Tensors are (H, S, D) here: of a head, tiles of queries follow one another, so that blocks that run at the same time
# share keys and values.


def bounds(offsets: Any, e: Any) -> tuple[Any, Any]:
    """Where sequence e begins, and how long it is."""
    first = offsets.gather(e)
    return first, offsets.gather(e + 1) - first


def rows_of(x: Any, h: Any, first: Any, shape: tuple[int, int], latency: int | None = None) -> Any:
    """
    A tile of rows of one head, wherever it begins, which right offsets have in the tensor. That it begins there
    whatever they are is what lets it be loaded by a descriptor, as tiles at whole multiples are, and not by element.
    """
    at = fh.clip(first, 0, x.shape[1] - 1)
    return x.load_from((h, at, 0), (1, *shape), latency=latency).reshape(shape)


def seen(s: Any, row: Any, column: Any, ahead: Any, end: Any, CAUSAL: bool) -> Any:
    """Scores, and -inf where there is no such key, or it is after the query. Rows behind the last one are not used."""
    inside = column < end
    return fh.where(inside & (column <= row + ahead) if CAUSAL else inside, s, float("-inf"))


def tiles_seen(first: Any, TQ: int, TK: int, ahead: Any, end: Any, CAUSAL: bool) -> tuple[Any, Any]:
    """How many tiles of keys all queries from `first` on see whole, and how many any of them sees."""
    whole = fh.minimum(first + ahead + 1, end) if CAUSAL else end
    return fh.maximum(whole, 0) // TK, fh.cdiv(fh.minimum(first + TQ + ahead, end) if CAUSAL else end, TK)


def found(o: Any, lse: Any, state: Any) -> None:
    """Stores what a walk over keys has found. A query that sees no key has zeros."""
    top, total, acc = state
    some = fh.where(total > 0.0, total, 1.0)
    o.store((acc * quotient(1.0, some)).reshape(o.tile).astype(o.dtype))
    lse.store(((top + fh.log2(some)) * LN2).reshape(lse.tile))


def begun(s: Any, nothing: Any, c: Any) -> Any:
    """What a walk begins with that keeps the largest scores `s` of the first keys."""
    top = fh.maximum(nothing[0], s.max(axis=1, keepdims=True) * c)
    return top, fh.zeros((s.shape[0], FIRST), s.dtype), nothing[2]


def walked_once(loaded: Any, inside: Any, nothing: Any, c: Any, whole: Any, last: Any) -> Any:
    """A walk that keeps the largest scores of its first turn, in one loop: as `prefill.walk_once`."""
    top, acc = nothing[0], nothing[2]
    parts = fh.zeros((acc.shape[0], FIRST), acc.dtype)
    acc, left = fh.broadcast_to((c * 0.0).reshape(1, 1), acc.shape), whole
    for j in range(last):
        s, values = loaded(j, False)
        if left <= 0:
            s = inside(s, j)
        if left == whole:
            top = fh.maximum(nearest(s, c), LOWEST)
        top, parts, acc = kept((top, parts, acc), s, values, c)
        left = left - 1
    return top, parts, acc


def told(o: Any, lse: Any, state: Any, turn: Any, nothing: Any, last: Any, KEPT: int) -> None:
    """Stores what a walk has found; where the scores that it kept are too far off, what another walk finds."""
    if not KEPT:
        found(o, lse, state)
    else:
        state = whole_sums(state)
        if far(state):
            again: Any = nothing
            for j in range(last):
                again = turn(again, j, True, 0)
            found(o, lse, again)
        else:
            found(o, lse, state)


@safe_with_data
def sequence_attention(
    o: Out["H", "S", "E"],
    lse: Out["H", "S"],
    q: Ref["H", "S", "D"],
    k: Ref["H // G", "T", "D"],
    v: Ref["H // G", "T", "E"],
    q_offsets: Ref[i32, "N + 1"],
    k_offsets: Ref[i32, "N + 1"],
    scale: f32,
    G: Const[int],
    WIDTH: Const[int],
    TK: Const[int],
    CAUSAL: Const[bool],
    KEPT: Const[int] = 0,
    H: Const[Any] = None,
    E: Const[Any] = None,
):
    """
    As `attention_tiles`, for sequence e of the queries from q_offsets[e] on and of the keys from k_offsets[e] on.

    With `KEPT` weights are relative to the largest score of the first keys, and where sums go beyond `FAR` the keys are
    walked again. These keys are a tile in front of the walk, or with 2 the beginning of its first one.
    """
    fh.require("H % G == 0")
    (e, h, i, _), (_, TQ, DV) = o.index, o.tile
    dtype = accumulator(q.dtype)
    _, count = bounds(q_offsets, e)
    first, end = bounds(k_offsets, e)
    queries, ahead = rows_of(q, h, o.start[1], (TQ, WIDTH)), end - count
    c, row = scale.astype(dtype) * LOG2E, places(i * TQ, TQ)[:, None]
    nothing = fh.full((TQ, 1), LOWEST, dtype), fh.zeros((TQ, 1), dtype), fh.zeros((TQ, DV), dtype)

    def loaded(j: Any, MASK: bool) -> Any:
        keys = rows_of(k, h // G, first + j * TK, (TK, WIDTH))
        s = fh.mma(queries, keys.T, fh.zeros((TQ, TK), dtype))
        values = rows_of(v, h // G, first + j * TK, (TK, DV), 1 if KEPT == 2 else None)
        return inside(s, j) if MASK else s, values

    def inside(s: Any, j: Any) -> Any:
        return seen(s, row, places(j * TK, TK)[None, :], ahead, end, CAUSAL)

    def turn(state: Any, j: Any, MASK: bool, KEPT: int) -> Any:
        s, values = loaded(j, MASK)
        return kept(state, s, values, c) if KEPT else attended(state, s, values, c, 0)

    whole, last = tiles_seen(i * TQ, TQ, TK, ahead, end, CAUSAL)
    state: Any = nothing
    if KEPT == 1:
        s = fh.mma(queries, rows_of(k, h // G, first, (FIRST, WIDTH)).T, fh.zeros((TQ, FIRST), dtype))
        state = begun(seen(s, row, places(0, FIRST)[None, :], ahead, end, CAUSAL), nothing, c)
    if KEPT == 2:
        state = walked_once(loaded, inside, nothing, c, whole, last)
    else:
        for j in range(whole):
            state = turn(state, j, False, KEPT)
        for j in range(whole, last):
            state = turn(state, j, True, KEPT)
    told(o, lse, state, turn, nothing, last, KEPT)


@safe
def sequence_row_dots(less: Out["H", "S"], do: Ref["H", "S", "E"], o: Ref["H", "S", "E"], WIDTH: Const[int]):
    """What is added to gradients of weights, less = -(do * o).sum(axis=-1)."""
    (h, i), (_, rows) = less.index, less.tile
    above, found = do.load((h, i, 0), (1, rows, WIDTH)), o.load((h, i, 0), (1, rows, WIDTH))
    less.store(-(wide(above) * wide(found)).sum(axis=2))


@safe
def sequence_row_pairs(added: Out[2, "H", "S // 2 + 1", 4], less: Ref["H", "S"], lse: Ref["H", "S"]):
    """
    What is added to two rows' scores, -lse in powers of two, and to gradients of their weights, beside one another, as
    in `attention_row_dots`. Sequences begin at even rows or odd ones, so there are pairs of either kind.
    """
    odd, h, i, _ = added.index
    rows = 2 * added.tile[2]
    at = h, fh.minimum(i * rows + odd, less.shape[1] - 1)
    starts = (lse.load_from(at, (1, rows)) * -LOG2E).reshape(rows // 2, 2)
    below = less.load_from(at, (1, rows)).reshape(rows // 2, 2)
    added.store(fh.concatenate((starts, below), 1).reshape(added.tile))


@safe_with_data
def sequence_attention_queries(
    dq: Out["H", "S", "D"],
    q: Ref["H", "S", "D"],
    k: Ref["H // G", "T", "D"],
    v: Ref["H // G", "T", "E"],
    do: Ref["H", "S", "E"],
    lse: Ref["H", "S"],
    less: Ref["H", "S"],
    q_offsets: Ref[i32, "N + 1"],
    k_offsets: Ref[i32, "N + 1"],
    scale: f32,
    G: Const[int],
    DV: Const[int],
    TK: Const[int],
    CAUSAL: Const[bool],
    AHEAD: Const[int | None] = None,
    H: Const[Any] = None,
    D: Const[Any] = None,
):
    """The gradient of the queries, in one walk over the keys that they see. `AHEAD` is the latency of their loads."""
    fh.require("H % G == 0")
    (e, h, i, _), (_, TQ, WIDTH) = dq.index, dq.tile
    dtype, at = accumulator(q.dtype), dq.start[1]
    _, count = bounds(q_offsets, e)
    first, end = bounds(k_offsets, e)
    queries, above = rows_of(q, h, at, (TQ, WIDTH)), rows_of(do, h, at, (TQ, DV))
    shift = lse.load_from((h, at), (1, TQ)).reshape(TQ, 1) * LOG2E
    below = less.load_from((h, at), (1, TQ)).reshape(TQ, 1)
    c, ahead, row = scale.astype(dtype) * LOG2E, end - count, places(i * TQ, TQ)[:, None]
    acc = fh.zeros((TQ, WIDTH), dtype)

    def turn(acc: Any, j: Any, MASK: bool) -> Any:
        keys = rows_of(k, h // G, first + j * TK, (TK, WIDTH), AHEAD)
        values = rows_of(v, h // G, first + j * TK, (TK, DV), AHEAD)
        s = fh.mma(queries, keys.T, fh.zeros((TQ, TK), dtype))
        if MASK:
            s = seen(s, row, places(j * TK, TK)[None, :], ahead, end, CAUSAL)
        dp = fh.mma(above, values.T, fh.zeros((TQ, TK), dtype))
        return fh.mma((power_of_2(s * c - shift) * (dp + below)).astype(k.dtype), keys, acc)

    whole, last = tiles_seen(i * TQ, TQ, TK, ahead, end, CAUSAL)
    for j in range(whole):
        acc = turn(acc, j, False)
    for j in range(whole, last):
        acc = turn(acc, j, True)
    dq.store((acc * scale.astype(dtype)).reshape(dq.tile).astype(dq.dtype))


def pairs_of(added: Any, head: Any, begin: Any, pair: Any, half: int) -> Any:
    """What is added to the scores of queries, two by two, from a pair on of those of a sequence that begins there."""
    odd: Any = begin % 2
    pair = fh.minimum(begin // 2 + pair, added.shape[2] - 1)
    return added.load_from((odd, head, pair, 0), (1, 1, half, 4)).reshape(half, 4)


def of_queries(s: Any, row: Any, column: Any, ahead: Any, count: Any, CAUSAL: bool) -> Any:
    """Scores of keys by queries: -inf beyond a sequence's queries, and of keys that these do not see."""
    inside = row < count
    return fh.where(inside & (column <= row + ahead) if CAUSAL else inside, s, float("-inf"))


# freehold: G=2
@safe_with_data
def sequence_attention_keys(
    dk: Out["KH", "T", "D"],
    dv: Out["KH", "T", "E"],
    q: Ref["KH * G", "S", "D"],
    k: Ref["KH", "T", "D"],
    v: Ref["KH", "T", "E"],
    do: Ref["KH * G", "S", "E"],
    added: Ref[2, "KH * G", "S // 2 + 1", 4],
    q_offsets: Ref[i32, "N + 1"],
    k_offsets: Ref[i32, "N + 1"],
    scale: f32,
    G: Const[int],
    TQ: Const[int],
    CAUSAL: Const[bool],
    HELD: Const[bool] = False,
    BEGUN: Const[bool] = False,
    KH: Const[Any] = None,
    D: Const[Any] = None,
):
    """The gradients of keys and values, head by head of the group. `HELD` and `BEGUN`: as `attention_backward_keys`."""
    (e, h, j, _), (_, TK, WIDTH), DV = dk.index, dk.tile, dv.tile[2]
    fh.require(dk.shape[2] <= WIDTH and dv.shape[2] <= DV, "a head is one tile wide")
    dtype, at = accumulator(q.dtype), dk.start[1]
    first, count = bounds(q_offsets, e)
    _, end = bounds(k_offsets, e)
    keys, values = rows_of(k, h, at, (TK, WIDTH)), rows_of(v, h, at, (TK, DV))
    if HELD:
        keys, values = held(keys, j * TK, end), held(values, j * TK, end)
    c, ahead, column = scale.astype(dtype) * LOG2E, end - count, places(j * TK, TK)[:, None]
    begin, half = fh.maximum(first, 0), TQ // 2

    def turn(g: Any, i: Any, one: Any, other: Any, MASK: bool) -> Any:
        at = first + i * TQ
        queries, above = rows_of(q, h * G + g, at, (TQ, WIDTH)), rows_of(do, h * G + g, at, (TQ, DV))
        start, below = halves(pairs_of(added, h * G + g, begin, i * half, half), (half, 2), (0, 1), (1, TQ))
        nothing = fh.zeros((TK, TQ), dtype)
        s = fh.mma(keys, queries.T, nothing)
        if MASK:
            s = of_queries(s, places(i * TQ, TQ)[None, :], column, ahead, count, CAUSAL)
        p = power_of_2(s * c + start)
        dp = fh.mma(values, above.T, fh.broadcast_to(below, (TK, TQ)) if BEGUN else nothing)
        other = fh.mma(p.astype(do.dtype), above, other)
        return fh.mma((p * (dp if BEGUN else dp + below)).astype(q.dtype), queries, one), other

    one, other = fh.zeros((TK, WIDTH), dtype), fh.zeros((TK, DV), dtype)
    full, last, behind = count // TQ, fh.cdiv(count, TQ), j * TK - ahead  # the first query that sees any of the keys
    seeing: Any = fh.maximum(behind, 0) // TQ if CAUSAL else 0
    whole: Any = fh.minimum(fh.cdiv(fh.maximum(behind + TK - 1, 0), TQ), full) if CAUSAL else 0
    paired = whole + (full - whole) // 2 * 2  # two at a time: while one is worked on, the next one arrives
    for g in range(G):
        if CAUSAL:
            for i in range(seeing, whole):
                one, other = turn(g, i, one, other, True)
        for i in range(whole, paired, 2):
            one, other = turn(g, i, one, other, False)
            one, other = turn(g, i + 1, one, other, False)
        for i in range(paired, last):
            one, other = turn(g, i, one, other, True)
    dk.store((one * scale.astype(dtype)).reshape(dk.tile).astype(dk.dtype))
    dv.store(other.reshape(dv.tile).astype(dv.dtype))


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def varlen_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    q_offsets: Tensor,
    k_offsets: Tensor | None = None,
    *,
    most: int | None = None,
    causal: bool = True,
    scale: float | None = None,
) -> Tensor:
    """
    Attention of sequences behind one another: `q` (S, H, D), `k` (T, KH, D), `v` (T, KH, E), where KH divides H;
    differentiable. The result is (S, H, E) in the dtype of `q`.

    Sequence e has queries `q_offsets[e]` up to `q_offsets[e + 1]` (N + 1, int32) and keys by `k_offsets`, which are the
    same unless given; both ascend from 0 to the end. Where `q_offsets` do not, the launch fails (O236); where
    `k_offsets` do not, that of gradients does. The queries of a sequence are those of the last of its keys. `most` is
    the length of the longest sequence, if that is known: no more work is looked at; where one is longer the launch
    fails. Heads have up to 256 elements. Raises `ValueError` for other shapes, and for a scale that is not above 0.
    """
    if scale is not None and not scale > 0:
        raise ValueError(f"a scale is above 0, not {scale}")  # what is masked is -inf times it
    k_offsets = q_offsets if k_offsets is None else k_offsets
    given = most or max(q.shape[0], k.shape[0]), causal, 1 / sqrt(q.shape[-1]) if scale is None else scale
    return _attention(q, k, v, q_offsets, k_offsets, *given)[0]


# --- Operators --------------------------------------------------------------------------------------------------------


def _tiles(q: Any, E: int, most: int) -> tuple[int, int, int]:
    """Queries and keys of a tile, and blocks of a multiprocessor, of sequences of up to `most` elements."""
    fit, head = power_of_two(max(16, most)), max(q.shape[2], E)
    if q.element_size() > 2:
        return min(32, fit), min(32, fit), 2
    return min(64, fit), min(64 if head <= 64 or head > 128 else 128, fit), 4 if head <= 64 else 2


def _cut(t: Any, tile: tuple[int, ...], by: str, most: int) -> Any:
    return fh.ragged(t, tile, by=by, axis=1, most=min(most, t.shape[1]))


def _by_head(*tensors: Any) -> tuple[Any, ...]:
    """Views whose first axis is that of heads, and whose second one is that of rows."""
    return tuple(t.transpose(0, 1) for t in tensors)


@operator(
    "varlen_attention(Tensor q, Tensor k, Tensor v, Tensor q_offsets, Tensor k_offsets, SymInt most, bool causal,"
    " float scale) -> (Tensor, Tensor)",
    results=lambda q, k, v, q_offsets, k_offsets, most, causal, scale: (
        q.new_empty((*q.shape[:2], v.shape[2])),
        q.new_empty((q.shape[1], q.shape[0]), dtype=wide_dtype(q)),
    ),
    takes={
        "q": "S H D floats",
        "k": "T KH D same",
        "v": "T KH E same",
        "q_offsets": "P integers",
        "k_offsets": "P integers",
    },
    where=("H % KH == 0", "D <= 256", "E <= 256"),
)
def _attention(
    o: Any, lse: Any, q: Any, k: Any, v: Any, q_offsets: Any, k_offsets: Any, most: int, causal: bool, scale: float
) -> None:
    high, width, occupancy = _tiles(q, v.shape[2], most)
    D, E = power_of_two(q.shape[2]), power_of_two(v.shape[2])
    may_keep = str(q.dtype) == "torch.bfloat16" and max(D, E) <= 128  # f16 has no room above 1 for weights
    kept = 0 if not may_keep else 2 if max(D, E) > 64 else 1
    o, *given = _by_head(o, q, k, v)
    parts = _cut(o, (1, high, E), "q_offsets", most), _cut(lse, (1, high), "q_offsets", most)
    constants = q.shape[1] // k.shape[1], D, width, causal, kept, q.shape[1], v.shape[2]
    hints = {"num_worker_warps": 4, "occupancy": occupancy}
    hinted(sequence_attention, hints)(*parts, *given, q_offsets, k_offsets, scale, *constants).on()


def _inputs(do: Any, q: Any, k: Any, v: Any, *_: Any) -> Any:
    return tuple(t.new_empty(t.shape) for t in (q, k, v))


@fh.planned
def _row_pairs(less: Any, added: Any, do: Any, o: Any, lse: Any) -> None:
    hints = {"num_worker_warps": 4, "occupancy": 8}
    hinted(sequence_row_dots, hints)(fh.partition(less, (1, 16)), *_by_head(do, o), power_of_two(o.shape[2])).on()
    hinted(sequence_row_pairs, hints)(fh.partition(added, (1, 1, 128, 4)), less, lse).on()


def _rows(q: Any, most: int) -> int:
    """Rows of a tile of gradients."""
    return min(64 if q.element_size() <= 2 else 32, power_of_two(max(16, most)))


@fh.planned
def _backward_queries(
    dq: Any,
    q: Any,
    k: Any,
    v: Any,
    do: Any,
    lse: Any,
    less: Any,
    q_offsets: Any,
    k_offsets: Any,
    most: int,
    causal: bool,
    scale: float,
) -> None:
    (_, H, D), heads, width = q.shape, (power_of_two(q.shape[2]), power_of_two(v.shape[2])), _rows(q, most)
    high, warps, occupancy = width, 4, 3 if max(heads) <= 64 else 2
    if width == 64 and 64 < max(heads) <= 128 and most >= 128:  # as was timed beside the keys' kernel
        high, warps, occupancy = 128, 8, 1
    dq, *given = _by_head(dq, q, k, v, do)
    given += lse, less, q_offsets, k_offsets, scale, H // k.shape[1], heads[1], width, causal, None, H, D
    hints = {"num_worker_warps": warps, "occupancy": occupancy}
    hinted(sequence_attention_queries, hints)(_cut(dq, (1, high, heads[0]), "q_offsets", most), *given).on()


@fh.planned
def _backward_keys(
    dk: Any,
    dv: Any,
    q: Any,
    k: Any,
    v: Any,
    do: Any,
    added: Any,
    q_offsets: Any,
    k_offsets: Any,
    most: int,
    causal: bool,
    scale: float,
) -> None:
    heads, rows, KH = (power_of_two(q.shape[2]), power_of_two(v.shape[2])), _rows(q, most), k.shape[1]
    dk, dv, *given = _by_head(dk, dv, q, k, v, do)
    parts = _cut(dk, (1, rows, heads[0]), "k_offsets", most), _cut(dv, (1, rows, heads[1]), "k_offsets", most)
    small = max(heads) <= 64 and rows == 64
    given += added, q_offsets, k_offsets, scale, q.shape[1] // KH, rows, causal, small, small, KH, q.shape[2]
    wide = q.element_size() > 2 and max(heads) > 128  # by four warps the assembler takes more than 400 seconds for it
    hints = {"num_worker_warps": 8, "occupancy": 1} if wide else {"num_worker_warps": 4, "occupancy": 2}
    hinted(sequence_attention_keys, hints)(*parts, *given).on()


@operator(
    "varlen_attention_backward(Tensor do, Tensor q, Tensor k, Tensor v, Tensor o, Tensor lse, Tensor q_offsets,"
    " Tensor k_offsets, SymInt most, bool causal, float scale) -> (Tensor, Tensor, Tensor)",
    results=_inputs,
)
def _backward(
    dq: Any,
    dk: Any,
    dv: Any,
    do: Any,
    q: Any,
    k: Any,
    v: Any,
    o: Any,
    lse: Any,
    q_offsets: Any,
    k_offsets: Any,
    most: int,
    causal: bool,
    scale: float,
) -> None:
    less, added = lse.new_empty(lse.shape), lse.new_empty((2, lse.shape[0], lse.shape[1] // 2 + 1, 4))
    _row_pairs(less, added, do, o, lse)
    given, last = (q, k, v, do), (q_offsets, k_offsets, most, causal, scale)
    steps = (
        partial(_backward_queries, dq, *given, lse, less, *last),
        partial(_backward_keys, dk, dv, *given, added, *last),
    )
    if dq.is_cuda and lse.numel() * min(most, k.shape[0]) >= MANY:  # as gradients of `attention`
        beside_one_another(iter(steps), 2, dq.device, last=True)
        return
    for step in steps:
        step()


@_attention.backward(keeps=lambda inputs, output: (*inputs[:3], *output, *inputs[3:5]))
def _gradients(ctx: Any, do: Any, _: Any) -> tuple[Any, ...]:
    return *_backward(do.contiguous(), *ctx.saved_tensors, *ctx.arguments), *(None,) * 5
