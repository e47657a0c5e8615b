"""Attention with grouped queries: prefill, split decode, a paged cache, and what goes in front of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import freehold as fh
from examples.kernels.example import BF16, Array, Example, Inputs, softmax, unwritten
from freehold import Const, Mut, Out, Ref, f32, i32
from freehold.kernels.caches import append_row_each, rotate_and_append
from freehold.kernels.decoding import append_rows, decode_merge, decode_parts, paged_parts


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


@fh.kernel
def gather_pages(o: Out["B", "L", "D"], pages: Ref["P", 16, "D"], table: Ref[i32, "B", "(L + 15) // 16"]):
    """Positions of sequences out of pages of 16, by a table of pages; a page that is not there reads as zeros."""
    b, block, d = o.index
    rows = block * o.tile[1] + fh.arange(o.tile[1])
    columns = d * o.tile[2] + fh.arange(o.tile[2])
    page = table.gather(b, rows // 16)
    o.store(pages.gather(page[:, None], (rows % 16)[:, None], columns[None, :])[None])


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
    lengths = np.full(B, length, np.int32)
    yield Example(decode_parts, (*outputs, q, k, v, lengths, 0.25, D, 16), {0: parts, 1: sums})
    used = np.arange(96)[:, None] < length
    cache = [np.where(used, t, np.nan).astype(np.float32) for t in (k, v)]  # what is not used is not looked at
    yield Example(decode, (fh.partition(unwritten(B, KH, G, D), (1, 1, G, D)), q, *cache, length, 0.25), {0: out})
    yield Example(decode_merge, (fh.partition(unwritten(B, KH, G, D), (1, 1, G, D)), parts, sums, 4), {0: out})

    T, eps = 5, 1e-6
    angles = np.outer(np.arange(40, 40 + T), 10000.0 ** (-np.arange(D // 2) / (D // 2)))
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    x = new.normal(T, 6, D)
    part = fh.partition(x.copy(), (1, 2, D // 2), owned=2)
    yield Example(rope, (part, cos, sin), {0: rotated(x, cos[:, None], sin[:, None])})

    q, k, v = new.normal(1, T, KH, G, D), new.normal(1, T, KH, D), new.normal(1, T, KH, D)
    qw, kw = new.normal(D), new.normal(D)
    before = new.normal(1, KH, 64, D), new.normal(1, KH, 64, D)
    table = np.zeros((64, D // 2), np.float32), np.zeros((64, D // 2), np.float32)
    table[0][40 : 40 + T], table[1][40 : 40 + T] = cos, sin
    keys = rotated(normalised(k, kw, eps), cos[:, None], sin[:, None])
    queries = rotated(normalised(q, qw, eps), cos[:, None, None], sin[:, None, None])
    for count in (T, 1):  # a window of one sequence, and a row of each
        after = before[0].copy(), before[1].copy()
        for whole, new_rows in zip(after, (keys, v), strict=True):
            whole[0, :, 40 : 40 + count] = new_rows[0, :count].swapaxes(0, 1)
        part = fh.partition(unwritten(1, count, KH, G, D), (1, 1, 1, G, D))
        parts_ = (fh.partition(t.copy(), (1, 1, 1, D)) for t in before)
        given = (t[:, :count].copy() for t in (q, k, v))
        rest = qw, kw, *table, np.array([40], np.int32), eps, D, True, count == 1
        expected = {0: queries[:, :count], 1: after[0], 2: after[1]}
        yield Example(rotate_and_append, (part, *parts_, *given, *rest), expected, checks=2)
    row, cache = new.normal(2, KH, 1, D), new.normal(2, KH, 64, D)
    after = cache.copy()
    after[[0, 1], :, [7, 40]] = row[:, :, 0]
    place = np.array([7, 40], np.int32)
    part = fh.partition(cache.copy(), (1, 1, 1, D))
    yield Example(append_row_each, (part, row, place, D), {0: after}, 0, checks=1)
    rows = new.normal(2, KH, 3, D)
    after = cache.copy()
    after[:, :, 7:10] = rows
    part = fh.partition(cache.copy(), (1, 1, 1, D))
    yield Example(append_rows, (part, rows, place[:1]), {0: after}, 0, checks=1)

    pages = new.normal(9, 16, D)
    table = np.random.default_rng(5).permutation(9)[:8].reshape(2, 4).astype(np.int32)
    part = fh.partition(unwritten(2, 60, D), (1, 32, 8))
    yield Example(gather_pages, (part, pages, table), {0: pages[table].reshape(2, 64, D)[:, :60]}, 0)

    lengths = np.array([35, 64], np.int32)
    keys, values = new.normal(9, KH, 16, D), new.normal(9, KH, 16, D)
    q = new.normal(2, KH, G, D)
    out = np.stack([_paged(q[n], keys[table[n]], values[table[n]], lengths[n]) for n in range(2)])[:, :, None]
    outputs = (
        fh.partition(unwritten(2, KH, 1, G, D), (1, 1, 1, G, D)),
        fh.partition(unwritten(2, KH, 1, G), (1, 1, 1, G)),
    )
    yield Example(paged_parts, (*outputs, q, keys, values, table, lengths, 0.25, D, 16), {0: out}, checks=2)


def _parts(s: Array, v: Array, parts: int, tile: int = 16) -> tuple[Array, Array]:
    """What each part of split attention sums up to, of scores; part p has every `parts`-th tile."""
    position: Array = np.arange(int(s.shape[-1])) // tile % parts
    of_parts = [np.where(position == p, s, -np.inf) for p in range(parts)]
    out = np.stack([softmax(t) @ v for t in of_parts], axis=2)
    top = np.stack([t.max(-1) for t in of_parts], axis=2)
    return out, top + np.log(np.stack([np.exp(t - t.max(-1, keepdims=True)).sum(-1) for t in of_parts], axis=2))


def _paged(q: Array, keys: Array, values: Array, length: int) -> Array:
    """Attention of one sequence over its own pages, (pages, heads, 16, D)."""
    k, v = (np.moveaxis(t, 1, 0).reshape(t.shape[1], -1, t.shape[3])[:, :length] for t in (keys, values))
    return softmax(np.einsum("hgd,hjd->hgj", q, k) * 0.25) @ v
