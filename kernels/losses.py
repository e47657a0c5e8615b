"""Cross entropy over vocabularies of any size, forward and backward, without a probability in memory."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final, NamedTuple

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32, i32
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.exponentials import first_number, in_range, powers, sums_again
from freehold.kernels.kept import in_words, loaded, numbers
from freehold.kernels.operators import operator, wide_dtype
from freehold.kernels.rows import sums_of_exponentials
from freehold.kernels.schedules import PROCESSORS, ceildiv, compiled_in, hinted, power_of_two, rows
from freehold.kernels.tiles import LOG2E, accumulator, columns, exponential, part, places, quotient, safe, wide

REDUCTIONS: Final = ("none", "sum", "mean")

# --- Kernels ----------------------------------------------------------------------------------------------------------


@safe
def cross_entropy_rows(
    loss: Out["M"],
    lse: Out["M"],
    logits: Ref["M", "N"],
    target: Ref["M"],
    ignored: i32,
    smoothing: f32,
    W: Const[int],
    SMOOTH: Const[bool] = False,
    K: Const[int] = 0,
    N: Const[Any] = None,
):
    """
    loss = log(sum(exp(logits))) - logits[target], along rows.

    It is 0 where the target is `ignored`, and NaN where it is no column. With `SMOOTH`, a share `smoothing` of the
    target is spread evenly over all columns. `lse` is the logarithm. With `N` rows have that length.
    """
    (i,) = loss.index
    tile = (loss.tile[0], W)
    top, total = sums_of_exponentials(logits, i, tile, K)
    sums = (top + fh.log(total)).reshape(loss.tile)
    row = places(i * loss.tile[0], loss.tile[0])
    wanted = target.load((i,), loss.tile)
    at_target = wide(logits.gather(row, wanted, padding=float("nan")))
    found = sums - at_target
    if SMOOTH:
        straight = fh.zeros((tile[0], 1), accumulator(logits.dtype))
        for k in columns(logits, W, K):
            straight += wide(logits.load((i, k), tile)).sum(axis=1, keepdims=True)
        even = sums - straight.reshape(loss.tile) / logits.shape[1].astype(sums.dtype)
        found += smoothing.astype(sums.dtype) * (even - found)
    lse.store(sums)
    loss.store(fh.where(wanted == ignored, 0.0, found))


# freehold: W=256 U=2 S=256 N=1024
@safe
def cross_entropy_walked(
    loss: Out["M"],
    lse: Out["M"],
    logits: Ref["M", "N"],
    target: Ref["M"],
    ignored: i32,
    W: Const[int],
    U: Const[int],
    S: Const[int],
    N: Const[int],
):
    """
    As `cross_entropy_rows`, of rows of N, which are whole steps of U tiles of W, walked once, above their first number,
    while the next step is loaded. Those of which that gives no sum are walked in tiles of S.

    No more than one step is loaded ahead: where a step hands tiles on to the next one, as with two, the assembler
    (13.5.37) left the whole loop out of many kernels, and losses were wrong.
    """
    fh.static_assert(N % (W * U) == 0, "rows of whole steps")
    (i,) = loss.index
    wanted = target.load((i,), (1,), allow_tma=False)
    top = first_number(logits, (i, 0))
    base, sums = (top * LOG2E)[:, :, None], fh.zeros((1, W // 8), f32)

    def step(j: Any) -> Any:
        return tuple(loaded(logits, (i, j * U + u), (1, W)) for u in fh.static_range(U))

    tiles = step(0)
    for j in range(1, N // (W * U)):
        following = step(j)
        for u in fh.static_range(U):
            sums += powers(numbers(tiles[u], logits.dtype), base)
        tiles = following
    at_target = wide(logits.gather(places(i, 1), wanted, padding=float("nan")))
    for u in fh.static_range(U):
        sums += powers(numbers(tiles[u], logits.dtype), base)
    total = sums.sum(axis=1, keepdims=True)
    if not in_range(total):
        top, total = sums_again(logits, i, (1, S))
    found = (top + fh.log(total)).reshape(1)
    lse.store(found)
    loss.store(fh.where(wanted == ignored, 0.0, found - at_target))


# freehold: W=256 S=64 N=1024
@safe
def cross_entropy_turns(
    sums: Mut["B"],
    counts: Mut[i32, "B"],
    loss: Mut["M"],
    lse: Mut["M"],
    logits: Ref["M", "N"],
    target: Ref["M"],
    ignored: i32,
    share: i32,
    W: Const[int],
    S: Const[int],
    N: Const[int],
    at: fh.Grid = fh.Grid("cdiv(M, share)"),
):
    """
    As `cross_entropy_walked`, of `share` rows a block, each a few tiles of W. The next tile is always under way, of the
    next row, too; so is that row's target. `sums` are those of a block's losses, and `counts` how many targets of it
    count.

    Tiles are handed from one turn to the next as they were loaded: the assembler (13.5.37) leaves out loops that hand
    unpacked ones on.
    """
    fh.static_assert(N % W == 0, "rows of whole tiles")
    fh.require(share > 0, "a block has rows")
    fh.require("M <= 1073741824", "no number of rows wraps around")
    (block,) = at.index
    begin = block * share
    last = fh.minimum((block + 1) * share, logits.shape[0]) - 1

    def with_tile(sofar: Any, t: Any, top: Any) -> Any:
        return sofar + powers(numbers(in_words(t), logits.dtype), (top * LOG2E)[:, :, None])

    top, wanted = first_number(logits, (begin, 0)), target.load((begin,), (1,), allow_tma=False)
    tile = logits.load((begin, 0), (1, W), allow_tma=False)
    total_loss, count = fh.zeros((1,), f32), fh.zeros((1,), i32)
    for i in range(begin, min((block + 1) * share, logits.shape[0])):
        of_row = fh.zeros((1, W // 8), f32)
        for k in range(1, N // W):
            following = logits.load((i, k), (1, W), allow_tma=False)
            of_row = with_tile(of_row, tile, top)
            tile = following
        then = fh.minimum(i + 1, last)
        next_top, next_wanted = first_number(logits, (then, 0)), target.load((then,), (1,), allow_tma=False)
        following = logits.load((then, 0), (1, W), allow_tma=False)
        at_target = wide(logits.gather(places(i, 1), wanted, padding=float("nan")))
        total = with_tile(of_row, tile, top).sum(axis=1, keepdims=True)
        if not in_range(total):
            top, total = sums_again(logits, i, (1, S))
        found = (top + fh.log(total)).reshape(1)
        each = fh.where(wanted == ignored, 0.0, found - at_target)
        lse.at(i).store(found, allow_tma=False)
        loss.at(i).store(each, allow_tma=False)
        total_loss += each
        count += fh.where(wanted != ignored, 1, 0)
        tile, top, wanted = following, next_top, next_wanted
    sums.at(block).store(total_loss, allow_tma=False)
    counts.at(block).store(count, allow_tma=False)


def stacked(parts: Any) -> Any:
    """A power of two of rows, one upon the other."""
    for _ in fh.static_range(4):
        if len(parts) > 1:
            parts = tuple(
                fh.concatenate((parts[2 * j], parts[2 * j + 1]), axis=0) for j in fh.static_range(len(parts) // 2)
            )
    return parts[0]


# freehold: W=256 S=64 N=512 LATE=True
@safe
def cross_entropy_several(
    sums: Out["B"],
    counts: Out[i32, "B"],
    loss: Out["M"],
    lse: Out["M"],
    logits: Ref["M", "N"],
    target: Ref["M"],
    ignored: i32,
    W: Const[int],
    S: Const[int],
    N: Const[int],
    LATE: Const[bool],
):
    """
    As `cross_entropy_walked`, of some rows of N a block, which are loaded at once, as tiles of W. `sums` are those of a
    block's losses, and `counts` how many targets of it count. With `LATE` numbers at targets are asked for last.
    """
    fh.static_assert(N % W == 0, "rows of whole tiles")
    (i,) = loss.index
    R = loss.tile[0]
    row = places(i * R, R)
    wanted = target.load((i,), (R,), allow_tma=False)
    of_rows: Any = ()
    tops: Any = ()
    for r in fh.static_range(R):
        place = fh.minimum(i * R + r, logits.shape[0] - 1)
        tops = (*tops, first_number(logits, (place, 0)))
        tiles: Any = ()
        for k in fh.static_range(N // W):
            tiles = (*tiles, loaded(logits, (place, k), (1, W)))
        of_rows = (*of_rows, tiles)
    at_target: Any = None
    if not LATE:
        at_target = wide(logits.gather(row, wanted, padding=float("nan")))
    totals: Any = ()
    for r in fh.static_range(R):
        base, of_row = (tops[r] * LOG2E)[:, :, None], fh.zeros((1, W // 8), f32)
        for k in fh.static_range(N // W):
            of_row += powers(numbers(of_rows[r][k], logits.dtype), base)
        totals = (*totals, of_row.sum(axis=1, keepdims=True))
    if LATE:
        at_target = wide(logits.gather(row, wanted, padding=float("nan")))
    top, total = stacked(tops), stacked(totals)
    if not in_range(total):
        top, total = sums_again(logits, i, (R, S))
    found = (top + fh.log(total)).reshape(R)
    each = fh.where(wanted == ignored, 0.0, found - at_target)
    lse.store(found, allow_tma=False)
    loss.store(each, allow_tma=False)
    inside = row < logits.shape[0]
    sums.store(fh.where(inside, each, 0.0).sum().reshape(1))
    counts.store(fh.where(inside & (wanted != ignored), 1, 0).sum().reshape(1))


@safe
def cross_entropy_tiles_backward(
    dlogits: Out["M", "N"],
    dloss: Ref["S"],
    logits: Ref["M", "N"],
    target: Ref["M"],
    lse: Ref["M"],
    ignored: i32,
    smoothing: f32,
    EACH: Const[bool],
    N: Const[Any] = None,
):
    """
    dlogits = (softmax(logits) - target) * dloss, where the target has one 1 in a row, less what `smoothing` spreads.

    `dloss` has a number for each row, or with `EACH` false one for all. With `N` rows have that length.
    """
    m, n = dlogits.index
    high, width = dlogits.tile
    dtype = accumulator(logits.dtype)
    wanted = target.load((m,), (high,))[:, None]
    if EACH:
        scale = dloss.load((m,), (high,))[:, None].astype(dtype)
    else:
        scale = dloss.load(0, ()).astype(dtype)
    scale = fh.where(wanted == ignored, 0.0, scale)
    p = exponential(part(logits, (m, n), dlogits.tile) - lse.load((m,), (high,))[:, None])
    share = smoothing.astype(dtype)
    hit = fh.where(places(n * width, width)[None, :] == wanted, 1.0 - share, 0.0)
    t = (p - hit - share / logits.shape[1].astype(dtype)) * scale
    dlogits.store(t.astype(dlogits.dtype), allow_tma=False)


@safe
def sum_of_losses(
    y: Out[2], result: Out[1], loss: Ref["M"], target: Ref["M"], ignored: i32, MEAN: Const[bool], W: Const[int] = 1024
):
    """
    result = sum(loss) and y = (result, 1), or with `MEAN` both numbers by the number of rows that count; in one block.
    """
    total, count = fh.zeros((W,), accumulator(loss.dtype)), fh.zeros((W,), i32)
    for k in fh.tiles(loss, axis=0, size=W):
        inside = places(k * W, W) < loss.shape[0]
        total += wide(loss.load((k,), (W,), allow_tma=False))
        count += fh.where(inside & (target.load((k,), (W,), allow_tma=False) != ignored), 1, 0)
    stored(y, result, total.sum(), count.sum(), MEAN)


@safe
def sum_of_parts(
    y: Out[2], result: Out[1], sums: Ref["B"], counts: Ref[i32, "B"], MEAN: Const[bool], W: Const[int] = 1024
):
    """As `sum_of_losses`, of the sums and counts of parts."""
    total, count = fh.zeros((W,), accumulator(sums.dtype)), fh.zeros((W,), i32)
    for k in fh.tiles(sums, axis=0, size=W):
        total += wide(sums.load((k,), (W,), allow_tma=False))
        count += counts.load((k,), (W,), allow_tma=False)
    total, count = fh.reduce((total, count), lambda a, b: (a[0] + b[0], a[1] + b[1]), (0.0, 0), axis=0)
    stored(y, result, total, count, MEAN)


def stored(y: Any, result: Any, total: Any, count: Any, MEAN: bool) -> None:
    """What `sum_of_losses` stores."""
    by = quotient(1.0, count.astype(total.dtype)) if MEAN else fh.ones((), total.dtype)
    total = total * by if MEAN else total
    y.store(fh.where(fh.arange(2) == 0, total, by))
    result.store(total.reshape(1))


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def cross_entropy(
    logits: Tensor, target: Tensor, *, ignore_index: int = -100, label_smoothing: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """
    The cross entropy of each row of `logits` (M, N) against its column `target` (M, integers), as
    `torch.nn.functional.cross_entropy`; differentiable in `logits`.

    Computed and returned in float32, or float64 for float64. Rows whose target is `ignore_index` count as 0, and not
    for the mean; a target that is neither that nor a column gives NaN. `reduction` is "mean", "sum" or "none". The
    gradient is computed from the logits, in one pass, when it is asked for. Raises `ValueError` for other reductions
    and shapes.
    """
    if reduction not in REDUCTIONS:
        raise ValueError(f"`reduction` is one of {REDUCTIONS}, not {reduction!r}")
    return _cross_entropy(logits, target, ignore_index, label_smoothing, reduction)[0]


# --- Operators --------------------------------------------------------------------------------------------------------


def _results(logits: Any, target: Any, ignored: int, smoothing: float, reduction: str) -> tuple[Any, ...]:
    dtype = wide_dtype(logits)
    each = logits.new_empty((logits.shape[0],), dtype=dtype)
    shape = (logits.shape[0],) if reduction == "none" else ()
    return logits.new_empty(shape, dtype=dtype), each, logits.new_empty((2,), dtype=dtype)


@operator(
    "cross_entropy(Tensor logits, Tensor target, int ignored, float smoothing, str reduction)"
    " -> (Tensor, Tensor, Tensor)",
    results=_results,
    takes={"logits": "M N floats", "target": "M integers"},
)
def _cross_entropy(
    loss: Any,
    lse: Any,
    both: Any,
    logits: Any,
    target: Any,
    ignored: int,
    smoothing: float,
    reduction: str,
) -> None:
    each = loss if reduction == "none" else lse.new_empty(lse.shape)
    parts = _each_loss(each, lse, logits, target, ignored, smoothing)
    if reduction == "none":
        both.fill_(1)
        return
    many = parts is not None and parts[0].shape[0] > _WARPS * PROCESSORS
    kernel = hinted(sum_of_losses if parts is None else sum_of_parts, {"num_worker_warps": 16 if many else 32})
    given = (each, target, ignored) if parts is None else parts
    width = min(_SUMMED, power_of_two(given[0].shape[0]))
    kernel(fh.partition(both, 2), fh.partition(loss.view(1), 1), *given, reduction == "mean", width).on()


_SUMMED: Final = 8192
"""Losses, or sums of blocks, that are added at once, at most."""

_SHORT: Final = 8192
"""Elements of a row, at most, of which a block has several; it has so many elements."""


class Walk(NamedTuple):
    """How long rows are walked: the width of a tile, tiles at a time, warps, and blocks a multiprocessor."""

    width: int
    at_once: int
    warps: int
    occupancy: int

    @property
    def hints(self) -> dict[str, int]:
        """The kernel's hints."""
        return {"num_worker_warps": self.warps, "occupancy": self.occupancy, "begin_early": True}

    @property
    def constants(self) -> tuple[int, int, int]:
        """The kernel's `W`, `U` and `S`."""
        return self.width, self.at_once, 256 * self.warps


