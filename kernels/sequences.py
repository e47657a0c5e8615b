"""Attention of sequences of any lengths that stand behind one another in one tensor, forward and backward."""

from __future__ import annotations

from math import sqrt
from typing import Any

import freehold as fh
from freehold import Const, Out, Ref, f32, i32
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.operators import operator, wide_dtype
from freehold.kernels.prefill import LOWEST, power_of_2
from freehold.kernels.schedules import hinted, power_of_two
from freehold.kernels.tiles import LOG2E, accumulator, places, safe_with_data, wide

# --- Kernels ----------------------------------------------------------------------------------------------------------


def bounds(offsets: Any, e: Any) -> tuple[Any, Any]:
    """Where sequence e begins, and how long it is."""
    first = offsets.gather(e)
    return first, offsets.gather(e + 1) - first


def seen(s: Any, row: Any, column: Any, ahead: Any, rows: Any, end: Any, CAUSAL: bool) -> Any:
    """Scores, and -inf where there is no such query or key, or the key is after the query."""
    inside = (column < end) & (row < rows)
    return fh.where(inside & (column <= row + ahead) if CAUSAL else inside, s, float("-inf"))


def rows_of(x: Any, first: Any, h: Any, shape: tuple[int, int]) -> Any:
    """A tile of rows of one head, wherever it begins."""
    return x.load_from((first, h, 0), (shape[0], 1, shape[1])).reshape(shape)


