"""Attention with grouped queries: prefill, split decode, a paged cache, and what goes in front of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import freehold as fh
from examples.kernels.example import BF16, Array, Example, Inputs, softmax, unwritten
from freehold import Const, Mut, Out, Ref, Scalar, Tile, f32, i32


@fh.kernel
def prefill(
    o: Out["B", "H", "S", "D"],
    q: Ref["B", "H", "S", "D"],
    k: Ref["B", "H // G", "S", "D"],
    v: Ref["B", "H // G", "S", "D"],
    scale: f32,
    G: Const[int],
    TK: Const[int] = 16,
):
    """Causal attention in one walk over the keys; G heads of queries share one of keys and values."""
    fh.require("H % G == 0")
    b, h, i, _ = o.index
    TQ, D = o.tile[2], o.tile[3]
    queries = q.load_like(o).reshape(TQ, D)
    rows = i * TQ + fh.arange(TQ)
    top = fh.full((TQ, 1), float("-inf"), f32)
    total = fh.zeros((TQ, 1), f32)
    acc = fh.zeros((TQ, D), f32)
    for j in fh.tiles(k, axis=2, size=TK, stop=fh.cdiv((i + 1) * TQ, TK)):
        keys = k.load((b, h // G, j, 0), (1, 1, TK, D)).reshape(TK, D)
        values = v.load((b, h // G, j, 0), (1, 1, TK, D)).reshape(TK, D)
        s = fh.mma(queries, keys.T, fh.zeros((TQ, TK), f32)) * scale
        s = fh.where(rows[:, None] >= j * TK + fh.arange(TK)[None, :], s, float("-inf"))
        higher = fh.maximum(top, s.max(axis=1, keepdims=True))
        p = fh.exp(s - higher)
        fade = fh.exp(top - higher)
        total = total * fade + p.sum(axis=1, keepdims=True)
        acc = fh.mma(p.astype(values.dtype), values, acc * fade)
        top = higher
    o.store((acc / total).reshape(o.tile).astype(o.dtype))


@fh.kernel
def decode_parts(
    part: Out["B", "KH", "P", "G", "D"],
    lse: Out["B", "KH", "P", "G"],
    q: Ref["B", "KH", "G", "D"],
    k: Ref["B", "KH", "S", "D"],
    v: Ref["B", "KH", "S", "D"],
    length: i32,
    scale: f32,
    TK: Const[int] = 16,
):
    """One token's queries against a cache of which `length` positions are used, in P parts: two outputs on one grid.

    Part p has every P-th tile of positions. The G queries of a head of keys are the rows of one product.
    """
    b, h, p, _, _ = part.index
    G, D = part.tile[3], part.tile[4]
    queries = q.load((b, h, 0, 0), (1, 1, G, D)).reshape(G, D)
    top = fh.full((G, 1), -1e30, f32)
    total = fh.zeros((G, 1), f32)
    acc = fh.zeros((G, D), f32)
    for j in fh.tiles(k, axis=2, size=TK, start=p, stop=fh.cdiv(length, TK), step=part.shape[2]):
        keys = k.load((b, h, j, 0), (1, 1, TK, D)).reshape(TK, D)
        values = v.load((b, h, j, 0), (1, 1, TK, D)).reshape(TK, D)
        s = fh.mma(queries, keys.T, fh.zeros((G, TK), f32)) * scale
        s = fh.where((j * TK + fh.arange(TK))[None, :] < length, s, float("-inf"))
        higher = fh.maximum(top, s.max(axis=1, keepdims=True))
        weights = fh.exp(s - higher)
        fade = fh.exp(top - higher)
        total = total * fade + weights.sum(axis=1, keepdims=True)
        acc = fh.mma(weights.astype(values.dtype), values, acc * fade)
        top = higher
    part.store((acc / fh.maximum(total, 1e-30)).reshape(part.tile))
    lse.store((top + fh.log(fh.maximum(total, 1e-30))).reshape(lse.tile))


@fh.kernel
def decode_merge(o: Out["B", "KH", "G", "D"], part: Ref["B", "KH", "P", "G", "D"], lse: Ref["B", "KH", "P", "G"]):
    """The parts of `decode_parts`, weighted by what they sum to."""
    b, h, g, _ = o.index
    G, D = o.tile[2], o.tile[3]
    top = fh.full((G, 1), -1e38, f32)
    total = fh.zeros((G, 1), f32)
    acc = fh.zeros((G, D), f32)
    for p in fh.tiles(lse, axis=2, size=1):
        t = lse.load((b, h, p, g), (1, 1, 1, G)).reshape(G, 1)
        higher = fh.maximum(top, t)
        fade, weight = fh.exp(top - higher), fh.exp(t - higher)
        total = total * fade + weight
        acc = acc * fade + weight * part.load((b, h, p, g, 0), (1, 1, 1, G, D)).reshape(G, D)
        top = higher
    o.store((acc / total).reshape(o.tile).astype(o.dtype))


@fh.kernel
def decode(
    o: Out["B", "KH", "G", "D"],
    q: Ref["B", "KH", "G", "D"],
    k: Ref["B", "KH", "S", "D"],
    v: Ref["B", "KH", "S", "D"],
    length: i32,
    scale: f32,
    TK: Const[int] = 16,
):
    """One token's queries against the first `length` positions of a cache: they are a window of it, whose tiles end
    where it does, so nothing beyond them is read."""
    b, h, _, _ = o.index
    G, D = o.tile[2], o.tile[3]
    queries = q.load((b, h, 0, 0), (1, 1, G, D)).reshape(G, D)
    keys, values = k.window(2, 0, length), v.window(2, 0, length)
    top = fh.full((G, 1), -1e30, f32)
    total = fh.zeros((G, 1), f32)
    acc = fh.zeros((G, D), f32)
    for j in fh.tiles(keys, axis=2, size=TK):
        s = fh.mma(queries, keys.load((b, h, j, 0), (1, 1, TK, D)).reshape(TK, D).T, fh.zeros((G, TK), f32)) * scale
        s = fh.where((j * TK + fh.arange(TK))[None, :] < keys.shape[2], s, float("-inf"))
        higher = fh.maximum(top, s.max(axis=1, keepdims=True))
        weights = fh.exp(s - higher)
        fade = fh.exp(top - higher)
        total = total * fade + weights.sum(axis=1, keepdims=True)
        tile = values.load((b, h, j, 0), (1, 1, TK, D)).reshape(TK, D)
        acc = fh.mma(weights.astype(tile.dtype), tile, acc * fade)
        top = higher
    o.store((acc / total).reshape(o.tile).astype(o.dtype))


@fh.kernel
def rope(x: Mut["T", "H", "D"], cos: Ref["T", "D // 2"], sin: Ref["T", "D // 2"]):
    """Rotates pairs (x[i], x[i + D / 2]) in place: a tile is half a head, and a point has both halves."""
    t, _ = x.index
    half = x.tile[2]
    c = cos.load((t, 0), (x.tile[0], half))[:, None, :]
    s = sin.load((t, 0), (x.tile[0], half))[:, None, :]
    left, right = x.at(0), x.at(1)
    a, b = left.load().astype(f32), right.load().astype(f32)
    left.store((a * c - b * s).astype(x.dtype))
    right.store((b * c + a * s).astype(x.dtype))


def rotated_halves(x: Tile, y: Tile, weights: tuple[Tile, Tile], cos: Tile, sin: Tile, D: Scalar, eps: Scalar):
    """Two halves of heads, normalised by their mean square and rotated."""
    scale = fh.rsqrt((x * x + y * y).sum(axis=1, keepdims=True) / D + eps)
    a, b = x * scale * weights[0], y * scale * weights[1]
    return a * cos - b * sin, b * cos + a * sin


def append_rotated(
    q: Any, keys: Any, values: Any, k: Any, v: Any, q_weight: Any, k_weight: Any, cos: Any, sin: Any, eps: Any
) -> None:
    """Normalises and rotates a point's queries in place, and writes its keys, treated alike, and its values."""
    t, h, _ = q.index
    G, half, D = q.tile[2], q.tile[3], q.shape[3]
    angles = cos.load((t, 0), (1, half)), sin.load((t, 0), (1, half))
    weights = q_weight.load((0,), (half,))[None, :], q_weight.load((1,), (half,))[None, :]
    left, right = q.at(0), q.at(1)
    a, b = left.load().reshape(G, half), right.load().reshape(G, half)
    a, b = rotated_halves(a, b, weights, *angles, D, eps)
    left.store(a.reshape(q.tile))
    right.store(b.reshape(q.tile))

    weights = k_weight.load((0,), (half,))[None, :], k_weight.load((1,), (half,))[None, :]
    a = k.load((t, h, 0), (1, 1, half)).reshape(1, half)
    b = k.load((t, h, 1), (1, 1, half)).reshape(1, half)
    a, b = rotated_halves(a, b, weights, *angles, D, eps)
    keys.at(0).store(a.reshape(keys.tile))
    keys.at(1).store(b.reshape(keys.tile))
    values.at(0).store(v.load((t, h, 0), values.tile))
    values.at(1).store(v.load((t, h, 1), values.tile))


