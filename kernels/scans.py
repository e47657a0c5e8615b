"""Running sums and products along any axis: forwards and backwards, with or without the element itself, masked."""

from __future__ import annotations

from typing import Any

import freehold as fh
from freehold import Const, Mut, Out, Ref, i32
from freehold.kernels.arguments import Tensor, axis_of, function
from freehold.kernels.operators import operator, wide_dtype
from freehold.kernels.reductions import axis_tile
from freehold.kernels.schedules import LONGEST, PROCESSORS, Rows, ceildiv, cut, hinted, rows
from freehold.kernels.tiles import accumulator, columns, part, places, safe, wide

# --- Kernels ----------------------------------------------------------------------------------------------------------


@safe
def scan_axis(
    y: Mut["A", "R", "C"],
    totals: Mut["A", "P", "C"],
    x: Ref["A", "R", "C"],
    mask: Ref["X", "Y", "Z"],
    share: i32,
    TA: Const[int],
    TR: Const[int],
    TC: Const[int],
    PRODUCT: Const[bool] = False,
    BACK: Const[bool] = False,
    EXCLUSIVE: Const[bool] = False,
    MASK: Const[bool] = False,
    at: fh.Grid = fh.Grid("cdiv(A, TA)", "cdiv(cdiv(R, TR), share)", "cdiv(C, TC)"),
):
    """
    Running sums, or products, of parts of the middle axis, of `share` tiles of TR each; `totals` are the parts' own.

    `BACK` runs from the end, `EXCLUSIVE` leaves out the element itself, and with `MASK` only elements count for which
    `mask` is true.
    """
    fh.require(share > 0, "a part has tiles")
    fh.require("R <= 1073741824", "no number of elements wraps around")
    if MASK:
        fh.require("X == A and Y == R and Z == C", "the mask has the shape of what is summed up")
    a, p, c = at.index
    tile, dtype = (TA, TR, TC), accumulator(x.dtype)
    begin = 1.0 if PRODUCT else 0.0
    before = fh.full((TA, 1, TC), begin, dtype)
    turns = range(p * share, min((p + 1) * share, fh.cdiv(x.shape[1], TR)))
    for k in reversed(turns) if BACK else turns:
        t = wide(x.load((a, k, c), tile))
        if PRODUCT:
            t = fh.where((k * TR + fh.arange(TR))[None, :, None] < x.shape[1], t, 1.0)
        if MASK:
            t = fh.where(mask.load((a, k, c), tile), t, begin)
        if PRODUCT:
            run = fh.cumprod(t, axis=1, reverse=BACK)
            y.at(a, k, c).store((run * before).astype(y.dtype))
            before = before * t.prod(axis=1, keepdims=True)
        else:
            run = fh.cumsum(t, axis=1, reverse=BACK)
            y.at(a, k, c).store((run - t + before if EXCLUSIVE else run + before).astype(y.dtype))
            before = before + t.sum(axis=1, keepdims=True)
    totals.at(a, p, c).store(before)


@safe
def scan_rows(
    y: Out["M", "N"],
    x: Ref["M", "N"],
    mask: Ref["X", "Y"],
    K: Const[int],
    N: Const[Any] = None,
    PRODUCT: Const[bool] = False,
    BACK: Const[bool] = False,
    EXCLUSIVE: Const[bool] = False,
    MASK: Const[bool] = False,
):
    """As `scan_axis`, of rows that a block has in registers, in K tiles. With `N` rows have that length."""
    if MASK:
        fh.require(mask.shape[0] == x.shape[0], "the mask has the shape of what is summed up")
        fh.require(mask.shape[1] == x.shape[1], "the mask has the shape of what is summed up")
    (i,) = y.index
    width, dtype = y.tile[1], accumulator(x.dtype)
    begin = 1.0 if PRODUCT else 0.0
    before = fh.full((y.tile[0], 1), begin, dtype)
    for n in columns(x, width, K):
        k = K - 1 - n if BACK else n
        t = part(x, (i, k), y.tile)
        if PRODUCT:
            t = fh.where(places(k * width, width)[None, :] < x.shape[1], t, 1.0)
        if MASK:
            t = fh.where(mask.load((i, k), y.tile, allow_tma=False), t, begin)
        if PRODUCT:
            run = fh.cumprod(t, axis=1, reverse=BACK) * before
            before = before * t.prod(axis=1, keepdims=True)
        else:
            run = fh.cumsum(t, axis=1, reverse=BACK) + before
            before = before + t.sum(axis=1, keepdims=True)
        y.at(k).store((run - t if EXCLUSIVE else run).astype(y.dtype), allow_tma=False)


