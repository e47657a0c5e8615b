"""Losses of pairs: squared and absolute differences, divergences, hinges and triplets, forward and backward."""

from __future__ import annotations

from typing import Any, Final

import freehold as fh
from freehold import Const, Out, Ref, f32
from freehold.kernels.activations import as_matrices, tile_of
from freehold.kernels.operators import as_rows, operator, wide_dtype
from freehold.kernels.reductions import reduce
from freehold.kernels.schedules import PROCESSORS, power_of_two
from freehold.kernels.tiles import accumulator, places, safe, wide

KINDS: Final = ("squared", "smooth l1", "kl", "divergence", "hinge")
"""What `pair_loss` knows by name."""

# --- Kernels ----------------------------------------------------------------------------------------------------------


def loss_of(x: Any, t: Any, KIND: str) -> Any:
    """The loss of each pair."""
    d = abs(x - t)
    match KIND:
        case "squared":
            return d * d
        case "smooth l1":
            return fh.where(d < 1.0, 0.5 * d * d, d - 0.5)
        case "kl":
            return fh.where(t > 0.0, t * (fh.log(fh.where(t > 0.0, t, 1.0)) - x), 0.0)
        case "divergence":
            return fh.where(t > 0.0, t * (fh.log(fh.where(t > 0.0, t, 1.0)) - fh.log(x)), 0.0)
        case _:
            fh.static_assert(KIND == "hinge", "a loss of KINDS")
            return fh.maximum(1.0 - x * t, 0.0)


def slope_of(x: Any, t: Any, KIND: str) -> Any:
    """The derivative of the loss by `x`."""
    d = x - t
    match KIND:
        case "squared":
            return 2.0 * d
        case "smooth l1":
            return fh.clip(d, -1.0, 1.0)
        case "kl":
            return -t
        case "divergence":
            return fh.where(t > 0.0, -t / x, 0.0)
        case _:
            return fh.where(x * t < 1.0, -t, 0.0)


def target_at(t: Any, i: Any, k: Any, tile: tuple[int, ...], ROW: bool) -> Any:
    """A tile of the targets, of which all rows may be one."""
    return wide(t.load((0, k), (1, tile[1])) if ROW else t.load((i, k), tile))


@safe
def pair_loss_parts(
    parts: Out["P"], x: Ref["M", "N"], t: Ref["S", "N"], KIND: Const[str], W: Const[int], ROW: Const[bool] = False
):
    """What the losses of all pairs sum up to, in P parts: part p has every P-th row."""
    fh.require("S == 1" if ROW else "S == M")
    (p,) = parts.index
    acc = fh.zeros((1, W), accumulator(x.dtype))
    for i in fh.tiles(x, axis=0, size=1, start=p, step=parts.shape[0]):
        for k in fh.tiles(x, axis=1, size=W):
            found = loss_of(wide(x.load((i, k), (1, W))), target_at(t, i, k, (1, W), ROW), KIND)
            acc += fh.where(places(k * W, W)[None, :] < x.shape[1], found, 0.0)
    parts.store(acc.sum()[None])


@safe
def pair_loss_tiles_backward(
    dx: Out["M", "N"], scale: Ref[1], x: Ref["M", "N"], t: Ref["S", "N"], KIND: Const[str], ROW: Const[bool] = False
):
    """dx = derivative of the loss * scale."""
    fh.require("S == 1" if ROW else "S == M")
    i, k = dx.index
    d = slope_of(wide(x.load_like(dx)), target_at(t, i, k, dx.tile, ROW), KIND)
    dx.store((d * scale.load(0, ()).astype(d.dtype)).astype(dx.dtype))


