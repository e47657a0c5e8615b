"""Drawing tokens from logits over vocabularies of any size: greedy, temperature, top-k, top-p, min-p, by a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import freehold as fh
from freehold import Const, Out, Ref, f32, i32, i64
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.operators import operator
from freehold.kernels.orders import MOST, columns_of, group_of, groups_launch, is_short, order_of, value_of
from freehold.kernels.rows import sums_of_exponentials
from freehold.kernels.schedules import PROCESSORS, ceildiv, hinted, power_of_two
from freehold.kernels.tiles import exponential, places, safe, wide

# --- Kernels ----------------------------------------------------------------------------------------------------------


def weight_at(x: Any, row: Any, W: int, cuts: Any, top: Any, rate: Any, COUNT: bool) -> Any:
    """For each of the cuts, how many elements of a row are there or above; or the sum of their exponentials."""
    sums = tuple(fh.zeros((1, W), f32) for _ in cuts)
    for k in fh.tiles(x, axis=1, size=W):
        t = x.load((row, k), (1, W), padding="-inf")
        found = order_of(t)
        one = fh.ones((1, W), f32) if COUNT else exponential((t.astype(f32) - top) * rate)
        one = fh.where(places(k * W, W)[None, :] < x.shape[1], one, 0.0)
        sums = tuple(s + fh.where(found >= cut, one, 0.0) for s, cut in zip(sums, cuts))  # noqa: B905 -- no keyword
    return tuple(s.sum() for s in sums)


def weight_of(found: Any, weights: Any, cuts: Any) -> Any:
    """The same of elements in registers, of which each weighs something."""
    return tuple(fh.where(found >= cut, weights, 0.0).sum() for cut in cuts)


def members(x: Any, row: Any, tops: Any, G: int) -> tuple[Any, Any, Any]:
    """
    The elements of the `MOST` groups of G whose ranks are first; 1 where there is one; and whether all elements of a
    number are among them, as a function of the number.
    """
    column = columns_of(tops, MOST, MOST, G, is_short(x.dtype))
    there = fh.where(column < x.shape[1], 1.0, 0.0)

    def complete(number: Any) -> Any:
        return fh.where(tops <= -1 - number.astype(i32), 1, 0).sum() <= MOST

    return x.gather(row, column, padding=float("-inf")), there, complete


def threshold(weight: Callable[[Any], Any], low: Any, high: Any, wanted: Any) -> Any:
    """
    The largest number from `low` up to `high` at or above which elements weigh `wanted` or more; `low` if none.

    Numbers are those of `order_of`; `weight(cuts)` is what weighs at or above each of three. Each turn quarters what is
    left, so there are at most 16, of 16-bit floats 8.
    """
    while high - low > 1:
        quarter = fh.maximum((high - low) // 4, 1)
        cuts = low + quarter, fh.minimum(low + 2 * quarter, high - 1), fh.minimum(low + 3 * quarter, high - 1)
        one, two, three = weight(tuple(c.astype(i32) for c in cuts))
        # What is not a number weighs too little, so that each turn leaves less.
        upper = high if three >= wanted else cuts[2] if two >= wanted else cuts[1] if one >= wanted else cuts[0]
        low = cuts[2] if three >= wanted else cuts[1] if two >= wanted else cuts[0] if one >= wanted else low
        high = upper
    return low


@safe
def sampling_thresholds(
    least: Out[i32, "M"],
    x: Ref["M", "N"],
    firsts: Ref[i32, "M", "S"],
    temperature: Ref[f32, "M"],
    top_k: Ref["M"],
    top_p: Ref[f32, "M"],
    min_p: Ref[f32, "M"],
    W: Const[int],
    G: Const[int],
    P: Const[int],
    TOP_K: Const[bool] = False,
    TOP_P: Const[bool] = False,
    MIN_P: Const[bool] = False,
):
    """
    The number, as `order_of` has it, at or above which a row's elements may be drawn.

    First those count that are among the `top_k` largest, then of these the largest which together have a share `top_p`
    of what these weigh, or a little more; and those that are `min_p` times as likely as the largest, or more.

    `firsts` are the ranks that `first_of_groups` finds of each G elements, P at most. Up to `MOST` of the largest are
    in as many groups, which are looked at in registers; for more of them, or where more equal the last of them, rows
    are walked.
    """
    fh.require("S <= P", "a row's groups fit a tile")
    fh.require(fh.cdiv(x.shape[1], G) == firsts.shape[1], "each group has a rank")
    (m,) = least.index
    row = places(m, 1)[:, None]
    tops = firsts.load((m, 0), (1, P), allow_tma=False)
    tops = fh.where(places(0, P)[None, :] < firsts.shape[1], tops, 32767 if is_short(x.dtype) else 2147483647)
    top = value_of((-1 - tops.min()).reshape(1, 1), x.dtype).astype(f32).item()
    rate = 1.0 / fh.maximum(temperature.load(m, ()), 1e-6)
    low = order_of(fh.full((1, 1), float("-inf"), f32).astype(x.dtype)).item().astype(i64)
    high = order_of(top.reshape(1, 1).astype(x.dtype)).item().astype(i64) + 1
    shared, share = False, top_p.load(m, ())
    if TOP_K:
        count = top_k.load(m, ()).astype(i64)
        if (count > 0) & (count < x.shape[1]):
            if count <= MOST:
                t, there, complete = members(x, row, tops, G)
                found = order_of(t)
                low = threshold(lambda cuts: weight_of(found, there, cuts), low, high, count.astype(f32))
                if TOP_P and (share < 1.0) & complete(low):
                    weights = there * exponential((t.astype(f32) - top) * rate)
                    (whole,) = weight_of(found, weights, (low.astype(i32),))
                    low = threshold(lambda cuts: weight_of(found, weights, cuts), low, high, share * whole)
                    shared = True
            else:
                low = threshold(lambda cuts: weight_at(x, m, W, cuts, top, rate, True), low, high, count.astype(f32))
    if TOP_P and (share < 1.0) & (not shared):
        (whole,) = weight_at(x, m, W, (low.astype(i32),), top, rate, False)
        low = threshold(lambda cuts: weight_at(x, m, W, cuts, top, rate, False), low, high, share * whole)
    if MIN_P:
        share = fh.log(min_p.load(m, ())) / rate + top
        low = fh.maximum(low, order_of(share.reshape(1, 1).astype(x.dtype)).item().astype(i64))
    least.store(low.astype(i32)[None])


@safe
def sample_parts(
    score: Out[f32, "M", "P"],
    where: Out[i32, "M", "P"],
    x: Ref["M", "N"],
    least: Ref[i32, "M"],
    temperature: Ref[f32, "M"],
    seeds: Ref[i64, "M"],
    W: Const[int],
    CUT: Const[bool] = False,
    DRAW: Const[bool] = True,
    EACH: Const[bool] = False,
):
    """
    The largest of a row's logits over its temperature, with a number of the Gumbel distribution added, in P parts.

    So each is the largest as often as softmax says. Part p has every P-th tile of W columns. A temperature of 0 adds
    nothing, nor is anything added without `DRAW`. With `CUT` only numbers of `least` and above count. The numbers are
    made of the row's seed, the column and, unless `EACH` row has a seed of its own, the row.
    """
    m, p = score.index
    warm, seed = temperature.load(m, ()), seeds.load(m, ())
    rate = 1.0 / warm if DRAW else 1.0
    best = fh.full((1, W), float("-inf"), f32)
    found = fh.full((1, W), 2147483647, i32)
    for k in fh.tiles(x, axis=1, size=W, start=p, step=score.shape[1]):
        t = x.load((m, k), (1, W), padding="-inf")
        column = places(k * W, W)[None, :]
        s = t.astype(f32)
        if CUT:
            s = fh.where(order_of(t) >= least.load(m, ()), s, float("-inf"))
        if DRAW and warm > 0.0:
            counter = column.astype(i64) if EACH else column.astype(i64) + (m.astype(i64) << 32)
            uniform = (fh.random_bits(seed, counter).astype(f32) + 0.5) * 2.0**-32
            s = s * rate - fh.log(-fh.log1p(-fh.minimum(uniform, 1.0 - 2.0**-24)))
        s = fh.where(column < x.shape[1], s, float("-inf"))
        higher = (s > best) | ((found == 2147483647) & (column < x.shape[1]))
        best, found = fh.where(higher, s, best), fh.where(higher, column, found)
    top = best.max()
    score.store(top.reshape(1, 1))
    where.store(fh.where(best == top, found, 2147483647).min().reshape(1, 1))


@safe
def sample_merge(y: Out["M"], score: Ref[f32, "M", "P"], where: Ref[i32, "M", "P"], W: Const[int]):
    """Of each row's parts the column that has the largest score, and of equals the first."""
    (m,) = y.index
    best = score.load((m, 0), (y.tile[0], W), padding="-inf")
    found = where.load((m, 0), (y.tile[0], W))
    found = fh.where(places(0, W)[None, :] < score.shape[1], found, 2147483647)
    fh.require("P <= W", "a row fits a tile")
    found = fh.where(best == best.max(axis=1, keepdims=True), found, 2147483647)
    y.store(found.min(axis=1).astype(y.dtype))


