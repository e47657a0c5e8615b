"""Mixtures of experts: routing, tokens by expert and back, and products of groups of rows, each with its own matrix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import freehold as fh
from freehold import Acc, Const, Out, Ref, i32
from freehold.kernels.activations import gated
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.operators import operator, wide_dtype
from freehold.kernels.schedules import ceildiv, cut, hinted, power_of_two
from freehold.kernels.tiles import accumulator, exponential, places, safe, safe_with_data, wide

# --- Kernels ----------------------------------------------------------------------------------------------------------


@safe
def route_rows(
    weights: Out["T", "K"],
    experts: Out[i32, "T", "K"],
    logits: Ref["T", "E"],
    WE: Const[int],
    WK: Const[int],
    SHARE: Const[bool],
):
    """
    The K likeliest experts of each token in order, and their share of the softmax over all, or with `SHARE` over the K.

    All experts fit a tile of `WE`, the K one of `WK`.
    """
    fh.require("E <= WE and K <= WK")
    t, _ = weights.index
    high = weights.tile[0]
    x = wide(logits.load((t, 0), (high, WE)))
    place = places(0, WE)[None, :]
    x = fh.where(place < logits.shape[1], x, float("-inf"))
    p = exponential(x - x.max(axis=1, keepdims=True))
    whole = p.sum(axis=1, keepdims=True)
    turn = places(0, WK)[None, :]
    best, chosen = fh.zeros((high, WK), p.dtype), fh.zeros((high, WK), i32)
    for k in range(weights.shape[1]):
        at = fh.argmax(x, axis=1)[:, None]
        hit = place == at
        best = fh.where(turn == k, fh.where(hit, p, 0.0).sum(axis=1, keepdims=True), best)
        chosen = fh.where(turn == k, at, chosen)
        x = fh.where(hit, float("-inf"), x)
    total = best.sum(axis=1, keepdims=True) if SHARE else whole
    weights.store((best / total).astype(weights.dtype))
    experts.store(chosen)


@safe
def count_experts(counts: Out[i32, "B", "E"], experts: Ref[i32, "N"], W: Const[int]):
    """How often each of the E numbers is there in each tile of W."""
    fh.static_assert(counts.tile[0] == 1, "a row of counts for each tile")
    b, e = counts.index
    mine = experts.load((b,), (W,))
    inside = places(b * W, W) < experts.shape[0]
    number = places(e * counts.tile[1], counts.tile[1])
    hit = (mine[:, None] == number[None, :]) & inside[:, None]
    counts.store(hit.sum(axis=0)[None])


@safe
def sum_counts(offsets: Out[i32, "L"], before: Out[i32, "B", "E"], counts: Ref[i32, "B", "E"], WE: Const[int]):
    """Where each expert's rows begin (L is E + 1), and how many of them are in front of each tile; in one block."""
    fh.require("E < WE and L == E + 1")
    run = fh.zeros((1, WE), i32)
    for b in fh.tiles(counts, axis=0, size=1):
        before.at(b).store(run)
        run += counts.load((b, 0), (1, WE))
    ends = fh.cumsum(run, axis=1) - run
    offsets.store(ends.reshape(offsets.tile))


@safe
def places_of_rows(
    slot: Out[i32, "N"], experts: Ref[i32, "N"], offsets: Ref[i32, "L"], before: Ref[i32, "B", "E"], WE: Const[int]
):
    """Where each row goes when they are put in order of their experts, equal ones as they were; -1 for no expert."""
    fh.require("E <= WE and L == E + 1")
    (b,) = slot.index
    W = slot.tile[0]
    mine = experts.load((b,), (W,))
    inside = places(b * W, W) < experts.shape[0]
    hit = (mine[:, None] == places(0, WE)[None, :]) & inside[:, None]
    one = fh.where(hit, 1, 0)
    first = before.load((b, 0), (1, WE)) + offsets.load((0,), (WE,))[None, :]
    found = fh.where(hit, fh.cumsum(one, axis=0) - one + first, 0).sum(axis=1)
    slot.store(fh.where(hit.any(axis=1), found, -1))


