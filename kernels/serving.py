"""What an engine does between products: heads normalised and turned, caches in pages written and read."""

from __future__ import annotations

from typing import Any

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32, i32
from freehold.kernels.decoding import attended, nothing
from freehold.kernels.schedules import hinted, power_of_two
from freehold.kernels.tiles import LOG2E, accumulator, places, safe, safe_with_data, wide


@safe
def turned_heads(
    y: Out["T", "R", 2, "E"],
    x: Ref["T", "X", 2, "E"],
    weights: Ref["W", 2, "E"],
    cos: Ref["P", "E"],
    sin: Ref["P", "E"],
    positions: Ref[i32, "T"],
    queries: i32,
    eps: f32,
    NORM: Const[bool],
):
    """
    The first R heads of each row of x, turned by the angles of its position, before which `NORM` normalises each.

    Heads are in halves: element i of a half and i of the other are a pair. The first `queries` heads have the first
    row of the weights, the others the second. A position that has no angles gives zeros.
    """
    fh.require("R <= X")
    fh.require("W == 2")
    fh.require("R <= 65536", "no number of a head wraps around")
    t, r, _, _ = y.index
    _, high, _, half = y.tile
    dtype = accumulator(x.dtype)
    a = wide(x.load((t, r, 0, 0), (1, high, 1, half)))
    b = wide(x.load((t, r, 1, 0), (1, high, 1, half)))
    if NORM:
        squares = (a * a + b * b).sum(axis=3, keepdims=True)
        scale = fh.rsqrt(squares / (2 * y.shape[3]).astype(dtype) + eps.astype(dtype))
        keys = places(r * high, high)[None, :, None, None] >= queries
        first = fh.where(keys, wide(weights.load((1, 0, 0), (1, 1, half))), wide(weights.load((0, 0, 0), (1, 1, half))))
        other = fh.where(keys, wide(weights.load((1, 1, 0), (1, 1, half))), wide(weights.load((0, 1, 0), (1, 1, half))))
        a = (a * scale * first).astype(x.dtype).astype(dtype)
        b = (b * scale * other).astype(x.dtype).astype(dtype)
    here = positions.load((t,), ())
    c = wide(cos.gather(here, fh.arange(half))).reshape(1, 1, 1, half)
    s = wide(sin.gather(here, fh.arange(half))).reshape(1, 1, 1, half)
    y.store(fh.concatenate((a * c - b * s, b * c + a * s), axis=2).astype(y.dtype))


@safe_with_data
def append_slots(
    cache: Mut["S", 2, "KH", "D"],
    k: Ref["T", "KH", "D"],
    v: Ref["T", "KH", "D"],
    order: Ref[i32, "T"],
    slots: Ref[i32, "2 * T + 1"],
):
    """
    Row `order[t]` of k and v goes to where `slots[2 * t]` says, if that is less than `slots[2 * t + 1]`, else nowhere.

    The slots cut the cache into groups of rows (`fh.ragged(cache, (1, 2, KH, D), by="slots", most=1, partial=True)`):
    what is between two tokens is a group, too, which nobody writes. They ascend, which is checked: so no two tokens
    share a slot.
    """
    e, _, _, h, _ = cache.index
    _, _, high, width = cache.tile
    if e % 2 == 0:
        row = order.load((e // 2,), ())
        key = k.load((row, h, 0), (1, high, width))[:, None]
        value = v.load((row, h, 0), (1, high, width))[:, None]
        cache.store(fh.concatenate((key, value), axis=1).astype(cache.dtype))


@safe_with_data
def paged_queries(
    o: Out["T", "KH", "G", "E"],
    q: Ref["T", "KH", "G", "D"],
    k: Ref["N", "PAGE", "KH", "D"],
    v: Ref["N", "PAGE", "KH", "E"],
    table: Ref[i32, "B", "L"],
    lengths: Ref[i32, "B"],
    starts: Ref[i32, "B + 1"],
    scale: f32,
    WIDTH: Const[int],
    PAGE: Const[int],
):
    """
    Causal attention of the last tokens of B sequences over their caches, in pages: `starts` cuts the rows of o by
    sequence (`fh.ragged(o, (TQ, 1, G, E), by="starts")`), of which the last is token `lengths[b] - 1`.

    Page l of sequence b is `table[b, l]`. The G heads that share keys are rows of one product, with TQ tokens.
    """
    b, _, h, _, _ = o.index
    TQ, _, G, DV = o.tile
    dtype = accumulator(q.dtype)
    rows = TQ * G
    first, length = o.start[0], lengths.load((b,), ())
    queries = q.load_window((first, h, 0, 0), (TQ, 1, G, WIDTH)).reshape(rows, WIDTH)
    place = length - (starts.load((b + 1,), ()) - first) + fh.arange(rows) // G
    c = scale.astype(dtype) * LOG2E
    state = nothing(rows, DV, dtype)
    last = fh.minimum(length, length - (starts.load((b + 1,), ()) - first) + TQ)
    for j in fh.tiles(table, axis=1, size=1, stop=fh.cdiv(last, PAGE)):
        page = table.load((b, j), ())
        keys = k.load((page, 0, h, 0), (1, PAGE, 1, WIDTH)).reshape(PAGE, WIDTH)
        values = v.load((page, 0, h, 0), (1, PAGE, 1, DV)).reshape(PAGE, DV)
        state = attended(state, queries, keys, values, places(j * PAGE, PAGE)[None, :] <= place[:, None], c)
    _, total, acc = state
    o.store((acc / fh.maximum(total, 1e-30)).reshape(o.tile).astype(o.dtype))


@safe
def added_tiles(y: Mut["M", "N"], x: Ref["M", "N"]):
    """y += x: what penalties, biases and grammars add to logits."""
    y.store((wide(y.load()) + wide(x.load_like(y))).astype(y.dtype))


# --- Launches ---------------------------------------------------------------------------------------------------------


def paged_queries_launch(
    o: Any, q: Any, k: Any, v: Any, table: Any, lengths: Any, starts: Any, longest: int, scale: float
) -> Any:
    """
    The launch of `paged_queries` where no sequence has more than `longest` rows; pages are powers of two.

    Rows of o that no sequence has stay as they are.
    """
    _, _, group, head = q.shape
    group, width, page = power_of_two(group), power_of_two(head), k.shape[1]
    high = max(1, min(128 // group, power_of_two(longest)), 16 // group)
    part = fh.ragged(o, (high, 1, group, width), by="starts", most=power_of_two(longest), partial=True)
    # The assembler 13.5 refuses 64 rows a product with four warps, and takes them with eight.
    kernel = hinted(paged_queries, {"num_worker_warps": 8 if high * group == 64 else 4})
    return kernel(part, q, k, v, table, lengths, starts, scale, width, page)
