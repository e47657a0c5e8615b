"""Softmax and its logarithm along rows of any length, forward and backward."""

from __future__ import annotations

from typing import Any

import freehold as fh
from freehold import Const, Out, Ref
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.kept import softmax_launch
from freehold.kernels.operators import as_rows, operator
from freehold.kernels.reloaded import softmax_reloaded_launch
from freehold.kernels.row_schedules import Kept, Reloaded, way_of
from freehold.kernels.schedules import cut, hinted, rows
from freehold.kernels.tiles import (
    above,
    accumulator,
    after_held,
    columns,
    exponential,
    part,
    quotient,
    safe,
    softened,
    wide,
)


def sums_of_exponentials(x: Any, i: Any, tile: tuple[int, ...], K: int) -> tuple[Any, Any]:
    """
    Of row tile `i`: each row's maximum, or 0 where that is -inf, and the sum of the exponentials of what is below it.

    Both are columns. Rows in registers are walked twice; others once, where a new maximum scales what was summed up.
    """
    dtype = accumulator(x.dtype)
    top, total = fh.full((tile[0], 1), float("-inf"), dtype), fh.zeros((tile[0], 1), dtype)
    if K:
        most, sums = fh.full(tile, float("-inf"), dtype), fh.zeros(tile, dtype)
        for k in columns(x, tile[1], K):
            most = fh.maximum(most, part(x, (i, k), tile, "-inf"))
        top = most.max(axis=1, keepdims=True)
        for k in columns(x, tile[1], K):
            sums += exponential(part(x, (i, k), tile, "-inf") - above(top))
        total = sums.sum(axis=1, keepdims=True)
    else:
        for k in columns(x, tile[1], K):
            t = wide(x.load((i, k), tile, padding="-inf"))
            higher = fh.maximum(top, t.max(axis=1, keepdims=True))
            added = exponential(t - above(higher)).sum(axis=1, keepdims=True)
            total = total * exponential(top - above(higher)) + added
            top = higher
    return above(top), total