@safe
def invert(source: Acc[i32, "S"], slot: Ref[i32, "N"]):
    """
    Adds each row's number at its slot: of zeros this makes the inverse, for no two rows have one slot.

    It is a sum, so that nobody has to prove that.
    """
    inside = places(slot.index[0] * slot.tile[0], slot.tile[0]) < slot.shape[0]
    rows = places(slot.index[0] * slot.tile[0], slot.tile[0])
    source.add_at(rows, slot.load(), mask=inside)


@safe
def gather_rows(y: Out["S", "D"], x: Ref["T", "D"], source: Ref[i32, "S"], K: Const[int]):
    """Row s of y is row source[s] // K of x; zeros where that is no row."""
    s, d = y.index
    rows = source.load((s,), (y.tile[0],)) // K
    y.store(x.gather(rows[:, None], places(d * y.tile[1], y.tile[1])[None, :]))


@safe
def combine_rows(y: Out["T", "D"], x: Ref["S", "D"], slot: Ref[i32, "T", "K"], weights: Ref["T", "K"], K: Const[int]):
    """y[t] = sum over its K of x[slot[t, k]] * weights[t, k], in the same order every time."""
    t, d = y.index
    rows, column = places(t * y.tile[0], y.tile[0]), places(d * y.tile[1], y.tile[1])
    acc = fh.zeros(y.tile, accumulator(x.dtype))
    for k in fh.static_range(K):
        part = wide(x.gather(slot.gather(rows, k, padding=-1)[:, None], column[None, :]))
        acc += part * wide(weights.gather(rows, k))[:, None]
    y.store(acc.astype(y.dtype))