@safe
def triplet_rows(
    near: Out["M"], far: Out["M"], a: Ref["M", "N"], p: Ref["M", "N"], n: Ref["M", "N"], eps: f32, W: Const[int]
):
    """near = norm(a - p + eps) and far = norm(a - n + eps), along rows."""
    (m,) = near.index
    tile, dtype = (near.tile[0], W), accumulator(a.dtype)
    one, other = fh.zeros(tile, dtype), fh.zeros(tile, dtype)
    for k in fh.tiles(a, axis=1, size=W):
        inside = places(k * W, W)[None, :] < a.shape[1]
        t = wide(a.load((m, k), tile)) + eps.astype(dtype)
        left = fh.where(inside, t - wide(p.load((m, k), tile)), 0.0)
        right = fh.where(inside, t - wide(n.load((m, k), tile)), 0.0)
        one, other = one + left * left, other + right * right
    near.store(fh.sqrt(one.sum(axis=1)))
    far.store(fh.sqrt(other.sum(axis=1)))


@safe
def triplet_tiles_backward(
    da: Out["M", "N"],
    dp: Out["M", "N"],
    dn: Out["M", "N"],
    a: Ref["M", "N"],
    p: Ref["M", "N"],
    n: Ref["M", "N"],
    near: Ref["M"],
    far: Ref["M"],
    scale: Ref["M"],
    eps: f32,
):
    """The gradients of near - far, times each row's scale."""
    m, _ = da.index
    high = (da.tile[0],)
    t = wide(a.load_like(da)) + eps.astype(accumulator(a.dtype))
    g = scale.load((m,), high)[:, None]
    left = (t - wide(p.load_like(da))) * (g / near.load((m,), high)[:, None])
    right = (t - wide(n.load_like(da))) * (g / far.load((m,), high)[:, None])
    da.store((left - right).astype(da.dtype))
    dp.store((-left).astype(dp.dtype))
    dn.store(right.astype(dn.dtype))


# --- Functions --------------------------------------------------------------------------------------------------------


def pair_loss(x: Any, target: Any, kind: str, reduction: str = "mean") -> Any:
    """
    The mean (or "sum", or "batchmean": the sum by the number of rows) of one of `KINDS` of all pairs of `x` and
    `target`; differentiable in `x`.

    "squared" is torch's `mse_loss`, "smooth l1" `smooth_l1_loss` with beta 1, "kl" `kl_div` of logarithms in `x` and
    probabilities in `target`, "hinge" `max(0, 1 - x * target)`. `target` has the shape of `x`, or of its last axis.
    Computed and returned in float32, or float64 for float64. Raises `ValueError` for other kinds, reductions, shapes.
    """
    if kind not in KINDS:
        raise ValueError(f"a loss is one of {', '.join(KINDS)}, not {kind!r}")
    by = {"mean": x.numel(), "sum": 1, "batchmean": x.shape[0]}.get(reduction)
    if by is None:
        raise ValueError(f"`reduction` is 'mean', 'sum' or 'batchmean', not {reduction!r}")
    row = target.shape == x.shape[-1:] and x.dim() > 1
    if not row and target.shape != x.shape:
        raise ValueError(f"a target for each element, or each of the last axis: not {tuple(target.shape)}")
    return _pair_loss(x, target.reshape(1, -1) if row else target, kind, row, 1.0 / by)


def mse_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """The mean of the squares of differences, as `torch.nn.functional.mse_loss`; differentiable in `x`."""
    return pair_loss(x, target, "squared", reduction)


def smooth_l1_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """The mean of Huber's loss, as `torch.nn.functional.smooth_l1_loss` with beta 1; differentiable in `x`."""
    return pair_loss(x, target, "smooth l1", reduction)


def kl_div(x: Any, target: Any, reduction: str = "mean") -> Any:
    """The divergence of logarithms `x` from probabilities, as `torch.nn.functional.kl_div`; differentiable in `x`."""
    return pair_loss(x, target, "kl", reduction)


def divergence(x: Any, target: Any, reduction: str = "mean") -> Any:
    """As `kl_div`, from probabilities `x` and not their logarithms."""
    return pair_loss(x, target, "divergence", reduction)