def sums_of_groups(x: Any, i: Any, tile: tuple[int, ...], N: Any, H: int) -> tuple[Any, Any, Any]:
    """
    The same in one walk, in which each 8 neighbours, that one thread has, keep a maximum and a sum of their own; and
    the first H tiles as they are in memory, which are looked at last.
    """
    high, width = tile
    G, dtype = min(8, width), accumulator(x.dtype)
    most, sums = fh.full((high, width // G, 1), float("-inf"), dtype), fh.zeros((high, width // G, 1), dtype)
    for k in after_held(x, width, 0, N, H):
        most, sums = with_tile(most, sums, part(x, (i, k), tile, "-inf"), G)
    kept: Any = ()
    for k in fh.static_range(H):
        kept = (*kept, x.load((i, k), tile, allow_tma=False))
        most, sums = with_tile(most, sums, wide(kept[k]), G)
    top = above(most.max(axis=1, keepdims=True))
    total = (sums * exponential(most - top)).sum(axis=1, keepdims=True)
    return top.reshape(high, 1), total.reshape(high, 1), kept


def with_tile(most: Any, sums: Any, t: Any, G: int) -> tuple[Any, Any]:
    """The maxima of groups of G neighbours, and their sums of exponentials, with those of one more tile."""
    t = t.reshape(t.shape[0], t.shape[1] // G, G)
    higher = fh.maximum(most, t.max(axis=2, keepdims=True))
    base = above(higher)
    return higher, sums * exponential(most - base) + exponential(t - base).sum(axis=2, keepdims=True)


@safe
def softmax_rows(
    y: Out["M", "N"],
    x: Ref["M", "N"],
    LOG: Const[bool] = False,
    K: Const[int] = 0,
    N: Const[Any] = None,
    H: Const[int] = 0,
):
    """
    y = exp(x) / sum(exp(x)) along rows, or its logarithm. With `N` rows have that length; with `H` so many tiles of
    rows that are loaded again stay in registers.
    """
    (i,) = y.index
    top, total, kept = (*sums_of_exponentials(x, i, y.tile, K), ()) if K else sums_of_groups(x, i, y.tile, N, H)
    scale, less = quotient(1.0, total), fh.log(total)
    for k in fh.static_range(H):
        t = wide(kept[k])
        y.at(k).store(softened(t, top, scale, less, LOG).astype(y.dtype), allow_tma=False)
    for k in after_held(y, y.tile[1], K, N, H, back=True):
        t = part(x, (i, k), y.tile, "-inf")
        y.at(k).store(softened(t, top, scale, less, LOG).astype(y.dtype), allow_tma=False)


@safe
def softmax_rows_backward(
    dx: Out["M", "N"],
    dy: Ref["M", "N"],
    y: Ref["M", "N"],
    LOG: Const[bool] = False,
    K: Const[int] = 0,
    N: Const[Any] = None,
):
    """dx = y * (dy - sum(dy * y)) along rows; of the logarithm dx = dy - exp(y) * sum(dy)."""
    (i,) = dx.index
    dots = fh.zeros(dx.tile, accumulator(dx.dtype))
    for k in columns(dx, dx.tile[1], K):
        g = part(dy, (i, k), dx.tile)
        dots += g if LOG else g * part(y, (i, k), dx.tile)
    dot = dots.sum(axis=1, keepdims=True)
    for k in columns(dx, dx.tile[1], K, back=True):
        g, t = part(dy, (i, k), dx.tile), part(y, (i, k), dx.tile)
        dx.at(k).store((g - exponential(t) * dot if LOG else t * (g - dot)).astype(dx.dtype), allow_tma=False)


@function()
def softmax(x: Tensor, dim: int = -1) -> Tensor:
    """
    exp(x) / sum(exp(x)) along `dim`, as `torch.softmax`, in the shape and dtype of `x`; differentiable.

    Computed in float32, or float64 for float64. A row of -inf alone gives NaN. Only the last axis is walked without a
    copy.
    """
    return _along_last(_softmax, x, dim, False)


@function()
def log_softmax(x: Tensor, dim: int = -1) -> Tensor:
    """The logarithm of `softmax(x, dim)`, as `torch.log_softmax`, without the loss of small ones; differentiable."""
    return _along_last(_softmax, x, dim, True)


def _along_last(function: Any, x: Any, dim: int, log: bool) -> Any:
    if dim in (-1, x.dim() - 1):
        return function(x, log)
    return function(x.transpose(dim, -1), log).transpose(dim, -1)


def _like(x: Any, *_: Any) -> Any:
    return x.new_empty(x.shape)


@operator("softmax(Tensor x, bool log) -> Tensor", results=_like, takes={"x": "... N floats"})
def _softmax(y: Any, x: Any, log: bool) -> None:
    out, rows_of_x = as_rows(y), as_rows(x)
    way = way_of("log_softmax" if log else "softmax", out)
    if isinstance(way, Reloaded):
        softmax_reloaded_launch(way, out, rows_of_x, log).on()
        return
    if isinstance(way, Kept):
        softmax_launch(way, out, rows_of_x, log).on()
        return
    hinted(softmax_rows, way.hints)(cut(out, way.tile, owned=1), rows_of_x, log, *way.constants, way.held).on()


@operator("softmax_backward(Tensor dy, Tensor y, bool log) -> Tensor", results=_like)
def _softmax_backward(dx: Any, dy: Any, y: Any, log: bool) -> None:
    out = as_rows(dx)
    way = rows(*out.shape)
    part = cut(out, way.tile, owned=1)
    hints = {"num_worker_warps": 8, "occupancy": 2} if 2048 < out.shape[1] <= 8192 else way.hints
    hinted(softmax_rows_backward, hints)(part, as_rows(dy.contiguous()), as_rows(y), log, *way.constants).on()


@_softmax.backward(keeps=lambda inputs, output: (output,))
def _gradient(ctx: Any, dy: Any) -> tuple[Any, ...]:
    return _softmax_backward(dy, *ctx.saved_tensors, *ctx.arguments), None
