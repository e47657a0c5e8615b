"""Cross entropy over vocabularies of any size, forward and backward, without a probability in memory."""

from __future__ import annotations

from typing import Any, Final

import freehold as fh
from freehold import Const, Out, Ref, f32, i32
from freehold.kernels.operators import operator, wide_dtype
from freehold.kernels.rows import sums_of_exponentials
from freehold.kernels.schedules import compiled_in, hinted, power_of_two, rows
from freehold.kernels.tiles import accumulator, columns, exponential, part, places, safe, wide

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
def sum_of_losses(y: Out[2], loss: Ref["M"], target: Ref["M"], ignored: i32, MEAN: Const[bool], W: Const[int] = 1024):
    """y = (sum(loss), 1), or with `MEAN` that by the number of rows that count, and 1 by it; in one block."""
    dtype = accumulator(loss.dtype)
    total, count = fh.zeros((W,), dtype), fh.zeros((W,), i32)
    for k in fh.tiles(loss, axis=0, size=W):
        inside = places(k * W, W) < loss.shape[0]
        total += wide(loss.load((k,), (W,)))
        count += fh.where(inside & (target.load((k,), (W,)) != ignored), 1, 0)
    by = 1.0 / count.sum().astype(dtype) if MEAN else fh.ones((), dtype)
    y.store(fh.where(fh.arange(2) == 0, total.sum() * by if MEAN else total.sum(), by))


# --- Functions --------------------------------------------------------------------------------------------------------


def cross_entropy(
    logits: Any, target: Any, *, ignore_index: int = -100, label_smoothing: float = 0.0, reduction: str = "mean"
) -> Any:
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
    if logits.dim() != 2 or tuple(target.shape) != (logits.shape[0],):
        raise ValueError(f"logits are (M, N) and targets (M,), not {tuple(logits.shape)} and {tuple(target.shape)}")
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
    way = rows(*logits.shape)
    if not way.tiles:  # walked once, by TMA, and nothing is written
        way = way._replace(tile=(1, 8192), warps=4, occupancy=4)
    each = loss if reduction == "none" else lse.new_empty(lse.shape)
    parts = (fh.partition(t, way.tile[0]) for t in (each, lse))
    kernel = hinted(cross_entropy_rows, way.hints)
    kernel(*parts, logits, target, ignored, smoothing, way.tile[1], smoothing != 0, *way.constants).on()
    if reduction == "none":
        both.fill_(1)
    else:
        sum_of_losses(fh.partition(both, 2), each, target, ignored, reduction == "mean", 1024).on()
        loss.copy_(both[0])


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
