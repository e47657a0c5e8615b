"""Root mean square and layer norms of rows, forward and backward, with the residual added in front."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import freehold as fh
from freehold import Const, Mut, Out, Ref, i32
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.channels import moments
from freehold.kernels.kept import layer_norm_kept, norm_launch, rms_norm_kept
from freehold.kernels.operators import as_rows, operator, wide_dtype
from freehold.kernels.reductions import sum_rows
from freehold.kernels.reloaded import layer_norm_reloaded, norm_reloaded_launch, rms_norm_reloaded
from freehold.kernels.row_schedules import ByColumns, Kept, Reloaded, way_of
from freehold.kernels.schedules import (
    LONGEST,
    PROCESSORS,
    Rows,
    ceildiv,
    compiled_in,
    cut,
    hinted,
    power_of_two,
    rows,
)
from freehold.kernels.tiles import accumulator, after_held, columns, part, places, quotient, safe, store_of_rows, wide

# --- Kernels ----------------------------------------------------------------------------------------------------------


def scaled_by_mean_square(
    y: Any, rstd: Any, w: Any, eps: Any, K: int, N: Any, H: int, row: Callable[[Any], Any]
) -> None:
    """
    y = row / sqrt(mean(row ** 2) + eps) * w, where `row(k)` is tile k of a row.

    Of rows that are loaded again, the first H tiles are kept in registers, as they are in memory, and the rest is
    walked back from the end.
    """
    dtype, width = accumulator(y.dtype), y.tile[1]
    squares = fh.zeros(y.tile, dtype)
    for k in after_held(y, width, K, N, H):
        t = wide(row(k))
        squares += t * t
    kept: Any = ()
    for k in fh.static_range(H):
        kept = (*kept, row(k))
        squares += wide(kept[k]) * wide(kept[k])
    mean = quotient(squares.sum(axis=1, keepdims=True), y.shape[1].astype(dtype))
    scale = fh.rsqrt(mean + eps.astype(dtype))
    store_of_rows(rstd, scale)
    for k in fh.static_range(H):
        y.at(k).store((wide(kept[k]) * scale * part(w, (k,), (width,))).astype(y.dtype), allow_tma=False)
    for k in after_held(y, width, K, N, H, back=H > 0):
        y.at(k).store((wide(row(k)) * scale * part(w, (k,), (width,))).astype(y.dtype), allow_tma=False)


def scaled_by_moments(
    y: Any,
    mean: Any,
    rstd: Any,
    w: Any,
    b: Any,
    eps: Any,
    BIAS: bool,
    K: int,
    N: Any,
    H: int,
    row: Callable[[Any], Any],
) -> None:
    """
    y = (row - mean(row)) / sqrt(var(row) + eps) * w + b. The moments take two walks, so that nothing cancels; of rows
    of whole tiles that are loaded again, one, in which each place of a tile has its own, which are joined in the end;
    the first H tiles of these stay in registers.
    """
    width, dtype = y.tile[1], accumulator(y.dtype)
    n = y.shape[1].astype(dtype)
    total, squares = fh.zeros(y.tile, dtype), fh.zeros(y.tile, dtype)
    kept: Any = ()
    if K == 0 and N is not None and N % width == 0:
        count = fh.zeros((), dtype)
        for k in after_held(y, width, K, N, H):
            total, squares, count = with_tile(total, squares, count, wide(row(k)))
        for k in fh.static_range(H):
            kept = (*kept, row(k))
            total, squares, count = with_tile(total, squares, count, wide(kept[k]))
        middle = total.sum(axis=1, keepdims=True) / width
        away = total - middle
        squares += away * away * (N // width)
    else:
        for k in columns(y, width, K):
            total += wide(row(k))
        middle = quotient(total.sum(axis=1, keepdims=True), n)
        for k in columns(y, width, K):
            inside = places(k * width, width)[None, :] < y.shape[1]
            d = fh.where(inside, wide(row(k)) - middle, 0.0)
            squares += d * d
    scale = fh.rsqrt(quotient(squares.sum(axis=1, keepdims=True), n) + eps.astype(dtype))
    store_of_rows(mean, middle)
    store_of_rows(rstd, scale)
    for k in fh.static_range(H):
        t = (wide(kept[k]) - middle) * scale * part(w, (k,), (width,))
        y.at(k).store((t + part(b, (k,), (width,)) if BIAS else t).astype(y.dtype), allow_tma=False)
    for k in after_held(y, width, K, N, H, back=True):
        t = (wide(row(k)) - middle) * scale * part(w, (k,), (width,))
        y.at(k).store((t + part(b, (k,), (width,)) if BIAS else t).astype(y.dtype), allow_tma=False)


def with_tile(mean: Any, squares: Any, count: Any, t: Any) -> tuple[Any, Any, Any]:
    """The mean of each place of a tile, the squares of distances from it, and how many there are, with one more."""
    count = count + 1.0
    away = t - mean
    mean += away * (1.0 / count)
    return mean, squares + away * (t - mean), count


@safe
def rms_norm_rows(
    y: Out["M", "N"],
    rstd: Out["M"] | None,
    x: Ref["M", "N"],
    w: Ref["N"],
    eps: fh.f32,
    K: Const[int] = 0,
    N: Const[Any] = None,
    H: Const[int] = 0,
):
    """
    y = x / sqrt(mean(x ** 2) + eps) * w, along rows; `rstd`, if it is given, is what x is multiplied by.

    With `N` rows have that length, and nothing is compared with it while the kernel runs. With `H` so many tiles of
    rows that are loaded again stay in registers.
    """
    (i,) = y.index
    scaled_by_mean_square(y, rstd, w, eps, K, N, H, lambda k: x.load((i, k), y.tile, allow_tma=False))


@safe
def add_rms_norm_rows(
    y: Out["M", "N"],
    total: Out["M", "N"],
    rstd: Out["M"] | None,
    x: Ref["M", "N"],
    residual: Ref["M", "N"],
    w: Ref["N"],
    eps: fh.f32,
    K: Const[int] = 0,
    N: Const[Any] = None,
    H: Const[int] = 0,
):
    """total = x + residual, rounded to its dtype, and y its norm: what a transformer does between its layers."""
    (i,) = y.index

    def row(k: Any) -> Any:
        return x.load((i, k), y.tile, allow_tma=False) + residual.load((i, k), y.tile, allow_tma=False)

    for k in columns(total, total.tile[1], K):
        total.at(k).store(row(k), allow_tma=False)
    scaled_by_mean_square(y, rstd, w, eps, K, N, H, row)


@safe
def layer_norm_rows(
    y: Out["M", "N"],
    mean: Out["M"] | None,
    rstd: Out["M"] | None,
    x: Ref["M", "N"],
    w: Ref["N"],
    b: Ref["N"],
    eps: fh.f32,
    BIAS: Const[bool] = True,
    K: Const[int] = 0,
    N: Const[Any] = None,
    H: Const[int] = 0,
):
    """y = (x - mean) * rstd * w + b, along rows; without `BIAS`, b is not looked at. `N` and `H` as `rms_norm_rows`."""
    (i,) = y.index

    def row(k: Any) -> Any:
        return x.load((i, k), y.tile, allow_tma=False)

    scaled_by_moments(y, mean, rstd, w, b, eps, BIAS, K, N, H, row)


@safe
def scaled_columns(
    y: Out["M", "N"],
    x: Ref["M", "N"],
    mean: Ref["M"],
    rstd: Ref["M"],
    w: Ref["N"],
    b: Ref["N"],
    BIAS: Const[bool],
    N: Const[Any] = None,
):
    """As `layer_norm_rows`, of moments that are there already."""
    m, n = y.index
    middle, scale = tuple(t.load((m,), y.tile[:1], allow_tma=False)[:, None] for t in (mean, rstd))
    t = (part(x, (m, n), y.tile) - middle) * scale * part(w, (n,), y.tile[1:])
    y.store((t + part(b, (n,), y.tile[1:]) if BIAS else t).astype(y.dtype), allow_tma=False)


# freehold: R=4 W=128 K=2
@safe
def norm_backward_rows(
    dx: Mut["M", "N"],
    parts: Mut["B", "C", "N"],
    dy: Ref["M", "N"],
    dtotal: Ref["M", "N"],
    x: Ref["M", "N"],
    w: Ref["N"],
    mean: Ref["M"],
    rstd: Ref["M"],
    share: i32,
    CENTER: Const[bool],
    ADD: Const[bool],
    K: Const[int],
    R: Const[int],
    W: Const[int],
    N: Const[Any] = None,
    at: fh.Grid = fh.Grid("cdiv(cdiv(M, R), share)"),
):
    """
    The gradients of a norm: dx by rows, and what each block's rows add to those of w, and of b where C is 2.

    A block walks `share` tiles of R rows, of which the next is under way, by TMA; it has their K tiles of W columns in
    registers, and sums of as many. With `CENTER` it is a layer norm; with `ADD` dx is the gradient of a sum that was
    also used by itself, whose other gradient is dtotal. With `N` rows have that length.
    """
    fh.require(share > 0, "a block has rows")
    fh.require("M <= 1073741824", "no number of rows wraps around")
    fh.require(fh.cdiv(x.shape[1], W) == K, "K is the number of tiles in a row")
    (block,) = at.index
    dtype = accumulator(x.dtype)
    n = x.shape[1].astype(dtype)
    ws = tuple(part(w, (k,), (W,)) for k in fh.static_range(K))
    dw = tuple(fh.zeros((R, W), dtype) for _ in fh.static_range(K))
    db = tuple(fh.zeros((R, W), dtype) for _ in fh.static_range(K if CENTER else 0))
    for i in range(block * share, min((block + 1) * share, fh.cdiv(x.shape[0], R))):
        scale = rstd.load((i,), (R,), allow_tma=False)[:, None]
        middle = mean.load((i,), (R,), allow_tma=False)[:, None]
        gs = tuple(wide(dy.load((i, k), (R, W), latency=4)) for k in fh.static_range(K))
        ts = tuple(wide(x.load((i, k), (R, W), latency=4)) for k in fh.static_range(K))
        xs = tuple((t - middle if CENTER else t) * scale for t in ts)
        dw = tuple(dw[k] + gs[k] * xs[k] for k in fh.static_range(K))
        if CENTER:
            db = tuple(db[k] + gs[k] for k in fh.static_range(K))
        dots, sums = fh.zeros((R, W), dtype), fh.zeros((R, W), dtype)
        for k in fh.static_range(K):
            dots += gs[k] * ws[k] * xs[k]
            if CENTER:
                sums += gs[k] * ws[k]
        along = quotient(dots.sum(axis=1, keepdims=True), n)
        straight = quotient(sums.sum(axis=1, keepdims=True), n) if CENTER else 0.0
        for k in fh.static_range(K):
            t = scale * (gs[k] * ws[k] - xs[k] * along - straight)
            t = t + wide(dtotal.load((i, k), (R, W))) if ADD else t
            dx.at(i, k).store(t.astype(dx.dtype), allow_tma=False)
    for k in fh.static_range(K):
        parts.at(block, 0, k).store(dw[k].sum(axis=0)[None, None, :], allow_tma=False)
        if CENTER:
            parts.at(block, 1, k).store(db[k].sum(axis=0)[None, None, :], allow_tma=False)


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """
    x / sqrt(mean(x ** 2) + eps) * weight along the last axis, in the shape and dtype of `x`; differentiable.

    `weight` has the extent of the last axis, in any dtype of floats. Computed in float32, or float64 for float64.
    """
    return _rms_norm(x, weight, eps)[0]


@function()
def add_rms_norm(x: Tensor, residual: Tensor, weight: Tensor, eps: float = 1e-6) -> tuple[Tensor, Tensor]:
    """
    `total = x + residual` and `rms_norm(total, weight, eps)`, in one pass: returns the norm, and the total.

    `x` and `residual` have one shape and dtype, as have both results; differentiable.
    """
    return _add_rms_norm(x, residual, weight, eps)[:2]


@function()
def layer_norm(x: Tensor, weight: Tensor, bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:
    """
    (x - mean) / sqrt(var + eps) * weight + bias along the last axis, as `torch.nn.functional.layer_norm`.

    `weight` and `bias`, which may be None, have the extent of the last axis. Computed in float32, or float64 for
    float64; differentiable.
    """
    return _layer_norm(x, weight, bias, eps)[0]


# --- Operators --------------------------------------------------------------------------------------------------------


def _per_row(x: Any, *_: Any) -> Any:
    return x.new_empty((x.numel() // x.shape[-1],), dtype=wide_dtype(x))


def moments_needed(length: int) -> bool:
    """
    Whether norms of rows of that length write moments also where nobody asks for them: long rows are few, so that it
    costs nothing, and how their kernels are compiled was measured and compared with `f64` so.
    """
    return length > LONGEST


def _moments(x: Any, *given: Any, needed: bool | None = None) -> tuple[Any, ...]:
    """
    Where moments of rows are written: what was given, or new ones where that is None and they are `needed`, which
    `moments_needed` says unless it is said.
    """
    needed = moments_needed(x.shape[-1]) if needed is None else needed
    return tuple([_per_row(x) if t is None and needed else t for t in given])


@operator(
    "rms_norm(Tensor x, Tensor weight, float eps) -> (Tensor, Tensor)",
    results=lambda x, weight, eps: (x.new_empty(x.shape),),
    takes={"x": "... N floats", "weight": "N floats"},
    for_gradients=(_per_row,),
)
def _rms_norm(y: Any, rstd: Any, x: Any, weight: Any, eps: float) -> None:
    rms_norm_launch(as_rows(y), rstd, as_rows(x), weight, eps).on()


def rms_norm_launch(y: Any, rstd: Any, x: Any, weight: Any, eps: float) -> Any:
    """
    The launch that writes the norm of the rows of a matrix, and what they are multiplied by (M,), unless None. Where
    there are `moments_needed`, tensors of torch may leave them to it, and arrays may not.
    """
    (rstd,) = _moments(y, rstd)
    way = way_of("rms_norm", y, alike=weight.dtype == y.dtype)
    if isinstance(way, Reloaded):
        return norm_reloaded_launch(rms_norm_reloaded, way, y, (rstd,), x, weight, eps)
    if isinstance(way, Kept):
        return norm_launch(rms_norm_kept, way, y, (rstd,), x, weight, eps)
    parts = cut(y, way.tile, owned=1), cut(rstd, way.tile[:1])
    return hinted(rms_norm_rows, way.hints)(*parts, x, weight, eps, *way.constants, way.held)


@operator(
    "add_rms_norm(Tensor x, Tensor residual, Tensor weight, float eps) -> (Tensor, Tensor, Tensor)",
    results=lambda x, residual, weight, eps: (x.new_empty(x.shape), x.new_empty(x.shape)),
    takes={"x": "... N floats", "residual": "... N same", "weight": "N floats"},
    for_gradients=(_per_row,),
)
def _add_rms_norm(y: Any, total: Any, rstd: Any, x: Any, residual: Any, weight: Any, eps: float) -> None:
    outs, (rstd,) = (as_rows(y), as_rows(total)), _moments(y, rstd)
    way = way_of("add_rms_norm", outs[0])
    parts = *(cut(out, way.tile, owned=1) for out in outs), cut(rstd, way.tile[:1])
    hinted(add_rms_norm_rows, way.hints)(
        *parts, as_rows(x), as_rows(residual), weight, eps, *way.constants, way.held
    ).on()


@operator(
    "layer_norm(Tensor x, Tensor weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)",
    results=lambda x, weight, bias, eps: (x.new_empty(x.shape),),
    takes={"x": "... N floats", "weight": "N floats", "bias": "N floats"},
    for_gradients=(_per_row, _per_row),
)
def _layer_norm(y: Any, mean: Any, rstd: Any, x: Any, weight: Any, bias: Any, eps: float) -> None:
    out, b = as_rows(y), weight if bias is None else bias
    mean, rstd = _moments(out, mean, rstd)
    M, N = out.shape
    way = way_of("layer_norm", out, alike=weight.dtype == b.dtype == out.dtype, bias=bias is not None)
    if isinstance(way, ByColumns):
        x = as_rows(x)
        mean, rstd = _moments(x, mean, rstd, needed=True)
        moments(mean, rstd, x.view(M, -1, way.width), eps, {})
        high = min(16, power_of_two(M))
        part_of_out = cut(out, (high, 4096 // high))
        hinted(scaled_columns, way.hints)(part_of_out, x, mean, rstd, weight, b, bias is not None, compiled_in(N)).on()
        return
    of_rows, more = (mean, rstd), (weight, b, eps, bias is not None)
    if isinstance(way, Reloaded):
        norm_reloaded_launch(layer_norm_reloaded, way, out, of_rows, as_rows(x), *more).on()
        return
    if isinstance(way, Kept):
        norm_launch(layer_norm_kept, way, out, of_rows, as_rows(x), *more).on()
        return
    parts = cut(out, way.tile, owned=1), *(cut(t, way.tile[:1]) for t in of_rows)
    hinted(layer_norm_rows, way.hints)(*parts, as_rows(x), *more, *way.constants, way.held).on()


@operator(
    "norm_backward(Tensor dy, Tensor? dtotal, Tensor x, Tensor weight, Tensor? mean, Tensor rstd) -> (Tensor, Tensor)",
    results=lambda dy, dtotal, x, weight, mean, rstd: (
        x.new_empty(x.shape),
        x.new_empty((1 if mean is None else 2, x.shape[-1]), dtype=weight.dtype),
    ),
)
def _norm_backward(dx: Any, dw: Any, dy: Any, dtotal: Any, x: Any, weight: Any, mean: Any, rstd: Any) -> None:
    out, given = as_rows(dx), as_rows(dy.contiguous())
    way = _backward_rows(*out.shape, center=mean is not None)
    tiles = ceildiv(out.shape[0], way.tile[0])
    share = ceildiv(tiles, way.occupancy * PROCESSORS)
    blocks = ceildiv(tiles, share)
    parts = x.new_empty((blocks, *dw.shape), dtype=rstd.dtype)
    hinted(norm_backward_rows, way.hints)(
        fh.partition(out, way.tile),
        fh.partition(parts, (1, 1, way.tile[1])),
        given,
        given if dtotal is None else as_rows(dtotal.contiguous()),
        as_rows(x),
        weight,
        rstd if mean is None else mean,
        rstd,
        share,
        mean is not None,
        dtotal is not None,
        way.tiles,
        *way.tile,
        way.length,
    ).on()
    sum_rows(dw.view(-1), parts.view(blocks, -1))


def _backward_rows(count: int, length: int, center: bool) -> Rows:
    """
    As `rows`, with all of a row in registers, and of its two inputs and one sum or, with `center`, two sums at once.

    Without the second sum eight warps have registers enough for 8192 elements, and two blocks of them for two rows of
    4096 each.
    """
    width = min(power_of_two(length), 4096)
    if 2048 < length <= 4096 and not center and count >= 16 * PROCESSORS:
        return Rows((2, width), 1, 8, 2, compiled_in(length))
    high, _ = rows(count, min(length, LONGEST)).tile
    warps = min(32, max(4, power_of_two(length // 512)))
    if 8192 < length <= 32768 or (4096 < length <= 8192 and not center):
        warps = 8
    return Rows((high, width), ceildiv(length, width), warps, 2 if warps == 4 else 1, compiled_in(length))


@_rms_norm.backward(keeps=lambda inputs, output: (inputs[0], inputs[1], output[1]))
def _rms_norm_gradients(ctx: Any, dy: Any, _: Any) -> tuple[Any, ...]:
    x, weight, rstd = ctx.saved_tensors
    dx, dw = _norm_backward(dy, None, x, weight, None, rstd)
    return dx, dw[0], None


@_add_rms_norm.backward(keeps=lambda inputs, output: (output[1], inputs[2], output[2]))
def _add_rms_norm_gradients(ctx: Any, dy: Any, dtotal: Any, _: Any) -> tuple[Any, ...]:
    total, weight, rstd = ctx.saved_tensors
    if dy is None:
        return dtotal, dtotal, None, None
    dx, dw = _norm_backward(dy, dtotal, total, weight, None, rstd)
    return dx, dx, dw[0], None


@_layer_norm.backward(keeps=lambda inputs, output: (*inputs[:3], *output[1:]))
def _layer_norm_gradients(ctx: Any, dy: Any, *_: Any) -> tuple[Any, ...]:
    x, weight, bias, mean, rstd = ctx.saved_tensors
    dx, dw = _norm_backward(dy, None, x, weight, mean, rstd)
    return dx, dw[0], None if bias is None else dw[1], None