@fh.kernel
def qk_norm_rope_append(
    q: Mut["T", "KH", "G", "D"],
    k_cache: Out["T", "KH", "D"],
    v_cache: Out["T", "KH", "D"],
    k: Ref["T", "KH", "D"],
    v: Ref["T", "KH", "D"],
    q_weight: Ref["D"],
    k_weight: Ref["D"],
    cos: Ref["T", "D // 2"],
    sin: Ref["T", "D // 2"],
    eps: f32,
):
    """Normalises queries and keys along the head, rotates them, and appends keys and values to a cache.

    Queries change in place. The caches are windows, sliced by the host at the position of the first new token; a tile
    is half a head, and a point has both halves.
    """
    append_rotated(q, k_cache, v_cache, k, v, q_weight, k_weight, cos, sin, eps)


@fh.kernel
def qk_norm_rope_append_at(
    q: Mut["T", "KH", "G", "D"],
    k_cache: Mut["S", "KH", "D"],
    v_cache: Mut["S", "KH", "D"],
    k: Ref["T", "KH", "D"],
    v: Ref["T", "KH", "D"],
    q_weight: Ref["D"],
    k_weight: Ref["D"],
    cos: Ref["L", "D // 2"],
    sin: Ref["L", "D // 2"],
    position: Ref[i32, 1],
    eps: f32,
):
    """The same into whole caches, where the position of the first new token is in memory: a graph replays it.

    The position is the same for all blocks, so that they write different places of a window stays true. That the
    windows lie in their tensors is checked once a block, before it does anything.
    """
    first, T = position.load(0, ()), q.shape[0]
    keys, values = k_cache.window(0, first, T), v_cache.window(0, first, T)
    cos_here, sin_here = cos.window(0, first, T), sin.window(0, first, T)
    append_rotated(q, keys, values, k, v, q_weight, k_weight, cos_here, sin_here, eps)