@safe_with_data
def sequence_attention(
    o: Out["S", "H", "E"],
    lse: Out["S", "H"],
    q: Ref["S", "H", "D"],
    k: Ref["T", "H // G", "D"],
    v: Ref["T", "H // G", "E"],
    q_offsets: Ref[i32, "N + 1"],
    k_offsets: Ref[i32, "N + 1"],
    scale: f32,
    G: Const[int],
    WIDTH: Const[int],
    TK: Const[int],
    CAUSAL: Const[bool],
):
    """As `attention_tiles`, for sequence e of the queries from q_offsets[e] on and of the keys from k_offsets[e] on."""
    fh.require("H % G == 0")
    e, i, h, _ = o.index
    TQ, _, DV = o.tile
    dtype = accumulator(q.dtype)
    _, count = bounds(q_offsets, e)
    first, end = bounds(k_offsets, e)
    queries = rows_of(q, o.start[0], h, (TQ, WIDTH))
    c, ahead, row = scale.astype(dtype) * LOG2E, end - count, places(i * TQ, TQ)[:, None]
    top, total, acc = fh.full((TQ, 1), LOWEST, dtype), fh.zeros((TQ, 1), dtype), fh.zeros((TQ, DV), dtype)
    for j in range(fh.cdiv(fh.minimum(i * TQ + TQ + ahead, end) if CAUSAL else end, TK)):
        keys = rows_of(k, first + j * TK, h // G, (TK, WIDTH))
        s = fh.mma(queries, keys.T, fh.zeros((TQ, TK), dtype))
        s = seen(s, row, places(j * TK, TK)[None, :], ahead, count, end, CAUSAL)
        higher = fh.maximum(top, s.max(axis=1, keepdims=True) * c)
        p, fade = power_of_2(s * c - higher), power_of_2(top - higher)
        total = total * fade + p.sum(axis=1, keepdims=True)
        acc = fh.mma(p.astype(v.dtype), rows_of(v, first + j * TK, h // G, (TK, DV)), acc * fade)
        top = higher
    some = fh.where(total > 0.0, total, 1.0)
    o.store((acc / some).reshape(o.tile).astype(o.dtype))
    lse.store(((top + fh.log2(some)) / LOG2E).reshape(lse.tile))


def weighed(
    queries: Any, keys: Any, shift: Any, c: Any, row: Any, column: Any, of: tuple[Any, Any, Any], CAUSAL: bool
) -> Any:
    """The weights of keys, by the logarithm of their sums, which is `shift`."""
    s = fh.mma(queries, keys.T, fh.zeros((queries.shape[0], keys.shape[0]), c.dtype))
    return power_of_2(seen(s, row, column, *of, CAUSAL) * c - shift)


@safe_with_data
def sequence_attention_queries(
    dq: Out["S", "H", "D"],
    q: Ref["S", "H", "D"],
    k: Ref["T", "H // G", "D"],
    v: Ref["T", "H // G", "E"],
    do: Ref["S", "H", "E"],
    o: Ref["S", "H", "E"],
    lse: Ref["S", "H"],
    q_offsets: Ref[i32, "N + 1"],
    k_offsets: Ref[i32, "N + 1"],
    scale: f32,
    G: Const[int],
    DV: Const[int],
    TK: Const[int],
    CAUSAL: Const[bool],
):
    """The gradient of the queries."""
    fh.require("H % G == 0")
    e, i, h, _ = dq.index
    TQ, _, WIDTH = dq.tile
    dtype, at = accumulator(q.dtype), dq.start[0]
    _, count = bounds(q_offsets, e)
    first, end = bounds(k_offsets, e)
    queries, above = rows_of(q, at, h, (TQ, WIDTH)), rows_of(do, at, h, (TQ, DV))
    dot = (wide(above) * wide(rows_of(o, at, h, (TQ, DV)))).sum(axis=1, keepdims=True)
    shift = lse.load_from((at, h), (TQ, 1)) * LOG2E
    c, ahead, row = scale.astype(dtype) * LOG2E, end - count, places(i * TQ, TQ)[:, None]
    acc = fh.zeros((TQ, WIDTH), dtype)
    for j in range(fh.cdiv(fh.minimum(i * TQ + TQ + ahead, end) if CAUSAL else end, TK)):
        keys = rows_of(k, first + j * TK, h // G, (TK, WIDTH))
        values = rows_of(v, first + j * TK, h // G, (TK, DV))
        p = weighed(queries, keys, shift, c, row, places(j * TK, TK)[None, :], (ahead, count, end), CAUSAL)
        dp = fh.mma(above, values.T, fh.zeros((TQ, TK), dtype))
        acc = fh.mma((p * (dp - dot)).astype(k.dtype), keys, acc)
    dq.store((acc * scale.astype(dtype)).reshape(dq.tile).astype(dq.dtype))


# freehold: G=2
@safe_with_data
def sequence_attention_keys(
    dk: Out["T", "KH", "D"],
    dv: Out["T", "KH", "E"],
    q: Ref["S", "KH * G", "D"],
    k: Ref["T", "KH", "D"],
    v: Ref["T", "KH", "E"],
    do: Ref["S", "KH * G", "E"],
    o: Ref["S", "KH * G", "E"],
    lse: Ref["S", "KH * G"],
    q_offsets: Ref[i32, "N + 1"],
    k_offsets: Ref[i32, "N + 1"],
    scale: f32,
    G: Const[int],
    TQ: Const[int],
    CAUSAL: Const[bool],
):
    """The gradients of keys and values, head by head of the group."""
    e, j, h, _ = dk.index
    (TK, _, WIDTH), DV = dk.tile, dv.tile[2]
    fh.require(dk.shape[2] <= WIDTH and dv.shape[2] <= DV, "a head is one tile wide")
    dtype, at = accumulator(q.dtype), dk.start[0]
    first, count = bounds(q_offsets, e)
    _, end = bounds(k_offsets, e)
    keys, values = rows_of(k, at, h, (TK, WIDTH)), rows_of(v, at, h, (TK, DV))
    c, ahead, column = scale.astype(dtype) * LOG2E, end - count, places(j * TK, TK)[None, :]
    one, other = fh.zeros((TK, WIDTH), dtype), fh.zeros((TK, DV), dtype)
    begin: Any = fh.maximum(j * TK - ahead, 0) // TQ if CAUSAL else 0
    for g in fh.static_range(G):
        for i in range(begin, fh.cdiv(count, TQ)):
            here = first + i * TQ
            queries, above = rows_of(q, here, h * G + g, (TQ, WIDTH)), rows_of(do, here, h * G + g, (TQ, DV))
            dot = (wide(above) * wide(rows_of(o, here, h * G + g, (TQ, DV)))).sum(axis=1, keepdims=True)
            shift = lse.load_from((here, h * G + g), (TQ, 1)) * LOG2E
            row = places(i * TQ, TQ)[:, None]
            p = weighed(queries, keys, shift, c, row, column, (ahead, count, end), CAUSAL)
            dp = fh.mma(above, values.T, fh.zeros((TQ, TK), dtype))
            other = fh.mma(p.astype(do.dtype).T, above, other)
            one = fh.mma((p * (dp - dot)).astype(q.dtype).T, queries, one)
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
    same unless given; both ascend from 0 to the end, or the launch fails (O236). The queries of a sequence are those of
    the last of its keys. `most` is the length of the longest sequence, if that is known: no more work is looked at;
    where one is longer the launch fails. Heads have up to 256 elements. Raises `ValueError` for other shapes.
    """
    k_offsets = q_offsets if k_offsets is None else k_offsets
    given = most or max(q.shape[0], k.shape[0]), causal, 1 / sqrt(q.shape[-1]) if scale is None else scale
    return _attention(q, k, v, q_offsets, k_offsets, *given)[0]


# --- Operators --------------------------------------------------------------------------------------------------------


def _tiles(q: Any, most: int) -> tuple[int, int]:
    size = (64, 64) if q.element_size() <= 2 else (32, 32)
    return min(size[0], power_of_two(max(16, most))), min(size[1], power_of_two(max(16, most)))


def _cut(t: Any, tile: tuple[int, ...], by: str, most: int) -> Any:
    return fh.ragged(t, tile, by=by, most=min(most, t.shape[0]))


@operator(
    "varlen_attention(Tensor q, Tensor k, Tensor v, Tensor q_offsets, Tensor k_offsets, SymInt most, bool causal,"
    " float scale) -> (Tensor, Tensor)",
    results=lambda q, k, v, q_offsets, k_offsets, most, causal, scale: (
        q.new_empty((*q.shape[:2], v.shape[2])),
        q.new_empty(q.shape[:2], dtype=wide_dtype(q)),
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
    high, width = _tiles(q, most)
    parts = _cut(o, (high, 1, power_of_two(v.shape[2])), "q_offsets", most), _cut(lse, (high, 1), "q_offsets", most)
    given = q, k, v, q_offsets, k_offsets, scale, q.shape[1] // k.shape[1], power_of_two(q.shape[2]), width, causal
    hinted(sequence_attention, {"num_worker_warps": 4})(*parts, *given).on()


def _inputs(do: Any, q: Any, k: Any, v: Any, *_: Any) -> Any:
    return tuple(t.new_empty(t.shape) for t in (q, k, v))


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
    high, width = _tiles(q, most)
    G, D, E = q.shape[1] // k.shape[1], power_of_two(q.shape[2]), power_of_two(v.shape[2])
    given = q, k, v, do, o, lse, q_offsets, k_offsets, scale, G
    hints = {"num_worker_warps": 4}
    part = _cut(dq, (high, 1, D), "q_offsets", most)
    hinted(sequence_attention_queries, hints)(part, *given, E, width, causal).on()
    parts = (_cut(t, (width, 1, n), "k_offsets", most) for t, n in ((dk, D), (dv, E)))
    hinted(sequence_attention_keys, hints)(*parts, *given, high, causal).on()


@_attention.backward(keeps=lambda inputs, output: (*inputs[:3], *output, *inputs[3:5]))
def _gradients(ctx: Any, do: Any, _: Any) -> tuple[Any, ...]:
    return *_backward(do.contiguous(), *ctx.saved_tensors, *ctx.arguments), *(None,) * 5
