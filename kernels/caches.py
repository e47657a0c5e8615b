"""What goes in front of attention in decoding: heads normalised and rotated, keys and values appended to caches."""

from __future__ import annotations

from typing import Any

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32, i32
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.operators import operator
from freehold.kernels.schedules import hinted, power_of_two
from freehold.kernels.tiles import safe_with_data, wide

# --- Kernels ----------------------------------------------------------------------------------------------------------


def rotated_heads(t: Any, weight: Any, cos: Any, sin: Any, size: Any, eps: Any, NORM: bool) -> Any:
    """Heads, the rows of a tile, by their root mean square if `NORM`, and rotated; their halves are pairs."""
    half = t.shape[1] // 2
    if NORM:
        t = t * fh.rsqrt((t * t).sum(axis=1, keepdims=True) / size.astype(t.dtype) + eps.astype(t.dtype)) * weight
    a, b = t[:, :half], t[:, half:]
    return fh.concatenate((a * cos - b * sin, b * cos + a * sin), axis=1)


@safe_with_data
def rotate_and_append(
    y: Out["B", "T", "KH", "G", "D"],
    k_cache: Mut["B", "KH", "S", "D"],
    v_cache: Mut["B", "KH", "S", "D"],
    q: Ref["B", "T", "KH", "G", "D"],
    k: Ref["B", "T", "KH", "D"],
    v: Ref["B", "T", "KH", "D"],
    q_weight: Ref["W"],
    k_weight: Ref["W"],
    cos: Ref["L", "R"],
    sin: Ref["L", "R"],
    positions: Ref[i32, "B"],
    eps: f32,
    D: Const[int],
    NORM: Const[bool],
    EACH: Const[bool],
    at: fh.Grid = fh.Grid("B", "T", "KH"),
):
    """
    y = rotated, normalised q; k, treated alike, and v go to row `positions[b] + t` of the caches of sequence b.

    With `EACH` there is one token of each sequence; else one sequence, whose tokens go to a window. So no two points
    write to one row. That the rows are in the caches is checked, for their numbers are data; of angles that are not
    there, zeros are taken.
    """
    fh.require("R * 2 == D", "an angle for each pair")
    fh.require("T == 1" if EACH else "B == 1", "rows go where they are shown to be apart")
    first = 0 if EACH else positions.load(0, ())
    keys = k_cache if EACH else k_cache.window(axis=2, start=first, length=q.shape[1])
    values = v_cache if EACH else v_cache.window(axis=2, start=first, length=q.shape[1])
    b, t, h = at.index
    G = y.tile[3]
    row = positions.load(b, ()) if EACH else t
    angle = row if EACH else first + t
    c, s = tuple(wide(x.load_from((angle, 0), (1, D // 2))) for x in (cos, sin))
    heads = wide(q.load((b, t, h, 0, 0), (1, 1, 1, G, D)).reshape(G, D))
    weight = wide(q_weight.load((0,), (D,)))[None, :]
    y.at(b, t, h, 0, 0).store(rotated_heads(heads, weight, c, s, k.shape[3], eps, NORM).reshape(y.tile).astype(y.dtype))
    key = wide(k.load((b, t, h, 0), (1, 1, 1, D)).reshape(1, D))
    weight = wide(k_weight.load((0,), (D,)))[None, :]
    key = rotated_heads(key, weight, c, s, k.shape[3], eps, NORM)
    keys.at(b, h, row, 0).store(key.reshape(1, 1, 1, D).astype(k_cache.dtype))
    values.at(b, h, row, 0).store(v.load((b, t, h, 0), (1, 1, 1, D)).astype(v_cache.dtype))


@safe_with_data
def append_row_each(
    cache: Mut["B", "KH", "S", "D"],
    new: Ref["B", "KH", 1, "D"],
    positions: Ref[i32, "B"],
    W: Const[int],
    at: fh.Grid = fh.Grid("B", "KH"),
):
    """cache[b, :, positions[b]] = new[b, :, 0], where each sequence is at a position of its own."""
    fh.require("D <= W", "a row fits a tile")
    b, h = at.index
    row = new.load((b, h, 0, 0), (1, 1, 1, W))
    cache.at(b, h, positions.load(b, ()), 0).store(row.astype(cache.dtype))


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def rope_append(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    cos: Tensor,
    sin: Tensor,
    positions: Tensor,
    *,
    q_weight: Tensor | None = None,
    k_weight: Tensor | None = None,
    eps: float = 1e-6,
) -> Tensor:
    """
    Rotates queries and keys, with weights normalises them first, and appends keys and values to caches, at once.

    `q` is (B, T, H, D), `k` and `v` (B, T, KH, D), or parts of one tensor; the caches (B, KH, S, D), `cos` and
    `sin` tables (L, D // 2) by position, of pairs `(i, i + D // 2)`, and `positions` (B, int32) where each sequence's
    first new token stands. D is a power of two. Returns the queries (B, H, T, D); changes the caches. Where a row would
    leave its cache the launch fails (O233). Has no gradients, and raises `NotImplementedError` where torch would record
    one.
    Raises `ValueError` for other shapes.
    """
    y = _rotate_and_append(k_cache, v_cache, q, k, v, q_weight, k_weight, cos, sin, positions, eps)
    return y.transpose(1, 2)


# --- Operators --------------------------------------------------------------------------------------------------------


def _queries(k_cache: Any, v_cache: Any, q: Any, *_: Any) -> Any:
    return q.new_empty(q.shape)


@operator(
    "rotate_and_append(Tensor(a!) k_cache, Tensor(b!) v_cache, Tensor q, Tensor k, Tensor v, Tensor? q_weight,"
    " Tensor? k_weight, Tensor cos, Tensor sin, Tensor positions, float eps) -> Tensor",
    results=_queries,
    takes={
        "q": "B T H D floats",
        "k": "B T KH D floats",
        "v": "B T KH D floats",
        "k_cache": "B KH S D floats",
        "v_cache": "B KH S D floats",
        "q_weight": "D floats",
        "k_weight": "D floats",
        "cos": "L D//2 floats",
        "sin": "L D//2 floats",
        "positions": "B integers",
    },
    where=("H % KH == 0", "D & (D - 1) == 0"),
)
def _rotate_and_append(
    y: Any,
    k_cache: Any,
    v_cache: Any,
    q: Any,
    k: Any,
    v: Any,
    q_weight: Any,
    k_weight: Any,
    cos: Any,
    sin: Any,
    positions: Any,
    eps: float,
) -> None:
    (B, T, H, D), KH = q.shape, k.shape[2]
    groups, high = (B, T, KH, H // KH, D), power_of_two(H // KH)
    weights = [cos[0] if w is None else w for w in (q_weight, k_weight)]
    whole = y.view(groups), k_cache, v_cache, q.unflatten(2, groups[2:4]), k, v, positions
    each, launched = T == 1, hinted(rotate_and_append, {"num_worker_warps": 2, "occupancy": 8})
    for b in (slice(None),) if each else (slice(b, b + 1) for b in range(B)):
        out, keys, values, *given, where = (t[b] for t in whole)
        parts = fh.partition(out, (1, 1, 1, high, D)), *(fh.partition(t, (1, 1, 1, D)) for t in (keys, values))
        launched(*parts, *given, *weights, cos, sin, where, eps, D, q_weight is not None, each).on()


def append_each(cache: Any, new: Any, positions: Any) -> None:
    """Launches `append_row_each`, for sequences that have one new row."""
    width = power_of_two(cache.shape[3])
    append_row_each(fh.partition(cache, (1, 1, 1, width)), new, positions, width).on()
