"""Feed-forward of models with experts: each token goes to a few of them, and their answers are added up."""

from __future__ import annotations

from typing import Any

import freehold as fh
from freehold.engine.config import Config
from freehold.engine.layers import Room, Steps, added, gated, product
from freehold.engine.weights import Checkpoint
from freehold.kernels.experts import (
    combine_rows,
    count_experts,
    gather_rows,
    grouped_tiles,
    invert,
    places_of_rows,
    route_rows,
    sum_counts,
)
from freehold.kernels.schedules import ceildiv, cut, hinted, power_of_two


class Experts:
    """The weights of a layer's experts, and of the router that chooses among them."""

    def __init__(self, files: Checkpoint, c: Config, at: str):
        count, feed = c.experts, c.expert_feed
        parts = [f"{at}mlp.experts.{e}.{n}_proj.weight" for e in range(count) for n in ("gate", "up")]
        downs = [f"{at}mlp.experts.{e}.down_proj.weight" for e in range(count)]
        self.router = files.one(f"{at}mlp.gate.weight", (count, c.hidden), c.dtype)
        both = files.rows(parts, [(feed, c.hidden)] * (2 * count), c.dtype)
        self.gate_up = both.reshape(count, 2 * feed, c.hidden)
        self.down = files.rows(downs, [(c.hidden, feed)] * count, c.dtype).reshape(count, c.hidden, feed)


def reserve(room: Room, c: Config, tokens: int) -> None:
    """Makes the memory that `fed` writes, for up to so many tokens."""
    rows, high = tokens * c.chosen, _high(c.experts)
    for name, shape, dtype in (
        ("routes", (tokens, c.experts), fh.f32),
        ("shares", (tokens, c.chosen), fh.f32),
        ("experts", (tokens, c.chosen), fh.i32),
        ("slots", (tokens, c.chosen), fh.i32),
        ("sources", (rows,), fh.i32),
        ("counts", (ceildiv(rows, high), c.experts), fh.i32),
        ("before", (ceildiv(rows, high), c.experts), fh.i32),
        ("offsets", (c.experts + 1,), fh.i32),
        ("sent", (rows, c.hidden), c.dtype),
        ("both", (rows, 2 * c.expert_feed), c.dtype),
        ("inner", (rows, c.expert_feed), c.dtype),
    ):
        room.reserve(name, shape, dtype)


def _high(experts: int) -> int:
    """Rows that are counted at once."""
    return max(16, min(256, 16384 // power_of_two(experts + 1)))


def _grouped(y: Any, x: Any, weight: Any, offsets: Any, narrow: bool) -> Any:
    """y = x @ weight[e].T for the rows of each expert."""
    high = max(16, min(128 if narrow else 32, power_of_two(ceildiv(x.shape[0], weight.shape[0]))))
    tile = high, min(128 if narrow else 64, power_of_two(max(16, y.shape[1])))
    step = max(16, min(64 if narrow else 32, power_of_two(x.shape[1])))
    part = fh.ragged(y, tile, by="offsets", blocks=fh.PERSISTENT)
    return hinted(grouped_tiles, {"num_worker_warps": 4})(part, x, weight, offsets, step, True)


def _tile(rows: Any) -> tuple[int, int]:
    width = min(1024, power_of_two(rows.shape[1]))
    return min(max(1, 2048 // width), power_of_two(rows.shape[0])), width


def fed(room: Room, c: Config, layer: Experts, x: Any, y: Any, residual: Any) -> Steps:
    """y = residual + what the chosen experts make of x, weighted by their shares."""
    tokens, k = x.shape[0], c.chosen
    rows, width, high = tokens * k, power_of_two(c.experts + 1), _high(c.experts)
    routes, shares, chosen, slots = (room.rows(n, tokens) for n in ("routes", "shares", "experts", "slots"))
    counts, before = (room.rows(n, ceildiv(rows, high)) for n in ("counts", "before"))
    offsets, flat = room.rows("offsets", c.experts + 1), slots.reshape(rows)
    sent, both, inner, sources = (room.rows(n, rows) for n in ("sent", "both", "inner", "sources"))
    yield from product(room, routes, x, layer.router)
    cuts = cut(shares, (1, power_of_two(k))), cut(chosen, (1, power_of_two(k)))
    yield route_rows(*cuts, routes, power_of_two(c.experts), power_of_two(k), c.normalised)
    experts = chosen.reshape(rows)
    yield count_experts(cut(counts, (1, width)), experts, high)
    yield sum_counts(cut(offsets, (width,)), cut(before, (1, width), owned=0), counts, width)
    yield places_of_rows(cut(flat, (high,)), experts, offsets, before, width)
    yield sources.fill(0)
    yield invert(sources, cut(flat, (256,)))
    yield gather_rows(cut(sent, _tile(sent)), x, sources, k)
    narrow = c.dtype != fh.f32
    yield _grouped(both, sent, layer.gate_up, offsets, narrow)
    yield from gated(inner, both)
    yield _grouped(sent, inner, layer.down, offsets, narrow)
    yield combine_rows(cut(y, _tile(y)), sent, slots, shares, k)
    yield from added(y, residual)
