"""Qwen3 and Llama as steps over a batch of tokens: what each layer launches, on weights and caches that stay."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

import freehold as fh
from freehold.engine import experts
from freehold.engine.batch import Batch, all_rows
from freehold.engine.config import Config
from freehold.engine.layers import Narrow, Room, Steps, most_split, product, size_of
from freehold.engine.ranks import Ranks
from freehold.engine.weights import Checkpoint
from freehold.kernels.activations import gated_launch
from freehold.kernels.embeddings import embedding_launch, following_launch
from freehold.kernels.few import MOST_ROWS, gated_product_launch, gated_row_product_launch, row_product_launch
from freehold.kernels.norms import moments_needed, rms_norm_launch
from freehold.kernels.schedules import ceildiv
from freehold.kernels.serving import append_launch, parts_of_query, query_launches, reaches, rows_launch, turn_launch


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
        self.fed = experts.Experts(files, c, at) if c.experts else Fed(files, c, at)


class Fed:
    """The weights of a feed-forward that all tokens go through."""

    def __init__(self, files: Checkpoint, c: Config, at: str):
        names = [f"{at}mlp.{n}_proj.weight" for n in ("gate", "up")]
        self.gate_up = files.factor(names, [(c.feed, c.hidden)] * 2, c.dtype, shared=0)
        self.down = files.factor([f"{at}mlp.down_proj.weight"], [(c.hidden, c.feed)], c.dtype, shared=1)


def _head_norms(files: Checkpoint, c: Config) -> Any:
    """The weights of the norms of queries and keys, (2, layers, 2, head // 2); None where there are no norms."""
    if not c.norm_heads:
        return None
    names = [f"model.layers.{number}.self_attn.{n}_norm.weight" for n in "qk" for number in range(c.layers)]
    return files.rows(names, [(c.head,)] * len(names), c.dtype).reshape(2, c.layers, 2, c.head // 2)


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
            self.norms = _head_norms(files, config)
        self.angles = self._angles()
        self.room = self._reserved()
        self.caches: Any = None
        """Keys and values of all layers, (layers, slots, 2, heads of keys, head)."""
        self.paged: list[tuple[Any, Any]] = []
        """The same as keys and values of each layer, each (pages, page, heads of keys, head)."""

    def _angles(self) -> Any:
        """Cosines and sines of each position, (positions, head) in f32."""
        turns = np.outer(np.arange(self.config.positions, dtype=np.float64), self.config.frequencies)
        both = np.concatenate((np.cos(turns), np.sin(turns)), axis=1).astype(np.float32)
        return fh.from_numpy(both, device=self.device).sync()

    def _reserved(self) -> Room:
        """Everything that a step writes besides the caches."""
        c, room, wide = self.config, Room(self.device), max(self.tokens, self.sequences)
        attended = c.heads * c.head
        qkv = attended + 2 * c.kv_heads * c.head
        for name, width in (("a", c.hidden), ("b", c.hidden), ("normed", c.hidden), ("qkv", qkv)):
            room.reserve(name, (wide, width), c.dtype)
        room.reserve("new", (c.layers * self.sequences, qkv), c.dtype)
        room.reserve("angles", (wide, c.head), fh.f32)
        room.reserve("attended", (wide, attended), c.dtype)
        room.reserve("chosen", (self.sequences, c.hidden), c.dtype)
        room.reserve("seen", (self.sequences, attended), c.dtype)
        if c.experts:
            experts.reserve(room, c, wide)
        else:
            room.reserve("gate_up", (wide, 2 * c.feed), c.dtype)
            room.reserve("fed", (wide, c.feed), c.dtype)
        if moments_needed(c.hidden):
            room.reserve("scale", (wide,), fh.f32)
        room.reserve("logits", (self.sequences, c.vocabulary), fh.f32)
        size = size_of(c.dtype)
        shapes = [(qkv, c.hidden), (c.hidden, attended)]
        shapes += [(c.experts, c.hidden)] if c.experts else [(2 * c.feed, c.hidden), (c.hidden, c.feed)]
        shapes += [(c.vocabulary, c.hidden)]
        rows = all_rows(self.tokens, self.sequences)
        room.reserve("splits", (max(most_split(rows, n, k, size) for n, k in shapes),), fh.f32)
        parts = max(self.parts(1, reach) for reach in (0, *reaches(c.heads)))
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
        shape = (c.layers, pages * self.page, 2, c.kv_heads, c.head)
        self.caches = fh.zeros(shape, c.dtype, device=self.device).sync()
        paged = self.caches.reshape(c.layers, pages, self.page, 2, c.kv_heads, c.head)
        self.paged = [(paged[n, :, :, 0], paged[n, :, :, 1]) for n in range(c.layers)]

    def parts(self, sequences: int, reach: int = 0) -> int:
        """Into how many parts the cache of a sequence is cut, for each of so many to have one query."""
        most = ceildiv(self.config.positions, self.page)
        return parts_of_query(most, sequences * self.config.kv_heads, self.config.group, reach)

    def forward(self, batch: Batch, layers: int | None = None) -> Steps:
        """
        The operations of a step, which write `logits` of the tokens that `batch.last` names.

        With `layers`, those of so many layers alone: all have the same kernels but the last one, which has no use for
        other tokens' rows behind its attention.
        """
        room, ranks, count, views = self.room, self.ranks, batch.tokens, Views(self, batch)
        here, there, normed, attended = (room.rows(name, count) for name in ("a", "b", "normed", "attended"))
        yield following_launch(here, self.table, batch.ids, batch.before)
        yield embedding_launch(room.rows("angles", count), self.angles, batch.positions)
        used = self.layers[:layers]
        for number, layer in enumerate(used):
            yield from self._product(views.of(number)[0], here, layer.qkv, layer.front, normed)
            if not batch.decoding:
                yield self._append(views, number, number + 1)
            yield from self.attention(views, number)
            if layer is used[-1] and not batch.decoding:
                whole, names = (here, attended), ("chosen", "seen", "b", "normed")
                here, attended, there, normed = (room.rows(name, batch.sequences) for name in names)
                yield embedding_launch(here, whole[0], batch.last)
                yield embedding_launch(attended, whole[1], batch.last)
            yield from product(room, there, attended, layer.output, here if ranks.leads else None)
            yield from ranks.summed(there)
            yield from self._fed(layer, there, here, normed, there if ranks.leads else None)
            yield from ranks.summed(here)
        if batch.decoding:
            yield self._append(views, 0, len(used))
        rows = batch.sequences
        yield from self._product(self.logits(rows), here, self.head, self.last, room.rows("normed", rows))

    def _product(self, y: Any, x: Any, weight: Any, norm: Any, normed: Any) -> Steps:
        """y = normalised x @ weight.T; `normed` is room for what is multiplied."""
        if x.shape[0] == 1:
            values, scales = weight if isinstance(weight, Narrow) else (weight, None)
            yield row_product_launch(y, x, values, norm, None, self.config.eps, scales)
            return
        yield self._norm(normed, x, norm)
        yield from product(self.room, y, normed, weight)

    def _norm(self, y: Any, x: Any, weight: Any) -> Any:
        scale = self.room.rows("scale", x.shape[0]) if moments_needed(x.shape[1]) else None
        return rms_norm_launch(y, scale, x, weight, self.config.eps)

    def logits(self, sequences: int) -> Any:
        """What the last step wrote, (sequences, vocabulary) in f32."""
        return self.room.rows("logits", sequences)

    def _fed(self, layer: Layer, x: Any, y: Any, normed: Any, residual: Any) -> Steps:
        """y = what the feed-forward makes of x, normalised, and the residual if there is one."""
        room, fed, count, feed = self.room, layer.fed, x.shape[0], self.config.feed
        if isinstance(fed, experts.Experts):
            yield self._norm(normed, x, layer.middle)
            yield from experts.fed(room, self.config, fed, normed, y, residual)
            return
        inner, both = room.rows("fed", count), fed.gate_up
        if count == 1:
            values, scales = both if isinstance(both, Narrow) else (both, None)
            by = None if scales is None else (scales[:feed], scales[feed:])
            given = values[:feed], values[feed:], layer.middle, self.config.eps, by
            yield gated_row_product_launch(inner, x, *given)
        elif isinstance(both, Narrow) or count > MOST_ROWS:
            made = room.rows("gate_up", count)
            yield from self._product(made, x, both, layer.middle, normed)
            yield gated_launch(inner, made[:, :feed], made[:, feed:], "silu")
        else:
            yield self._norm(normed, x, layer.middle)
            yield gated_product_launch(inner, normed, both[:feed], both[feed:])
        yield from product(room, y, inner, fed.down, residual)

    def _append(self, views: Views, first: int, stop: int) -> Any:
        """The launch that keeps the keys and values of these layers."""
        c, batch = self.config, views.batch
        heads = views.heads[first:stop] if batch.decoding else views.heads
        k, v = heads[:, :, c.heads : c.heads + c.kv_heads], heads[:, :, c.heads + c.kv_heads :]
        most = 1 if batch.decoding else self.page
        weights = None if self.norms is None else self.norms[1, first:stop]
        given = views.turns, batch.order, batch.slots, most, c.eps, weights
        return append_launch(self.caches[first:stop], k, v, *given)

    def attention(self, views: Views, number: int) -> Steps:
        """
        What the layer of that number does with the rows of queries, keys and values.

        Steps that decode keep what they append until the end: there each query has the key and the value of its own
        token, and is alone with its pages.
        """
        scale, caches, eps = 1 / sqrt(self.config.head), self.paged[number], self.config.eps
        weights = (None, None) if self.norms is None else (self.norms[0, number], self.norms[1, number])
        _, alone, others = views.of(number)
        if views.first:
            (o, room, table, lengths, turns), (q, new), reach = views.alone, alone, views.batch.reach
            yield from query_launches(o, room, q, new, *caches, table, lengths, scale, turns, weights, eps, reach)
        if not views.batch.decoding:
            o, pages, bases, positions, turns = views.others
            yield turn_launch(others, turns, weights[0], eps)
            yield rows_launch(o, others, *caches, pages, bases, positions, scale)


class Views:
    """What all layers of a step work on, as they see it: made once, for a view takes the host as long as a launch."""

    def __init__(self, model: Model, batch: Batch):
        c, room, count, self.batch = model.config, model.room, batch.tokens, batch
        self._config = c
        layers, name = (c.layers, "new") if batch.decoding else (1, "qkv")
        self.heads = room.rows(name, layers * count).reshape(layers, count, c.heads + 2 * c.kv_heads, c.head)
        """Those of queries, keys and values of each token; of each layer, where they are appended at the end."""
        angles, half = room.rows("angles", count), c.head // 2
        self.turns = angles[:, :half], angles[:, half:]
        """Cosines and sines of the tokens' positions."""
        self.first = first = batch.sequences if batch.decoding else batch.alone
        """How many tokens in front are alone with their pages."""
        o = room.rows("attended", count).reshape(count, c.kv_heads, c.group, c.head)
        parts = model.parts(max(1, first), batch.reach)
        places = tuple(room.rows(name, first)[:, :, :parts] for name in ("parts", "lse"))
        ahead, behind = (tuple(t[part] for t in self.turns) for part in (slice(first), slice(first, None)))
        self.alone = o[:first], places, batch.table[:first], batch.lengths[:first], ahead
        """Of these: results, room for parts, pages, lengths and angles."""
        pages = batch.pages[first * batch.table.shape[1] :]
        self.others = o[first:], pages, batch.bases[first:], batch.positions[first:], behind
        """Of the others, in a step that has them: results, pages, where these begin, positions and angles."""
        self._of: dict[int, Any] = {}

    def of(self, number: int) -> Any:
        """
        Of a layer: the rows of queries, keys and values; queries, keys and values of those in front; queries of others.
        """
        number = number if self.batch.decoding else 0
        found = self._of.get(number)
        if found is None:
            c, first, heads = self._config, self.first, self.heads[number]
            ahead, stop = heads[:first], c.heads + c.kv_heads
            q, others = (t[:, : c.heads].reshape(-1, c.kv_heads, c.group, c.head) for t in (ahead, heads[first:]))
            rows = heads.reshape(len(heads), -1)
            found = self._of[number] = rows, (q, (ahead[:, c.heads : stop], ahead[:, stop:])), others
        return found