def triplet_margin_loss(anchor: Any, positive: Any, negative: Any, margin: float = 1.0, eps: float = 1e-6) -> Any:
    """
    The mean of `max(0, norm(anchor - positive) - norm(anchor - negative) + margin)` along the last axis, as torch's
    function of that name for the Euclidean norm; differentiable.
    """
    near, far = _triplet(as_rows(anchor), as_rows(positive), as_rows(negative), eps)
    return (near - far + margin).clamp_min(0).mean()


# --- Operators --------------------------------------------------------------------------------------------------------


@operator(
    "pair_loss(Tensor x, Tensor target, str kind, bool row, float scale) -> Tensor",
    results=lambda x, target, kind, row, scale: x.new_empty((), dtype=wide_dtype(x)),
)
def _pair_loss(loss: Any, x: Any, target: Any, kind: str, row: bool, scale: float) -> None:
    seen, given = _pairs(x, target, row)
    parts = loss.new_empty((min(seen.shape[0], 8 * PROCESSORS),))
    width = min(2048, power_of_two(seen.shape[1]))
    pair_loss_parts(fh.partition(parts, 1), seen, given, kind, width, row).on()
    loss.copy_(reduce(parts, "sum") * scale)


def _pairs(x: Any, target: Any, row: bool) -> tuple[Any, Any]:
    return (as_rows(x), target) if row else as_matrices(x, target)


@operator(
    "pair_loss_backward(Tensor scale, Tensor x, Tensor target, str kind, bool row) -> Tensor",
    results=lambda scale, x, target, kind, row: x.new_empty(x.shape),
)
def _pair_loss_backward(dx: Any, scale: Any, x: Any, target: Any, kind: str, row: bool) -> None:
    seen, given = _pairs(x, target, row)
    out = dx.view(seen.shape)
    pair_loss_tiles_backward(fh.partition(out, tile_of(out)), scale, seen, given, kind, row).on()


@_pair_loss.backward(keeps=lambda inputs, output: inputs[:2])
def _pair_loss_gradient(ctx: Any, dloss: Any) -> tuple[Any, ...]:
    kind, row, scale = ctx.arguments
    return _pair_loss_backward((dloss * scale).reshape(1), *ctx.saved_tensors, kind, row), *(None,) * 4


@operator(
    "triplet(Tensor a, Tensor p, Tensor n, float eps) -> (Tensor, Tensor)",
    results=lambda a, p, n, eps: tuple(a.new_empty((a.shape[0],), dtype=wide_dtype(a)) for _ in range(2)),
)
def _triplet(near: Any, far: Any, a: Any, p: Any, n: Any, eps: float) -> None:
    triplet_rows(fh.partition(near, 1), fh.partition(far, 1), a, p, n, eps, min(2048, power_of_two(a.shape[1]))).on()


@operator(
    "triplet_backward(Tensor a, Tensor p, Tensor n, Tensor near, Tensor far, Tensor scale, float eps)"
    " -> (Tensor, Tensor, Tensor)",
    results=lambda a, p, n, near, far, scale, eps: tuple(a.new_empty(a.shape) for _ in range(3)),
)
def _triplet_backward(
    da: Any, dp: Any, dn: Any, a: Any, p: Any, n: Any, near: Any, far: Any, scale: Any, eps: float
) -> None:
    tile = tile_of(da)
    triplet_tiles_backward(*(fh.partition(t, tile) for t in (da, dp, dn)), a, p, n, near, far, scale, eps).on()


@_triplet.backward(keeps=lambda inputs, output: (*inputs[:3], *output))
def _triplet_gradient(ctx: Any, dnear: Any, dfar: Any) -> tuple[Any, ...]:
    """`triplet_margin_loss` gives both distances one gradient, of which that of the other has the other sign."""
    a, p, n, near, far = ctx.saved_tensors
    (eps,) = ctx.arguments
    return *_triplet_backward(a, p, n, near, far, dnear.contiguous(), eps), None
