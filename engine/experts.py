"""Feed-forward of models with experts: each token goes to a few of them, and their answers are added up."""

from __future__ import annotations

from typing import Any

import freehold as fh
from freehold.engine.config import Config
from freehold.engine.layers import Room, Steps, added, product
from freehold.engine.weights import Checkpoint
from freehold.kernels.activations import gated_launch
from freehold.kernels.experts import (
    GroupTiling,
    chunks_launch,
    combine_launch,
    counted_at_once,
    gather_rows,
    grouped_launch,
    route_launch,
    sorting_launches,
)
from freehold.kernels.schedules import ceildiv, cut, tile_of_rows


class Experts:
    """The weights of a layer's experts, and of the router that chooses among them."""

    def __init__(self, files: Checkpoint, c: Config, at: str):
        count, feed = c.experts, c.expert_feed
        parts = [f"{at}mlp.experts.{e}.{n}_proj.weight" for e in range(count) for n in ("gate", "up")]
        downs = [f"{at}mlp.experts.{e}.down_proj.weight" for e in range(count)]
        self.router = files.one(f"{at}mlp.gate.weight", (count, c.hidden), c.dtype)
        both = files.rows(parts, [(feed, c.hidden)] * (2 * count), c.dtype, shared=0)
        self.gate_up = both.reshape(count, 2 * feed, c.hidden)
        self.down = files.rows(downs, [(c.hidden, feed)] * count, c.dtype, shared=1).reshape(count, c.hidden, feed)


def reserve(room: Room, c: Config, tokens: int) -> None:
    """Makes the memory that `fed` writes, for up to so many tokens."""
    rows, high = tokens * c.chosen, counted_at_once(c.experts)
    for name, shape, dtype in (
        ("routes", (tokens, c.experts), fh.f32),
        ("shares", (tokens, c.chosen), fh.f32),
        ("experts", (tokens, c.chosen), fh.i32),
        ("slots", (tokens, c.chosen), fh.i32),
        ("sources", (rows,), fh.i32),
        ("counts", (ceildiv(rows, high), c.experts), fh.i32),
        ("before", (ceildiv(rows, high), c.experts), fh.i32),
        ("offsets", (c.experts + 1,), fh.i32),
        ("chunks", (2 * (rows // 16 + c.experts + 1),), fh.i32),
        ("sent", (rows, c.hidden), c.dtype),
        ("both", (rows, 2 * c.expert_feed), c.dtype),
        ("inner", (rows, c.expert_feed), c.dtype),
    ):
        room.reserve(name, shape, dtype)


def fed(room: Room, c: Config, layer: Experts, x: Any, y: Any, residual: Any) -> Steps:
    """y = what the chosen experts make of x, weighted by their shares, and the residual if there is one."""
    tokens, k = x.shape[0], c.chosen
    rows, tiles = tokens * k, ceildiv(tokens * k, counted_at_once(c.experts))
    routes, shares, chosen, slots = (room.rows(n, tokens) for n in ("routes", "shares", "experts", "slots"))
    counts, before, offsets = (
        room.rows("counts", tiles),
        room.rows("before", tiles),
        room.rows("offsets", c.experts + 1),
    )
    sent, both, inner, sources = (room.rows(n, rows) for n in ("sent", "both", "inner", "sources"))
    narrow, width = c.dtype != fh.f32, c.expert_feed
    up, down = (
        GroupTiling.of(rows, c.experts, w.shape[1], w.shape[2], narrow=narrow) for w in (layer.gate_up, layer.down)
    )
    most = up.chunks(rows, c.experts)  # their tiles are of equal height
    chunks = room.rows("chunks", 2 * most).reshape(2, most)
    yield from product(room, routes, x, layer.router)
    yield route_launch(shares, chosen, routes, c.normalised)
    yield from sorting_launches(offsets, slots.reshape(rows), sources, chosen.reshape(rows), counts, before)
    yield gather_rows(cut(sent, tile_of_rows(sent)), x, sources, k)
    yield chunks_launch(chunks, offsets, rows, up)
    yield grouped_launch(both, sent, layer.gate_up, chunks, True, up)
    yield gated_launch(inner, both[:, :width], both[:, width:], "silu")
    yield grouped_launch(sent, inner, layer.down, chunks, True, down)
    yield combine_launch(y, sent, slots, shares)
    if residual is not None:
        yield from added(y, residual)