@safe
def logprob_rows(y: Out["M"], logits: Ref["M", "N"], ids: Ref["M"], W: Const[int]):
    """y = logits[ids] - log(sum(exp(logits))), along rows; NaN where that is no column."""
    (m,) = y.index
    tile = (y.tile[0], W)
    top, total = sums_of_exponentials(logits, m, tile, 0)
    row = places(m * y.tile[0], y.tile[0])
    taken = wide(logits.gather(row, ids.load((m,), y.tile), padding=float("nan")))
    y.store(taken - (top + fh.log(total)).reshape(y.tile))


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def sample(
    logits: Tensor,
    *,
    seed: Any,
    temperature: Any = 1.0,
    top_k: Any = None,
    top_p: Any = None,
    min_p: Any = None,
) -> Tensor:
    """
    Draws a column of each row of `logits` (M, N; f32, bf16 or f16), as often as softmax says: (M,) in int64.

    `temperature` divides the logits first; 0 takes the largest, and of equals the first. `top_k` leaves the so many
    largest (and what equals the last of them; 0: all), `top_p` of these the likeliest that have such a share of what is
    left, and `min_p` those that are so many times as likely as the likeliest. Each is a number, or a tensor (M,) with
    one for every row, which a graph may replay with other ones. What is drawn depends on `seed`, a whole number or a
    tensor (M,) of int64: give each draw another one. With one seed, rows draw by themselves; where each row has a seed,
    what it draws does not depend on its place. The same is drawn in every schedule. A row of -inf alone gives any
    column. No gradients.
    """
    M = _checked(logits)
    full = _per_row(logits, M)
    f, i = "float32", "int32"
    greedy = isinstance(temperature, int | float) and temperature <= 0
    given = (None if greedy or t is None else full(t, d) for t, d in ((top_k, i), (top_p, f), (min_p, f)))
    seeds = full(seed, "int64")
    return _sample(logits, full(temperature, f), *given, seeds, not greedy, not isinstance(seed, int))