@safe
def join_parts(y: Mut["A", "R", "C"], before: Ref["A", "P", "C"], share: i32, PRODUCT: Const[bool]):
    """Adds to each part of a scan, or multiplies it by, what those in front of it come to."""
    fh.require(share > 0, "a part has tiles")
    a, k, c = y.index
    row = fh.minimum(k // share, before.shape[1] - 1)
    first = before.load((a, row, c), (y.tile[0], 1, y.tile[2]))
    t = wide(y.load())
    y.store((t * first if PRODUCT else t + first).astype(y.dtype))


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def cumsum(
    x: Tensor, dim: int = -1, *, reverse: bool = False, exclusive: bool = False, mask: Tensor | None = None
) -> Tensor:
    """
    Running sums of `x`, of floats, along an axis, in its shape and dtype; differentiable.

    `reverse` runs from the end, `exclusive` leaves out the element itself, and with `mask`, of the same shape, only
    elements count for which it is true. Computed in float32, or float64 for float64; long axes in parts.
    """
    if mask is not None and mask.shape != x.shape:
        raise ValueError(f"a mask is as large as what is summed up, {tuple(x.shape)}, not {tuple(mask.shape)}")
    seen = _seen(x, dim)
    return _scan(seen, None if mask is None else _seen(mask, dim), False, reverse, exclusive).view(x.shape)


@function()
def cumprod(x: Tensor, dim: int = -1, *, reverse: bool = False) -> Tensor:
    """Running products of `x`, of floats, along an axis, in its shape and dtype; as `cumsum`, without gradients."""
    return _scan(_seen(x, dim), None, True, reverse, False).view(x.shape)


def _seen(x: Any, dim: int) -> Any:
    dim = axis_of(x, dim)
    return x.reshape(x.shape[:dim].numel(), x.shape[dim], x.shape[dim + 1 :].numel())


# --- Operators --------------------------------------------------------------------------------------------------------


@operator(
    "scan_axis(Tensor x, Tensor? mask, bool product, bool back, bool exclusive) -> Tensor",
    results=lambda x, mask, product, back, exclusive: x.new_empty(x.shape),
    takes={"x": "floats"},
)
def _scan(y: Any, x: Any, mask: Any, product: bool, back: bool, exclusive: bool) -> None:
    A, R, C = x.shape
    if C == 1 and R <= 2 * LONGEST and A >= 2 * PROCESSORS:
        _scan_rows(y[:, :, 0], x[:, :, 0], None if mask is None else mask[:, :, 0], product, back, exclusive)
        return
    tile = axis_tile(A, R, C, 2048)
    tiles = ceildiv(R, tile[1])
    blocks = ceildiv(A, tile[0]) * ceildiv(C, tile[2])
    share = tiles if blocks >= PROCESSORS else ceildiv(tiles, max(1, 2 * PROCESSORS // blocks))
    P = ceildiv(tiles, share)
    totals = x.new_empty((A, P, C), dtype=wide_dtype(x))
    out = y if P == 1 else y.new_empty(y.shape, dtype=totals.dtype)

    def scanned(y: Any, totals: Any, x: Any, mask: Any, share: int, tile: Any, exclusive: bool) -> None:
        parts = fh.partition(y, tile), fh.partition(totals, (tile[0], 1, tile[2]))
        given = x if mask is None else mask
        scan_axis(*parts, x, given, share, *tile, product, back, exclusive, mask is not None).on()

    scanned(out, totals, x, mask, share, tile, exclusive)
    if P > 1:
        before, end = totals.new_empty(totals.shape), totals.new_empty((A, 1, C))
        small = axis_tile(A, P, C, 2048)
        scanned(before, end, totals, None, ceildiv(P, small[1]), small, not product)
        if product:
            one = before.new_ones((A, 1, C))
            before = _torch_cat((before[:, 1:], one) if back else (one, before[:, :-1]))
        join_parts(fh.partition(out, tile), before, share, product).on()
        y.copy_(out)


def _scan_rows(y: Any, x: Any, mask: Any, *rules: bool) -> None:
    way = rows(*x.shape)
    if not way.tiles:  # not much longer than what is kept in registers elsewhere
        way = Rows((1, 4096), ceildiv(x.shape[1], 4096), 8, 2, way.length)
    given = x if mask is None else mask
    hinted(scan_rows, way.hints)(cut(y, way.tile, owned=1), x, given, *way.constants, *rules, mask is not None).on()


def _torch_cat(parts: tuple[Any, ...]) -> Any:
    from freehold.kernels.operators import _torch  # pyright: ignore[reportPrivateUsage] -- the library's own

    return _torch().cat(parts, 1)


@_scan.backward(keeps=lambda inputs, output: inputs[1:2])
def _gradient(ctx: Any, dy: Any) -> tuple[Any, ...]:
    (mask,), (product, back, exclusive) = ctx.saved_tensors, ctx.arguments
    if product:
        raise NotImplementedError("running products have no gradient here")
    dx = _scan(dy.contiguous(), None, False, not back, exclusive)
    return dx if mask is None else dx * mask, *(None,) * 4