WALKS: Final = (
    (4 * PROCESSORS, Walk(4096, 1, 16, 2)),
    (6 * PROCESSORS, Walk(2048, 2, 4, 6)),
    (7 * PROCESSORS, Walk(4096, 1, 4, 8)),
    (8 * PROCESSORS, Walk(2048, 2, 8, 4)),
    (1 << 31, Walk(2048, 1, 4, 8)),
    (1 << 31, Walk(1024, 1, 2, 16)),
)
"""
The first of these is taken that is for as many rows, at most, which are whole steps: as many blocks as run at once.
Measured on an H200, bf16.
"""


def walk_of(count: int, length: int) -> Walk | None:
    """How so many rows are walked, if they are long, and whole steps."""
    if length < 2 * _SHORT:
        return None
    return next((w for most, w in WALKS if count <= most and length % (w.width * w.at_once) == 0), None)


class Turns(NamedTuple):
    """How blocks walk some rows each: the width of a tile, and warps."""

    width: int
    warps: int

    @property
    def hints(self) -> dict[str, int]:
        """The kernel's hints: 64 registers a thread, of which a multiprocessor holds 32 warps."""
        return {"num_worker_warps": self.warps, "occupancy": min(8, _WARPS // self.warps), "begin_early": True}

    @property
    def constants(self) -> tuple[int, int]:
        """The kernel's `W` and `S`; what a second walk keeps in registers is not to drive out what is under way."""
        return self.width, 64 if self.warps == 1 else 256 * self.warps

    def share(self, count: int) -> int:
        """How many of so many rows a block has, so that all blocks run at once."""
        return ceildiv(count, _WARPS // self.warps * PROCESSORS)


_WARPS: Final = 32
"""Warps of a multiprocessor, of 64 registers a thread."""

TURNS: Final = (
    (32768, 1 << 31, 8192, Turns(8192, 8)),
    (16384, 16384, 16384, Turns(8192, 8)),
    (_SHORT + 1, 1 << 31, 2048, Turns(4096, 4)),
    (4097, 2 * _SHORT - 1, 1024, Turns(1024, 2)),
    (1025, 4095, 512, Turns(512, 1)),
    (1, 2047, 256, Turns(256, 1)),
)
"""
The first of these is taken that is for rows as long, at least and at most, of a multiple of this length; with narrower
tiles where rows are not whole ones. Measured on an H200, bf16.
"""


def turns_of(count: int, length: int) -> Turns | None:
    """How so many rows are walked by blocks that have several; None where they are few, or fill blocks as they are."""
    if count <= (8 if length >= 2 * _SHORT else 16) * PROCESSORS or _SHORT % length == 0:
        return None
    fit = (way for least, most, even, way in TURNS if least <= length <= most and length % even == 0)
    found = next(fit, None)
    return found and found._replace(width=min(found.width, length & -length))


def _each_loss(loss: Any, lse: Any, logits: Any, target: Any, ignored: int, smoothing: float) -> Any:
    """Computes the loss and the logarithm of each row; returns sums of them by blocks, and counts, if there are any."""
    M, N = logits.shape
    narrow, length = smoothing == 0 and logits.dtype.itemsize == 2, compiled_in(N)

    def by_blocks(high: int) -> tuple[Any, Any]:
        sums = lse.new_empty((ceildiv(M, high),))
        return sums, target.new_empty(sums.shape, dtype=import_module("torch").int32)

    if narrow and length and (way := turns_of(M, N)):
        share = way.share(M)
        parts = by_blocks(share)
        outs = (fh.partition(t, 1) for t in (*parts, loss, lse))
        hinted(cross_entropy_turns, way.hints)(*outs, logits, target, ignored, share, *way.constants, N).on()
        return parts
    if narrow and length and N <= _SHORT and M >= 16 * PROCESSORS:
        high = min(16 if N <= 512 else 8, power_of_two(_SHORT // N + 1) // 2)
        parts = by_blocks(high)
        hints = {"num_worker_warps": 1, "occupancy": 16 if 512 < N <= 2048 else 8, "begin_early": True}
        kernel = hinted(cross_entropy_several, hints)
        outs = (fh.partition(t, size) for t, size in zip((*parts, loss, lse), (1, 1, high, high), strict=True))
        width = 256 if N <= 2048 else N & -N
        kernel(*outs, logits, target, ignored, width, 256 // high, N, N <= 4096).on()
        return parts
    if narrow and (walk := walk_of(M, N)):
        kernel = hinted(cross_entropy_walked, walk.hints)
        kernel(fh.partition(loss, 1), fh.partition(lse, 1), logits, target, ignored, *walk.constants, N).on()
        return None
    plan = rows(M, N)
    if not plan.tiles:  # walked once, by TMA, and nothing is written
        plan = plan._replace(tile=(1, 8192), warps=4, occupancy=4)
    kernel = hinted(cross_entropy_rows, plan.hints)
    outs = (fh.partition(t, plan.tile[0]) for t in (loss, lse))
    kernel(*outs, logits, target, ignored, smoothing, plan.tile[1], smoothing != 0, *plan.constants).on()
    return None


@operator(
    "cross_entropy_backward(Tensor dloss, Tensor logits, Tensor target, Tensor lse, int ignored, float smoothing)"
    " -> Tensor",
    results=lambda dloss, logits, target, lse, ignored, smoothing: logits.new_empty(logits.shape),
)
def _cross_entropy_backward(
    dlogits: Any, dloss: Any, logits: Any, target: Any, lse: Any, ignored: int, smoothing: float
) -> None:
    tile = 1, min(4096, power_of_two(logits.shape[1]))
    kernel = hinted(cross_entropy_tiles_backward, {"occupancy": 4})
    kernel(
        fh.partition(dlogits, tile),
        dloss.contiguous(),
        logits,
        target,
        lse,
        ignored,
        smoothing,
        dloss.shape[0] == logits.shape[0] and logits.shape[0] > 1,
        compiled_in(logits.shape[1]),
    ).on()


@_cross_entropy.backward(keeps=lambda inputs, output: (*inputs[:2], *output[1:]))
def _gradients(ctx: Any, dloss: Any, *_: Any) -> tuple[Any, ...]:
    logits, target, lse, both = ctx.saved_tensors
    ignored, smoothing, reduction = ctx.arguments
    scale = dloss if reduction == "none" else (dloss * both[1]).reshape(1)
    return _cross_entropy_backward(scale, logits, target, lse, ignored, smoothing), None, None, None, None
