"""Mixtures of experts: routing, tokens by expert and back, and products of groups of rows, each with its own matrix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import freehold as fh
from freehold import Acc, Const, Out, Ref, f64, i32, i64
from freehold.kernels.activations import gated
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.operators import operator, wide_dtype
from freehold.kernels.schedules import PROCESSORS, ceildiv, cut, hinted, power_of_two, tile_of_rows
from freehold.kernels.tiles import accumulator, exponential, places, safe, safe_with_data, wide

# --- Kernels ----------------------------------------------------------------------------------------------------------


def ranks(x: Any) -> Any:
    """
    Integers in the order of floats of 32 or 64 bits, above the lowest: NaN is the largest, and -0.0 equals 0.0. A warp
    finds the largest of its threads' integers by one instruction.
    """
    number, last = (i64, 63) if x.dtype == f64 else (i32, 31)
    bits = fh.bitcast(fh.where(x == 0.0, 0.0, x), number)
    return fh.where(fh.isnan(x), 2**last - 1, bits ^ ((bits >> last) & (2**last - 1)))


def of_rank(rank: Any, dtype: Any) -> Any:
    """The floats of `ranks`."""
    last = 63 if dtype == f64 else 31
    return fh.bitcast(rank ^ ((rank >> last) & (2**last - 1)), dtype)


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
    place, turn = places(0, WE)[None, :], places(0, WK)[None, :]
    inside = place < logits.shape[1]
    x = fh.where(inside, wide(logits.load((t, 0), (high, WE), allow_tma=False)), float("-inf"))
    number = ranks(x)
    lowest: Any = fh.full((), -(2 ** (63 if x.dtype == f64 else 31)), number.dtype)
    number = fh.where(inside, number, lowest)
    best, chosen = fh.zeros((high, WK), number.dtype), fh.zeros((high, WK), i32)
    for k in range(weights.shape[1]):
        largest = number.max(axis=1, keepdims=True)
        at = fh.where(number == largest, place, WE).min(axis=1, keepdims=True)
        best, chosen = fh.where(turn == k, largest, best), fh.where(turn == k, at, chosen)
        number = fh.where(place == at, lowest, number)
    top = x.max(axis=1, keepdims=True)
    p = fh.where(turn < weights.shape[1], exponential(of_rank(best, x.dtype) - top), 0.0)
    total = (p if SHARE else exponential(x - top)).sum(axis=1, keepdims=True)
    weights.store((p / total).astype(weights.dtype), allow_tma=False)
    experts.store(chosen, allow_tma=False)


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
def counts_before(before: Out[i32, "B", "E"], counts: Ref[i32, "B", "E"], TB: Const[int]):
    """How many of each expert's rows are in front of each tile, of which TB are added up at once."""
    (e,) = before.index
    width = before.tile[1]
    run = fh.zeros((1, width), i32)
    for b in fh.tiles(before, axis=0, size=TB):
        t = counts.load((b, e), (TB, width))
        before.at(b).store(fh.cumsum(t, axis=0) - t + run)
        run += t.sum(axis=0, keepdims=True)


@safe
def first_rows(offsets: Out[i32, "L"], before: Ref[i32, "B", "E"], counts: Ref[i32, "B", "E"], WE: Const[int]):
    """Where each expert's rows begin (L is E + 1), by what `counts_before` found; in one block."""
    fh.require("E < WE and L == E + 1 and B > 0")
    last = counts.shape[0] - 1
    count = before.load((last, 0), (1, WE)) + counts.load((last, 0), (1, WE))
    count = fh.where(places(0, WE)[None, :] < counts.shape[1], count, 0)
    ends = fh.cumsum(count, axis=1) - count
    offsets.store(ends.reshape(offsets.tile))