@fh.kernel
def gather_pages(o: Out["B", "L", "D"], pages: Ref["P", 16, "D"], table: Ref[i32, "B", "(L + 15) // 16"]):
    """Positions of sequences out of pages of 16, by a table of pages; a page that is not there reads as zeros."""
    b, block, d = o.index
    rows = block * o.tile[1] + fh.arange(o.tile[1])
    columns = d * o.tile[2] + fh.arange(o.tile[2])
    page = table.gather(b, rows // 16)
    o.store(pages.gather(page[:, None], (rows % 16)[:, None], columns[None, :])[None])


@fh.kernel
def paged_decode(
    o: Out["B", "KH", "G", "D"],
    q: Ref["B", "KH", "G", "D"],
    keys: Ref["P", "KH", 16, "D"],
    values: Ref["P", "KH", 16, "D"],
    table: Ref[i32, "B", "L"],
    lengths: Ref[i32, "B"],
    scale: f32,
):
    """One token's queries against a paged cache. Page numbers come from memory: one that is none fails the launch."""
    b, h, _, _ = o.index
    G, D = o.tile[2], o.tile[3]
    length = i32(lengths.load((b,), (1,)).reshape(()))
    queries = q.load_like(o).reshape(G, D)
    top = fh.full((G, 1), -1e30, f32)
    total = fh.zeros((G, 1), f32)
    acc = fh.zeros((G, D), f32)
    for j in fh.tiles(table, axis=1, size=1, stop=fh.cdiv(length, 16)):
        page = table.load((b, j), ())
        k = keys.load((page, h, 0, 0), (1, 1, 16, D)).reshape(16, D)
        v = values.load((page, h, 0, 0), (1, 1, 16, D)).reshape(16, D)
        s = fh.mma(queries, k.T, fh.zeros((G, 16), f32)) * scale
        s = fh.where((j * 16 + fh.arange(16))[None, :] < length, s, float("-inf"))
        higher = fh.maximum(top, s.max(axis=1, keepdims=True))
        weights = fh.exp(s - higher)
        fade = fh.exp(top - higher)
        total = total * fade + weights.sum(axis=1, keepdims=True)
        acc = fh.mma(weights.astype(v.dtype), v, acc * fade)
        top = higher
    o.store((acc / total).reshape(o.tile).astype(o.dtype))


def rotated(x: Array, cos: Array, sin: Array) -> Array:
    """Pairs of the last axis's halves, rotated; `cos` and `sin` broadcast."""
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)