@safe
def combine_rows_backward(
    dx: Out["S", "D"],
    dweights: Out["S"],
    dy: Ref["T", "D"],
    x: Ref["S", "D"],
    weights: Ref["N"],
    source: Ref[i32, "S"],
    K: Const[int],
    W: Const[int],
):
    """dx[s] = dy[source[s] // K] * weights[source[s]], and dweights[s] = sum(dy * x) of these rows."""
    (s,) = dweights.index
    high = dweights.tile[0]
    here = source.load((s,), (high,))
    weight = wide(weights.gather(here))[:, None]
    dot = fh.zeros((high, W), accumulator(x.dtype))
    for k in fh.tiles(x, axis=1, size=W):
        g = wide(dy.gather((here // K)[:, None], places(k * W, W)[None, :]))
        dot += g * wide(x.load((s, k), (high, W)))
        dx.at(k).store((g * weight).astype(dx.dtype))
    dweights.store(dot.sum(axis=1).astype(dweights.dtype))


@safe
def chunk_groups(chunks: Out[i32, 2, "C"], offsets: Ref[i32, "L"], rows: i32, HIGH: Const[int], WE: Const[int]):
    """
    Cuts groups of rows into chunks of at most HIGH: where each chunk begins, and which group it is of.

    The first group begins with row 0, and the last ends with `rows`, whatever its offset says. Behind the last chunk
    all begin at `rows`, and have none. All offsets fit a tile of `WE`.
    """
    fh.require("L > 1 and L <= WE and rows >= 0 and rows <= 1073741824")
    last = offsets.shape[0] - 2
    group, turn = places(0, WE), places(chunks.start[1], chunks.tile[1])[:, None]
    begins = fh.where(group == 0, 0, offsets.load((0,), (WE,)))
    ends = fh.where(group == last, rows, offsets.load_from((1,), (WE,)))
    size = fh.where(group <= last, fh.clip(ends - begins, 0, rows), 0)
    count = (size + (HIGH - 1)) // HIGH
    before = fh.cumsum(count, axis=0) - count
    mine = (turn >= before[None, :]) & (turn < (before + count)[None, :])
    start = fh.where(mine, begins[None, :] + (turn - before[None, :]) * HIGH, 0).sum(axis=1)
    start = fh.where(mine.any(axis=1), start, rows)
    owner = fh.where(mine, group[None, :], 0).sum(axis=1)
    chunks.store(fh.concatenate((start[None], owner[None]), axis=0))


@safe_with_data
def grouped_tiles(
    y: Out["S", "N"],
    x: Ref["S", "K"],
    w: Ref["E", "P", "Q"],
    offsets: Ref[i32, "C + 1"],
    owner: Ref[i32, "C + 1"] | None,
    BK: Const[int],
    TB: Const[bool] = False,
):
    """
    y = x @ w[e] for the rows of each group, from offsets[c] to offsets[c + 1]; `TB` takes w[e] transposed.

    The matrix of group c is that of `owner[c]`, or its own where that is not given.
    """
    fh.require("N == P and K == Q" if TB else "K == P and N == Q")
    fh.require("E > 0" if owner is not None else "E == C")
    c, _, n = y.index
    TM, TN = y.tile
    e = c if owner is None else fh.clip(owner.load(c, ()), 0, w.shape[0] - 1)
    acc = fh.zeros(y.tile, accumulator(x.dtype))
    for k in fh.tiles(x, axis=1, size=BK):
        rows = x.load_from((y.start[0], k * BK), (TM, BK))
        if TB:
            part = w.load((e, n, k), (1, TN, BK)).reshape(TN, BK).T
        else:
            part = w.load((e, k, n), (1, BK, TN)).reshape(BK, TN)
        acc = fh.mma(rows, part, acc)
    y.store(acc.astype(y.dtype))


@safe
def grouped_tiles_backward(
    dw: Out["E", "N", "K"], dy: Ref["S", "N"], x: Ref["S", "K"], offsets: Ref[i32, "L"], BS: Const[int]
):
    """
    dw[e] = dy.T @ x over the rows of each group, in tiles of BS; the last one takes rows of the next times zero, so
    that what is infinite there makes NaN. To leave them out of x, too, takes up to an eighth more time.
    """
    fh.require("L == E + 1 and S <= 1073741824")
    e, n, k = dw.index
    _, TN, TK = dw.tile
    first: Any = fh.clip(offsets.gather(e), 0, x.shape[0])
    last: Any = fh.clip(offsets.gather(e + 1), first, x.shape[0])
    acc, whole = fh.zeros((TN, TK), accumulator(x.dtype)), (last - first) // BS
    for s in range(whole):
        row = first + s * BS
        acc = fh.mma(dy.load_from((row, n * TN), (BS, TN)).T, x.load_from((row, k * TK), (BS, TK)), acc)
    row = first + whole * BS
    if row < last:
        inside = (places(row, BS) < last)[:, None]
        left = fh.where(inside, dy.load_from((row, n * TN), (BS, TN)), 0.0)
        acc = fh.mma(left.T, x.load_from((row, k * TK), (BS, TK)), acc)
    dw.store(acc[None].astype(dw.dtype))


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def route(logits: Tensor, k: int, *, normalize: bool = True) -> tuple[Tensor, Tensor]:
    """
    The `k` likeliest experts (T, k; int32) of each token, the first of equals, and their weights (T, k; float32).

    Of `logits` (T, E), of at most 512 experts. Weights are the softmax over all experts, and with `normalize` they sum
    to 1. Differentiable. Raises `ValueError` for other shapes.
    """
    if logits.dim() != 2 or not 0 < k <= logits.shape[1] <= 512:
        raise ValueError(f"logits are (T, E) of at most 512 experts, of which 1 to E are chosen: {logits.shape}, {k}")
    return _route(logits, k, normalize)


@function()
def sort_by_expert(experts: Tensor, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """
    How rows are put in order of their experts: `offsets` (count + 1) where each one's rows begin, the `slot` that each
    row goes to, in the shape of `experts` (int32), and for each slot its `source`, a row's number; all int32.

    A number that is no expert's has slot -1, and the slots behind the last offset have source 0. No gradients.
    """
    return _sort_by_expert(experts.int(), count)


@function()
def dispatch(x: Tensor, slot: Tensor, source: Tensor) -> Tensor:
    """The rows of `x` (T, D) in order of their experts (T * K, D), by `sort_by_expert` of (T, K); differentiable."""
    return _dispatch(x, slot, source)


@function()
def combine(x: Tensor, slot: Tensor, source: Tensor, weights: Tensor) -> Tensor:
    """
    The sum of each token's rows of `x` (T * K, D), times its `weights` (T, K): the way back from `dispatch`;
    differentiable in `x` and `weights`.
    """
    return _combine(x, slot, source, weights)


@function(x="S K floats", weight="E N K same", offsets="E+1 int32")
def grouped_linear(x: Tensor, weight: Tensor, offsets: Tensor) -> Tensor:
    """
    x @ weight[e].T for the rows of each group e, from offsets[e] up to offsets[e + 1]; differentiable.

    `x` is (S, K), `weight` (E, N, K), `offsets` (E + 1, int32) ascend from 0 to S: where they do not, rows are
    multiplied by matrices of other groups, or the launch fails (O236). Raises `ValueError` for other shapes.
    """
    return _grouped(x, weight, offsets, True)


@function()
def moe(
    x: Tensor, logits: Tensor, gate_up: Tensor, down: Tensor, k: int, *, normalize: bool = True, kind: str = "silu"
) -> Tensor:
    """
    A mixture of experts of `x` (T, D) by its router's `logits` (T, E): the weighted sum of the `k` likeliest experts'
    `gated(gate(x), up(x)) @ down.T`; differentiable.

    `gate_up` is (E, 2 * I, D), gates first, and `down` (E, D, I).
    """
    weights, experts = route(logits, k, normalize=normalize)
    offsets, slot, source = sort_by_expert(experts, logits.shape[1])
    both = grouped_linear(dispatch(x, slot, source), gate_up, offsets)
    gate, up = both.chunk(2, dim=-1)
    return combine(grouped_linear(gated(gate, up, kind), down, offsets), slot, source, weights)


# --- Operators --------------------------------------------------------------------------------------------------------


@operator(
    "route(Tensor logits, int k, bool share) -> (Tensor, Tensor)",
    results=lambda logits, k, share: (
        logits.new_empty((logits.shape[0], k), dtype=wide_dtype(logits)),
        logits.new_empty((logits.shape[0], k)).int(),
    ),
)
def _route(weights: Any, experts: Any, logits: Any, k: int, share: bool) -> None:
    route_launch(weights, experts, logits, share).on()


def route_launch(weights: Any, experts: Any, logits: Any, share: bool) -> Any:
    """The launch that chooses experts: their numbers and shares, (T, K), by logits (T, E)."""
    tile, width = (1, power_of_two(weights.shape[1])), power_of_two(logits.shape[1])
    return route_rows(fh.partition(weights, tile), fh.partition(experts, tile), logits, width, tile[1], share)


@_route.backward(keeps=lambda inputs, output: (inputs[0], *output))
def _route_gradient(ctx: Any, dweights: Any, _: Any) -> tuple[Any, ...]:
    logits, weights, experts = ctx.saved_tensors
    _, share = ctx.arguments
    chosen = experts.long()
    inner = weights * (dweights - (dweights * weights).sum(1, keepdim=True))
    if share:
        given = logits.new_zeros(logits.shape, dtype=weights.dtype).scatter_(1, chosen, inner)
    else:
        p = logits.to(weights.dtype).softmax(1)
        given = -p * (dweights * weights).sum(1, keepdim=True)
        given.scatter_add_(1, chosen, dweights * weights)
    return given.to(logits.dtype), None, None


@operator(
    "sort_by_expert(Tensor experts, int count) -> (Tensor, Tensor, Tensor)",
    results=lambda experts, count: (
        experts.new_empty((count + 1,)),
        experts.new_empty(experts.shape),
        experts.new_empty((experts.numel(),)),
    ),
    takes={"experts": "int32"},
)
def _sort_by_expert(offsets: Any, slot: Any, source: Any, experts: Any, count: int) -> None:
    flat = experts.reshape(-1)
    counts = flat.new_empty((ceildiv(flat.shape[0], counted_at_once(count)), count))
    source.zero_()
    for launch in sorting_launches(offsets, slot.view(-1), source, flat, counts, counts.new_empty(counts.shape)):
        launch.on()


def counted_at_once(experts: int) -> int:
    """Rows whose experts are counted together, of so many experts."""
    return max(16, min(256, 16384 // power_of_two(experts + 1)))


def sorting_launches(offsets: Any, slot: Any, source: Any, experts: Any, counts: Any, before: Any) -> Iterator[Any]:
    """
    The launches that put rows in order of their experts (N,): where each expert's begin, where each row goes (N,), and
    which row is there, in `source` (N,), which is zeros. `counts` and `before` (tiles, E) are room for them.
    """
    count = counts.shape[1]
    width, tile = power_of_two(count + 1), counted_at_once(count)
    yield count_experts(fh.partition(counts, (1, width)), experts, tile)
    yield sum_counts(fh.partition(offsets, width), fh.partition(before, (1, width), owned=0), counts, width)
    yield places_of_rows(fh.partition(slot, tile), experts, offsets, before, width)
    yield invert(source, fh.partition(slot, 256))


def tile_of_rows(rows: Any) -> tuple[int, int]:
    """How rows are cut that are copied or added up."""
    width = min(1024, power_of_two(rows.shape[1]))
    return min(max(1, 2048 // width), power_of_two(rows.shape[0])), width


@operator(
    "moe_dispatch(Tensor x, Tensor slot, Tensor source) -> Tensor",
    results=lambda x, slot, source: x.new_empty((source.shape[0], x.shape[1])),
    takes={"x": "T D floats", "slot": "T K int32", "source": "T*K int32"},
)
def _dispatch(y: Any, x: Any, slot: Any, source: Any) -> None:
    gather_rows(fh.partition(y, tile_of_rows(y)), x, source, slot.numel() // x.shape[0]).on()


@_dispatch.backward(keeps=lambda inputs, output: inputs[1:])
def _dispatch_gradient(ctx: Any, dy: Any) -> tuple[Any, ...]:
    slot, source = ctx.saved_tensors
    return _combine(dy.contiguous(), slot, source, dy.new_ones(slot.shape)), None, None


@operator(
    "moe_combine(Tensor x, Tensor slot, Tensor source, Tensor weights) -> Tensor",
    results=lambda x, slot, source, weights: x.new_empty((slot.shape[0], x.shape[1])),
    takes={"x": "R D floats", "slot": "T K int32", "source": "R int32", "weights": "T K floats"},
    where=("R == T * K",),
)
def _combine(y: Any, x: Any, slot: Any, source: Any, weights: Any) -> None:
    combine_rows(fh.partition(y, tile_of_rows(y)), x, slot, weights, slot.shape[1]).on()


@operator(
    "moe_combine_backward(Tensor dy, Tensor x, Tensor source, Tensor weights) -> (Tensor, Tensor)",
    results=lambda dy, x, source, weights: (
        x.new_empty(x.shape),
        x.new_empty((x.shape[0],), dtype=weights.dtype),
    ),
)
def _combine_backward(dx: Any, dweights: Any, dy: Any, x: Any, source: Any, weights: Any) -> None:
    high, width = tile_of_rows(x)
    part = fh.partition(dx, (high, width), owned=1)
    given = dy, x, weights.reshape(-1), source, weights.shape[1], width
    combine_rows_backward(part, fh.partition(dweights, high), *given).on()


@_combine.backward(keeps=lambda inputs, output: inputs)
def _combine_gradient(ctx: Any, dy: Any) -> tuple[Any, ...]:
    x, slot, source, weights = ctx.saved_tensors
    dx, dslots = _combine_backward(dy.contiguous(), x, source, weights)
    return dx, None, None, dslots[slot.long()]


@operator(
    "grouped_linear(Tensor x, Tensor weight, Tensor offsets, bool turned) -> Tensor",
    results=lambda x, weight, offsets, turned: x.new_empty((x.shape[0], weight.shape[1 if turned else 2])),
    takes={"x": "S K floats", "weight": "E P Q same", "offsets": "E+1 int32"},
    where=("K == (Q if turned else P)",),
)
def _grouped(y: Any, x: Any, weight: Any, offsets: Any, turned: bool) -> None:
    E = weight.shape[0]
    way = GroupTiling.of(x.shape[0], E, y.shape[1], x.shape[1], narrow=x.element_size() <= 2)
    chunks = offsets.new_empty((2, way.chunks(x.shape[0], E)))
    chunks_launch(chunks, offsets, x.shape[0], way).on()
    grouped_launch(y, x, weight, chunks, turned, way).on()


class GroupTiling(NamedTuple):
    """How products of groups of rows are cut."""

    tile: tuple[int, int]
    step: int
    """Elements along K that a block multiplies at once."""
    warps: int

    @staticmethod
    def of(rows: int, groups: int, columns: int, length: int, *, narrow: bool) -> GroupTiling:
        """
        For so many rows in all; `narrow` elements have 2 bytes at most. Found by measuring on an H200: tiles are half
        as high again as groups are on the average, as most of these then have one tile.
        """
        each = ceildiv(rows, groups)
        if not narrow:
            tile, step, warps = (max(16, min(32, power_of_two(each))), 64), 32, 4
        else:
            high = max(16, min(128, power_of_two(each + each // 2)))
            wide = 128 if high == 16 or each < high == 128 or columns <= 128 else 256
            tile, step, warps = (high, wide), 128 if high == 16 else 64, 8 if high * wide == 32768 else 4
        width = min(tile[1], power_of_two(max(16, columns)))
        return GroupTiling((tile[0], width), max(16, min(step, power_of_two(length))), warps)

    def chunks(self, rows: int, groups: int) -> int:
        """How many chunks of rows there may be, and one more, where the last one ends."""
        return min(rows, rows // self.tile[0] + groups) + 1


def chunks_launch(chunks: Any, offsets: Any, rows: int, way: GroupTiling) -> Any:
    """The launch that cuts groups of rows into chunks, (2, `way.chunks(...)`)."""
    width = power_of_two(offsets.shape[0])
    part = cut(chunks, (2, min(16, power_of_two(chunks.shape[1]))))
    return hinted(chunk_groups, {"num_worker_warps": 8})(part, offsets, rows, way.tile[0], width)


def grouped_launch(y: Any, x: Any, weight: Any, chunks: Any, turned: bool, way: GroupTiling) -> Any:
    """The launch of products of groups of rows, cut into chunks."""
    part = fh.ragged(y, way.tile, by="offsets", most=way.tile[0], blocks=fh.PERSISTENT)
    hints = {"num_worker_warps": way.warps}
    return hinted(grouped_tiles, hints)(part, x, weight, chunks[0], chunks[1], way.step, turned)


@operator(
    "grouped_linear_backward(Tensor dy, Tensor x, Tensor weight, Tensor offsets) -> Tensor",
    results=lambda dy, x, weight, offsets: weight.new_empty(weight.shape),
)
def _grouped_backward(dw: Any, dy: Any, x: Any, weight: Any, offsets: Any) -> None:
    narrow = x.element_size() <= 2
    most, hints = (128, {"num_worker_warps": 4, "occupancy": 2}) if narrow else (32, {})
    tile = 1, min(most, power_of_two(max(16, dw.shape[1]))), min(most, power_of_two(max(16, dw.shape[2])))
    hinted(grouped_tiles_backward, hints)(cut(dw, tile), dy, x, offsets, 16 if narrow else 32).on()


@_grouped.backward(keeps=lambda inputs, output: inputs[:3])
def _grouped_gradient(ctx: Any, dy: Any) -> tuple[Any, ...]:
    x, weight, offsets = ctx.saved_tensors
    dy = dy.contiguous()
    return _grouped(dy, weight, offsets, False), _grouped_backward(dy, x, weight, offsets), None, None