@safe
def places_of_rows(
    slot: Out[i32, "N"],
    source: Out[i32, "N"],
    experts: Ref[i32, "N"],
    offsets: Ref[i32, "L"],
    before: Ref[i32, "B", "E"],
):
    """
    Where each row goes when they are put in order of their experts, equal ones as they were; -1 for no expert. `source`
    gets zeros, which `invert` adds to.
    """
    fh.require("L == E + 1")
    fh.require(fh.cdiv(slot.shape[0], slot.tile[0]) == before.shape[0], "there are counts in front of each tile")
    (b,) = slot.index
    mine, row = experts.load((b,), slot.tile, allow_tma=False), places(0, slot.tile[0])
    same = (mine[:, None] == mine[None, :]) & (row[None, :] < row[:, None])
    rank = fh.where(same, 1, 0).sum(axis=1)
    place = before.gather(b, mine) + offsets.gather(mine) + rank
    slot.store(fh.where((mine >= 0) & (mine < before.shape[1]), place, -1))
    source.store(fh.zeros(source.tile, i32))


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
    width = power_of_two(logits.shape[1])
    # The threads of a warp have a row, and find the largest with no word to others; of many tokens they have several.
    high = 1 if width > 128 else (512 if weights.shape[0] >= 16 * PROCESSORS else 128) // width
    tile = high, power_of_two(weights.shape[1])
    parts = fh.partition(weights, tile), fh.partition(experts, tile)
    return hinted(route_rows, {"num_worker_warps": 1, "occupancy": 16})(*parts, logits, width, tile[1], share)


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
    for launch in sorting_launches(offsets, slot.view(-1), source, flat, counts, counts.new_empty(counts.shape)):
        launch.on()


def counted_at_once(experts: int) -> int:
    """Rows whose experts are counted together, of so many experts."""
    return max(16, min(128, 16384 // power_of_two(experts)))


_FEW: Final = 32
"""Tiles of rows, at most, whose counts one block adds up."""


def sorting_launches(offsets: Any, slot: Any, source: Any, experts: Any, counts: Any, before: Any) -> Iterator[Any]:
    """
    The launches that put rows in order of their experts (N,): where each expert's begin, where each row goes (N,), and
    which row is there, in `source` (N,). `counts` and `before` (tiles, E) are room for them.
    """
    tiles, count = counts.shape
    width, tile = power_of_two(count + 1), counted_at_once(count)
    hints = {"num_worker_warps": 2, "occupancy": 8} if tiles > PROCESSORS else {"num_worker_warps": 4, "occupancy": 4}
    counted = hinted(count_experts, hints)
    yield counted(fh.partition(counts, (1, power_of_two(count))), experts, tile)
    if tiles <= _FEW:
        summed = hinted(sum_counts, {"num_worker_warps": 8, "occupancy": 4})
        yield summed(fh.partition(offsets, width), fh.partition(before, (1, width), owned=0), counts, width)
    else:
        part = fh.partition(before, (128, min(8, power_of_two(count))), owned=0)
        yield hinted(counts_before, {"num_worker_warps": 4, "occupancy": 2})(part, counts, 128)
        summed = hinted(first_rows, {"num_worker_warps": 8, "occupancy": 2})
        yield summed(fh.partition(offsets, width), before, counts, width)
    placed = hinted(places_of_rows, {"num_worker_warps": 2, "occupancy": 8})
    yield placed(fh.partition(slot, tile), fh.partition(source, tile), experts, offsets, before)
    yield hinted(invert, {"num_worker_warps": 8, "occupancy": 2})(source, fh.partition(slot, 512))


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
    combine_launch(y, x, slot, weights).on()


def combine_launch(y: Any, x: Any, slot: Any, weights: Any) -> Any:
    """The launch that adds up each token's rows of x, times its weights, to the matrix y."""
    hints = {"num_worker_warps": 4, "occupancy": 8}
    return hinted(combine_rows, hints)(cut(y, tile_of_rows(y, 1024)), x, slot, weights, slot.shape[1])


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
    return dx, None, None, dslots.index_select(0, slot.reshape(-1)).view(slot.shape)


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