@function()
def greedy(logits: Tensor) -> Tensor:
    """The column of each row of `logits` (M, N) that is largest, and of equals the first: (M,) in int64."""
    return sample(logits, seed=0, temperature=0)


@function()
def logprobs(logits: Tensor, ids: Tensor) -> Tensor:
    """
    The logarithm of the softmax of each row of `logits` (M, N) at its column `ids` (M, integers): (M,) in float32.

    NaN where that is no column. No gradients: `cross_entropy` with `reduction="none"` is the same below zero.
    """
    _checked(logits)
    return _logprobs(logits, ids)


def _checked(logits: Any) -> int:
    if logits.dim() != 2:
        raise ValueError(f"logits are (M, N), not {tuple(logits.shape)}")
    if not logits.is_floating_point() or logits.element_size() > 4:
        raise ValueError(f"logits are f32, bf16 or f16, not {logits.dtype}")
    return logits.shape[0]


def _per_row(logits: Any, count: int) -> Any:
    from freehold.kernels.operators import _torch  # pyright: ignore[reportPrivateUsage] -- the library's own

    torch = _torch()

    def full(value: Any, dtype: str) -> Any:
        kind = getattr(torch, dtype)
        if isinstance(value, torch.Tensor):
            return value.to(kind)
        return torch.full((count,), value, dtype=kind, device=logits.device)

    return full