def normalised(x: Array, w: Array, eps: float) -> Array:
    """The root mean square norm along the last axis."""
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * w


def examples() -> Iterator[Example]:
    """A launch of each kernel of this file."""
    new = Inputs(4)
    B, H, S, D, group = 2, 4, 50, 16, 2
    q, k, v = new.normal(B, H, S, D), new.normal(B, H // group, S, D), new.normal(B, H // group, S, D)
    s = np.einsum("bhid,bhjd->bhij", q, np.repeat(k, group, axis=1)) * 0.25
    weights = softmax(np.where(np.tril(np.ones((S, S))) > 0, s, -np.inf))
    out = weights @ np.repeat(v, group, axis=1)
    yield Example(prefill, (fh.partition(unwritten(B, H, S, D), (1, 1, 16, D)), q, k, v, 0.25, group), {0: out})
    narrow = tuple(t.astype(BF16) for t in (q, k, v))
    part = fh.partition(unwritten(B, H, S, D, dtype=BF16), (1, 1, 16, D))
    yield Example(prefill, (part, *narrow, 0.25, group, 32), {0: out}, 2e-2)

    KH, P, length = 2, 3, 75
    G = 4
    q = new.normal(B, KH, G, D)
    k, v = new.normal(B, KH, 96, D), new.normal(B, KH, 96, D)
    s = np.einsum("bhgd,bhjd->bhgj", q, k[:, :, :length]) * 0.25
    out = softmax(s) @ v[:, :, :length]
    parts, sums = _parts(s, v[:, :, :length], P)
    outputs = (
        fh.partition(unwritten(B, KH, P, G, D), (1, 1, 1, G, D)),
        fh.partition(unwritten(B, KH, P, G), (1, 1, 1, G)),
    )
    yield Example(decode_parts, (*outputs, q, k, v, length, 0.25), {0: parts, 1: sums})
    used = np.arange(96)[:, None] < length
    cache = [np.where(used, t, np.nan).astype(np.float32) for t in (k, v)]  # what is not used is not looked at
    yield Example(decode, (fh.partition(unwritten(B, KH, G, D), (1, 1, G, D)), q, *cache, length, 0.25), {0: out})
    yield Example(decode_merge, (fh.partition(unwritten(B, KH, G, D), (1, 1, G, D)), parts, sums), {0: out})

    T, eps = 5, 1e-6
    angles = np.outer(np.arange(40, 40 + T), 10000.0 ** (-np.arange(D // 2) / (D // 2)))
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    x = new.normal(T, 6, D)
    part = fh.partition(x.copy(), (1, 2, D // 2), owned=2)
    yield Example(rope, (part, cos, sin), {0: rotated(x, cos[:, None], sin[:, None])})

    q, k, v = new.normal(T, KH, G, D), new.normal(T, KH, D), new.normal(T, KH, D)
    qw, kw = new.normal(D), new.normal(D)
    caches = unwritten(64, KH, D), unwritten(64, KH, D)
    windows = [fh.partition(cache[40 : 40 + T], (1, 1, D // 2), owned=2) for cache in caches]
    yield Example(
        qk_norm_rope_append,
        (fh.partition(q.copy(), (1, 1, G, D // 2), owned=3), *windows, k, v, qw, kw, cos, sin, eps),
        {
            0: rotated(normalised(q, qw, eps), cos[:, None, None], sin[:, None, None]),
            1: rotated(normalised(k, kw, eps), cos[:, None], sin[:, None]),
            2: v,
        },
    )
    before = new.normal(64, KH, D), new.normal(64, KH, D)
    after = before[0].copy(), before[1].copy()
    after[0][40 : 40 + T], after[1][40 : 40 + T] = rotated(normalised(k, kw, eps), cos[:, None], sin[:, None]), v
    table = np.zeros((64, D // 2), np.float32), np.zeros((64, D // 2), np.float32)
    table[0][40 : 40 + T], table[1][40 : 40 + T] = cos, sin
    windows = [fh.partition(cache, (1, 1, D // 2), owned=2) for cache in before]
    yield Example(
        qk_norm_rope_append_at,
        (
            *(fh.partition(q.copy(), (1, 1, G, D // 2), owned=3), *windows, k, v, qw, kw, *table),
            *(np.array([40], np.int32), eps),
        ),
        {0: rotated(normalised(q, qw, eps), cos[:, None, None], sin[:, None, None]), 1: after[0], 2: after[1]},
        checks=4,
    )

    pages = new.normal(9, 16, D)
    table = np.random.default_rng(5).permutation(9)[:8].reshape(2, 4).astype(np.int32)
    part = fh.partition(unwritten(2, 60, D), (1, 32, 8))
    yield Example(gather_pages, (part, pages, table), {0: pages[table].reshape(2, 64, D)[:, :60]}, 0)

    lengths = np.array([35, 64], np.int32)
    keys, values = new.normal(9, KH, 16, D), new.normal(9, KH, 16, D)
    q = new.normal(2, KH, G, D)
    out = np.stack([_paged(q[n], keys[table[n]], values[table[n]], lengths[n]) for n in range(2)])
    part = fh.partition(unwritten(2, KH, G, D), (1, 1, G, D))
    yield Example(paged_decode, (part, q, keys, values, table, lengths, 0.25), {0: out}, checks=2)


def _parts(s: Array, v: Array, parts: int, tile: int = 16) -> tuple[Array, Array]:
    """What each part of split attention sums up to, of scores; part p has every `parts`-th tile."""
    position: Array = np.arange(int(s.shape[-1])) // tile % parts
    of_parts = [np.where(position == p, s, -np.inf) for p in range(parts)]
    out = np.stack([softmax(t) @ v for t in of_parts], axis=2)
    top = np.stack([t.max(-1) for t in of_parts], axis=2)
    return out, top + np.log(np.stack([np.exp(t - t.max(-1, keepdims=True)).sum(-1) for t in of_parts], axis=2))


def _paged(q: Array, keys: Array, values: Array, length: Any) -> Array:
    """Attention of one sequence over its own pages, (pages, heads, 16, D)."""
    k, v = (np.moveaxis(t, 1, 0).reshape(t.shape[1], -1, t.shape[3])[:, :length] for t in (keys, values))
    return softmax(np.einsum("hgd,hjd->hgj", q, k) * 0.25) @ v
