"""Qwen3 and Llama as steps over a batch of tokens: what each layer launches, on weights and caches that stay."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

import freehold as fh
from freehold.engine import experts
from freehold.engine.batch import Batch
from freehold.engine.config import Config
from freehold.engine.layers import Room, Steps, most_split, product, size_of
from freehold.engine.ranks import Ranks
from freehold.engine.weights import Checkpoint
from freehold.kernels.activations import gated_launch
from freehold.kernels.decoding import decoding_launches, parts_of_cache
from freehold.kernels.embeddings import embedding_launch, following_launch
from freehold.kernels.norms import rms_norm_launch
from freehold.kernels.schedules import ceildiv, cut, power_of_two
from freehold.kernels.serving import append_slots, paged_queries_launch, turned_heads


class Layer:
    """The weights of one layer: products that read the same rows are one."""

    def __init__(self, files: Checkpoint, c: Config, number: int):
        at = f"model.layers.{number}."
        q, kv = c.heads * c.head, c.kv_heads * c.head
        self.qkv = files.factor(
            [f"{at}self_attn.{n}_proj.weight" for n in "qkv"], [(n, c.hidden) for n in (q, kv, kv)], c.dtype, shared=0
        )
        self.output = files.factor([f"{at}self_attn.o_proj.weight"], [(c.hidden, q)], c.dtype, shared=1)
        self.front = files.one(f"{at}input_layernorm.weight", (c.hidden,), c.dtype)
        self.middle = files.one(f"{at}post_attention_layernorm.weight", (c.hidden,), c.dtype)
        self.heads = _head_norms(files, c, at)
        self.fed = experts.Experts(files, c, at) if c.experts else Fed(files, c, at)


class Fed:
    """The weights of a feed-forward that all tokens go through."""

    def __init__(self, files: Checkpoint, c: Config, at: str):
        names = [f"{at}mlp.{n}_proj.weight" for n in ("gate", "up")]
        self.gate_up = files.factor(names, [(c.feed, c.hidden)] * 2, c.dtype, shared=0)
        self.down = files.factor([f"{at}mlp.down_proj.weight"], [(c.hidden, c.feed)], c.dtype, shared=1)


def _head_norms(files: Checkpoint, c: Config, at: str) -> Any:
    """The weights of the norms of queries and keys, (2, 2, head // 2); ones where there are no such norms."""
    if not c.norm_heads:
        return fh.ones((2, 2, c.head // 2), c.dtype, device=files.device).sync()
    names = [f"{at}self_attn.{n}_norm.weight" for n in "qk"]
    return files.rows(names, [(c.head,)] * 2, c.dtype).reshape(2, 2, c.head // 2)


class Model:
    """
    A model's weights on a device, its caches of keys and values, and the memory that its steps use.

    `page` is the tokens of a page of the cache, a power of two of at least 16; `pages` how many pages there are;
    `tokens` and `sequences` how many a step may have. Of several `ranks` each has its share of the heads and of the
    feed-forward, and what they make of a step is added up after each. With `narrow` the weights of attention and of
    feed-forwards have 8 bits; those of experts, embeddings and the head keep theirs.
    """

    def __init__(
        self,
        folder: Path,
        config: Config,
        device: int | None,
        tokens: int,
        sequences: int,
        page: int,
        ranks: Ranks | None = None,
        narrow: bool = False,
    ):
        self.ranks = ranks = ranks or Ranks()
        self.config = config = config.share(ranks.count)
        self.device = device
        self.tokens = tokens
        self.sequences = sequences
        self.page = page
        with Checkpoint(folder, device, (ranks.rank, ranks.count), narrow) as files:
            shape = (config.vocabulary, config.hidden)
            self.table = files.one("model.embed_tokens.weight", shape, config.dtype)
            self.head = self.table if config.tied else files.one("lm_head.weight", shape, config.dtype)
            self.last = files.one("model.norm.weight", (config.hidden,), config.dtype)
            self.layers = [Layer(files, config, n) for n in range(config.layers)]
        self.cos, self.sin = self._angles()
        self.room = self._reserved()
        self.caches: list[Any] = []

    def _angles(self) -> tuple[Any, Any]:
        turns = np.outer(np.arange(self.config.positions, dtype=np.float64), self.config.frequencies)
        cos, sin = (fh.from_numpy(f(turns).astype(np.float32), device=self.device).sync() for f in (np.cos, np.sin))
        return cos, sin

    def _reserved(self) -> Room:
        """Everything that a step writes besides the caches."""
        c, room, wide = self.config, Room(self.device), max(self.tokens, self.sequences)
        attended = c.heads * c.head
        qkv = attended + 2 * c.kv_heads * c.head
        for name, width in (("a", c.hidden), ("b", c.hidden), ("normed", c.hidden), ("qkv", qkv)):
            room.reserve(name, (wide, width), c.dtype)
        room.reserve("turned", (wide, c.heads + c.kv_heads, 2, c.head // 2), c.dtype)
        room.reserve("attended", (wide, attended), c.dtype)
        if c.experts:
            experts.reserve(room, c, wide)
        else:
            room.reserve("gate_up", (wide, 2 * c.feed), c.dtype)
            room.reserve("fed", (wide, c.feed), c.dtype)
        room.reserve("scale", (wide,), fh.f32)
        room.reserve("logits", (self.sequences, c.vocabulary), fh.f32)
        size = size_of(c.dtype)
        shapes = [(qkv, c.hidden), (c.hidden, attended)]
        shapes += [(c.experts, c.hidden)] if c.experts else [(2 * c.feed, c.hidden), (c.hidden, c.feed)]
        most = max(most_split(wide, n, k, size) for n, k in shapes)
        most = max(most, most_split(self.sequences, c.vocabulary, c.hidden, size))
        room.reserve("splits", (most,), fh.f32)
        parts = self._parts(1)
        room.reserve("parts", (self.sequences, c.kv_heads, parts, c.group, c.head), fh.f32)
        room.reserve("lse", (self.sequences, c.kv_heads, parts, c.group), fh.f32)
        return room

    def page_bytes(self) -> int:
        """Bytes that a page takes, in all layers."""
        c = self.config
        return c.layers * self.page * 2 * c.kv_heads * c.head * size_of(c.dtype)

    def allocate(self, pages: int) -> None:
        """Makes the caches, of that many pages."""
        c = self.config
        shape = (pages * self.page, 2, c.kv_heads, c.head)
        self.caches = [fh.zeros(shape, c.dtype, device=self.device).sync() for _ in range(c.layers)]

    def _parts(self, sequences: int) -> int:
        """Into how many parts the cache of a sequence is cut, for each of so many to have one query."""
        most = ceildiv(self.config.positions, self.page)
        return parts_of_cache(most, sequences * self.config.kv_heads)

    def forward(self, batch: Batch, layers: int | None = None) -> Steps:
        """
        The operations of a step, which write `logits` of the tokens that `batch.last` names.

        With `layers`, those of so many layers alone: all have the same kernels.
        """
        room, ranks, count = self.room, self.ranks, batch.tokens
        here, there, normed = (room.rows(name, count) for name in ("a", "b", "normed"))
        yield following_launch(here, self.table, batch.ids, batch.before)
        for layer, cache in zip(self.layers[:layers], self.caches[:layers], strict=True):
            yield self._norm(normed, here, layer.front)
            yield from self._attention(batch, layer, cache, normed)
            yield from product(room, there, room.rows("attended", count), layer.output, here if ranks.leads else None)
            yield from ranks.summed(there)
            yield self._norm(normed, there, layer.middle)
            yield from self._fed(layer.fed, normed, here, there if ranks.leads else None)
            yield from ranks.summed(here)
        chosen, logits = room.rows("b", batch.sequences), self.logits(batch.sequences)
        yield embedding_launch(chosen, here, batch.last)
        normed = room.rows("normed", batch.sequences)
        yield self._norm(normed, chosen, self.last)
        yield from product(room, logits, normed, self.head)

    def _norm(self, y: Any, x: Any, weight: Any) -> Any:
        return rms_norm_launch(y, self.room.rows("scale", x.shape[0]), x, weight, self.config.eps)

    def logits(self, sequences: int) -> Any:
        """What the last step wrote, (sequences, vocabulary) in f32."""
        return self.room.rows("logits", sequences)

    def _fed(self, layer: Fed | experts.Experts, x: Any, y: Any, residual: Any) -> Steps:
        if isinstance(layer, experts.Experts):
            yield from experts.fed(self.room, self.config, layer, x, y, residual)
            return
        count = x.shape[0]
        both, fed = self.room.rows("gate_up", count), self.room.rows("fed", count)
        yield from product(self.room, both, x, layer.gate_up)
        yield gated_launch(fed, both[:, : self.config.feed], both[:, self.config.feed :], "silu")
        yield from product(self.room, y, fed, layer.down, residual)

    def _attention(self, batch: Batch, layer: Layer, cache: Any, x: Any) -> Steps:
        c, room, count = self.config, self.room, batch.tokens
        heads, keys, half = c.heads + c.kv_heads, c.kv_heads, c.head // 2
        flat = room.rows("qkv", count)
        yield from product(room, flat, x, layer.qkv)
        halves = flat.reshape(count, heads + keys, 2, half)
        turned = room.rows("turned", count)
        part = cut(turned, (1, min(8, power_of_two(heads)), 2, power_of_two(half)))
        yield turned_heads(part, halves, layer.heads, self.cos, self.sin, batch.positions, c.heads, c.eps, c.norm_heads)
        whole = turned.reshape(count, heads, c.head)
        k, v = whole[:, c.heads :], flat.reshape(count, heads + keys, c.head)[:, heads:]
        tile = 1, 2, power_of_two(keys), power_of_two(c.head)
        yield append_slots(fh.ragged(cache, tile, by="slots", most=1, partial=True), k, v, batch.order, batch.slots)
        q = whole[:, : c.heads].reshape(count, keys, c.group, c.head)
        o = room.rows("attended", count).reshape(count, keys, c.group, c.head)
        paged = cache.reshape(cache.shape[0] // self.page, self.page, 2, keys, c.head)
        yield from (self._one_query if batch.decoding else self._queries)(batch, o, q, paged[:, :, 0], paged[:, :, 1])

    def _queries(self, batch: Batch, o: Any, q: Any, k: Any, v: Any) -> Steps:
        given = batch.table, batch.lengths, batch.starts, batch.longest
        yield paged_queries_launch(o, q, k, v, *given, 1 / sqrt(self.config.head))

    def _one_query(self, batch: Batch, o: Any, q: Any, k: Any, v: Any) -> Steps:
        count, parts = batch.sequences, self._parts(batch.sequences)
        part, lse = (self.room.rows(name, count)[:, :, :parts] for name in ("parts", "lse"))
        k, v = (t.permute(0, 2, 1, 3) for t in (k, v))
        scale = 1 / sqrt(self.config.head)
        yield from decoding_launches(o, part, lse, q, k, v, batch.table, batch.lengths, scale, self.page)