# --- Operators --------------------------------------------------------------------------------------------------------

_WIDTH: Final = 2048
"""Columns of a tile, at most."""

_EIGHT_WARPS: Final = {"num_worker_warps": 8, "occupancy": 4}
"""What draws fastest on an H200 from 151,936 columns: of 64 rows in 0.73 of the time that it takes without hints."""


@operator(
    "sample(Tensor logits, Tensor temperature, Tensor? top_k, Tensor? top_p, Tensor? min_p, Tensor seeds, bool draw,"
    " bool each) -> Tensor",
    results=lambda logits, temperature, top_k, top_p, min_p, seeds, draw, each: seeds.new_empty((logits.shape[0],)),
    takes={
        "logits": "M N floats",
        "temperature": "M floats",
        "top_k": "M integers",
        "top_p": "M floats",
        "min_p": "M floats",
        "seeds": "M integers",
    },
)
def _sample(
    ids: Any,
    logits: Any,
    temperature: Any,
    top_k: Any,
    top_p: Any,
    min_p: Any,
    seeds: Any,
    draw: bool,
    each: bool,
) -> None:
    least = temperature.new_empty((logits.shape[0],)).int()
    score = temperature.new_empty((logits.shape[0], parts_of(*logits.shape)))
    firsts = least.new_empty((logits.shape[0], groups_of(logits.shape[1])))
    room = least, score, least.new_empty(score.shape), firsts
    for launch in sampling_launches(ids, room, logits, temperature, (top_k, top_p, min_p), seeds, draw, each):
        launch.on()


def parts_of(rows: int, columns: int) -> int:
    """Parts into which each row is cut, so that all multiprocessors look."""
    return max(1, min(ceildiv(columns, min(_WIDTH, power_of_two(columns))), ceildiv(4 * PROCESSORS, rows)))


def groups_of(columns: int) -> int:
    """Groups of neighbours in a row, of which only the largest is looked at first."""
    return ceildiv(columns, group_of(columns))


def sampling_launches(
    ids: Any,
    room: tuple[Any, Any, Any, Any],
    logits: Any,
    temperature: Any,
    limits: tuple[Any, Any, Any],
    seeds: Any,
    draw: bool,
    each: bool,
) -> Iterator[Any]:
    """
    The launches that write a column of each row of `logits` (M, N) to `ids` (M,), for tensors of any library.

    `limits` are top_k, top_p and min_p, None for what nobody asks for. `room` is theirs: (M,) in i32, (M, P) in f32,
    (M, P) in i32 and (M, S) in i32, where P is `parts_of(M, N)` and S `groups_of(N)`.
    """
    (least, score, where, firsts), N = room, logits.shape[1]
    rules = [limit is not None for limit in limits]
    if any(rules):
        given = [other if t is None else t for t, other in zip(limits, (seeds, temperature, temperature), strict=True)]
        sizes = min(2 * _WIDTH, power_of_two(N)), group_of(N), power_of_two(firsts.shape[1])
        yield groups_launch(firsts, logits, sizes[1])
        kernel = hinted(sampling_thresholds, _EIGHT_WARPS)
        yield kernel(fh.partition(least, 1), logits, firsts, temperature, *given, *sizes, *rules)
    parts = fh.partition(score, (1, 1)), fh.partition(where, (1, 1))
    width = min(_WIDTH, power_of_two(N))
    kernel = hinted(sample_parts, _EIGHT_WARPS) if draw else sample_parts
    yield kernel(*parts, logits, least, temperature, seeds, width, any(rules), draw, each)
    yield sample_merge(fh.partition(ids, 1), score, where, power_of_two(score.shape[1]))


@operator(
    "logprobs(Tensor logits, Tensor ids) -> Tensor",
    results=lambda logits, ids: logits.new_empty((logits.shape[0],)).float(),
    takes={"logits": "M N floats", "ids": "M integers"},
)
def _logprobs(y: Any, logits: Any, ids: Any) -> None:
    width = min(2 * _WIDTH, power_of_two(logits.shape[1]))
    kernel = hinted(logprob_rows, {"num_worker_warps": 4, "occupancy": 4})
    kernel(fh.partition(y, 1), logits, ids, width).on()
