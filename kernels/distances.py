"""Losses of pairs: squared and absolute differences, divergences, hinges and triplets, forward and backward."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import freehold as fh
from freehold import Const, Out, Ref, f32, i64
from freehold.kernels.activations import as_matrices, tile_of
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.operators import as_rows, operator, wide_dtype
from freehold.kernels.schedules import PROCESSORS, ceildiv, compiled_in, hinted, power_of_two
from freehold.kernels.tiles import accumulator, places, quotient, safe, wide

KINDS: Final = ("squared", "smooth l1", "kl", "divergence", "hinge")
"""What `pair_loss` knows by name."""

_LEAST: Final = 2.0**-125
"""A probability in float32 below which it counts as zero: the quotient of two would be subnormal."""

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
            there = t > (0.0 if t.dtype == fh.f64 else _LEAST)
            return fh.where(there, t * fh.log(quotient(fh.where(there, t, 1.0), fh.where(there, x, 1.0))), 0.0)
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


def target_at(t: Any, i: Any, k: Any, tile: tuple[int, ...], ROW: bool, TMA: bool = True) -> Any:
    """A tile of the targets, of which all rows may be one."""
    return wide(t.load((0, k), (1, tile[1]), allow_tma=TMA) if ROW else t.load((i, k), tile, allow_tma=TMA))


@safe
def pair_loss_parts(
    parts: Out["P"],
    x: Ref["M", "N"],
    t: Ref["S", "N"],
    KIND: Const[str],
    W: Const[int],
    ROW: Const[bool] = False,
    H: Const[int] = 1,
    TMA: Const[bool] = False,
    N: Const[Any] = None,
):
    """What the losses of all pairs sum up to, in P parts: part p has every P-th row, or H rows. Tiles come by `TMA`."""
    fh.require("S == 1" if ROW else "S == M")
    (p,) = parts.index
    acc = fh.zeros((H, W), accumulator(x.dtype))
    for i in fh.tiles(x, axis=0, size=H, start=p, step=parts.shape[0]):
        for k in fh.tiles(x, axis=1, size=W):
            seen = wide(x.load((i, k), (H, W), allow_tma=TMA))
            found = loss_of(seen, target_at(t, i, k, (H, W), ROW, TMA), KIND)
            inside = (places(i * H, H)[:, None] < x.shape[0]) & (places(k * W, W)[None, :] < x.shape[1])
            acc += fh.where(inside, found, 0.0)
    parts.store(acc.sum()[None])


@safe
def sum_of_parts(y: Out[1], parts: Ref["P"], by: i64, W: Const[int]):
    """y = sum(parts) / by, in one block."""
    acc = fh.zeros((W,), parts.dtype)
    for k in fh.tiles(parts, axis=0, size=W):
        acc += parts.load((k,), (W,), allow_tma=False)
    y.store((acc.sum() / by.astype(parts.dtype))[None])


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
    near: Out["M"],
    far: Out["M"],
    a: Ref["M", "N"],
    p: Ref["M", "N"],
    n: Ref["M", "N"],
    eps: f32,
    W: Const[int],
    TMA: Const[bool] = False,
    N: Const[Any] = None,
):
    """near = norm(a - p + eps) and far = norm(a - n + eps), along rows. With `N` they have that length."""
    (m,) = near.index
    tile, dtype = (near.tile[0], W), accumulator(a.dtype)
    one, other = fh.zeros(tile, dtype), fh.zeros(tile, dtype)
    for k in fh.tiles(a, axis=1, size=W):
        inside = places(k * W, W)[None, :] < a.shape[1]
        t = wide(a.load((m, k), tile, allow_tma=TMA)) + eps.astype(dtype)
        left = fh.where(inside, t - wide(p.load((m, k), tile, allow_tma=TMA)), 0.0)
        right = fh.where(inside, t - wide(n.load((m, k), tile, allow_tma=TMA)), 0.0)
        one, other = one + left * left, other + right * right
    near.store(fh.sqrt(one.sum(axis=1)))
    far.store(fh.sqrt(other.sum(axis=1)))


@safe
def sum_of_hinges(y: Out[1], near: Ref["M"], far: Ref["M"], margin: f32, W: Const[int]):
    """y = mean(max(0, near - far + margin)), in one block."""
    dtype = near.dtype
    acc = fh.zeros((W,), dtype)
    for k in fh.tiles(near, axis=0, size=W):
        t = near.load((k,), (W,), allow_tma=False) - far.load((k,), (W,), allow_tma=False) + margin.astype(dtype)
        acc += fh.where(places(k * W, W) < near.shape[0], fh.maximum(t, 0.0), 0.0)
    y.store((acc.sum() / near.shape[0].astype(dtype))[None])


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
    """The gradients of near - far, times each row's scale; a distance of nothing has none, as torch's."""
    m, _ = da.index
    high = (da.tile[0],)
    t = wide(a.load_like(da)) + eps.astype(accumulator(a.dtype))
    g = scale.load((m,), high)[:, None]

    def slope(length: Any) -> Any:
        return g / fh.where(length > 0.0, length, 1.0)

    left = (t - wide(p.load_like(da))) * slope(near.load((m,), high)[:, None])
    right = (t - wide(n.load_like(da))) * slope(far.load((m,), high)[:, None])
    da.store((left - right).astype(da.dtype))
    dp.store((-left).astype(dp.dtype))
    dn.store(right.astype(dn.dtype))


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def pair_loss(x: Tensor, target: Tensor, kind: str, reduction: str = "mean") -> Tensor:
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
    return _pair_loss(x, target.reshape(1, -1) if row else target, kind, row, by)


@function()
def mse_loss(x: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The mean of the squares of differences, as `torch.nn.functional.mse_loss`; differentiable in `x`."""
    return pair_loss(x, target, "squared", reduction)


@function()
def smooth_l1_loss(x: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The mean of Huber's loss, as `torch.nn.functional.smooth_l1_loss` with beta 1; differentiable in `x`."""
    return pair_loss(x, target, "smooth l1", reduction)


@function()
def kl_div(x: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The divergence of logarithms `x` from probabilities, as `torch.nn.functional.kl_div`; differentiable in `x`."""
    return pair_loss(x, target, "kl", reduction)


@function()
def divergence(x: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """
    As `kl_div`, from probabilities `x` and not their logarithms, by one logarithm of each quotient. In float32
    probabilities below 2^-125 count as zeros.
    """
    return pair_loss(x, target, "divergence", reduction)


@function()
def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, eps: float = 1e-6
) -> Tensor:
    """
    The mean of `max(0, norm(anchor - positive) - norm(anchor - negative) + margin)` along the last axis, as torch's
    function of that name for the Euclidean norm; differentiable.
    """
    return _triplet(as_rows(anchor), as_rows(positive), as_rows(negative), margin, eps)[0]


# --- Operators --------------------------------------------------------------------------------------------------------


class Way(NamedTuple):
    """How pairs are added up."""

    rows: int
    """Of a tile."""
    bytes: int
    """Of a row of a tile, in the dtype of sums."""
    blocks: int
    """For each multiprocessor."""
    tma: bool
    hints: dict[str, int]


_BY_THREADS: Final = Way(1, 4096, 64, False, {"num_worker_warps": 8, "occupancy": 2})
_WAYS: Final = {
    "squared": Way(1, 8192, 8, True, {"num_worker_warps": 4, "occupancy": 4}),
    "smooth l1": Way(1, 8192, 8, True, {}),
    "row": Way(4, 8192, 8, True, {}),
}
"""By kind, and of rows that share a target: what was measured to be fastest."""

_EVEN: Final = 4096
"""Elements of rows that are shared out among many blocks evenly."""

_HINTS: Final = {"num_worker_warps": 4, "occupancy": 16}


@operator(
    "pair_loss(Tensor x, Tensor target, str kind, bool row, int by) -> Tensor",
    results=lambda x, target, kind, row, by: x.new_empty((), dtype=wide_dtype(x)),
    takes={"x": "floats", "target": "floats"},
)
def _pair_loss(loss: Any, x: Any, target: Any, kind: str, row: bool, by: int) -> None:
    seen, given = _pairs(x, target, row)
    way = _WAYS.get("row" if row else kind, _BY_THREADS)
    if not (row or way.tma) and seen.shape[1] % _EVEN == 0 and seen.is_contiguous() and given.is_contiguous():
        seen, given = seen.view(-1, _EVEN), given.view(-1, _EVEN)
    high = min(way.rows, power_of_two(seen.shape[0]))
    parts = loss.new_empty((min(ceildiv(seen.shape[0], high), way.blocks * PROCESSORS),))
    width = min(way.bytes // loss.element_size(), power_of_two(seen.shape[1]))
    arguments = seen, given, kind, width, row, high, way.tma, compiled_in(seen.shape[1])
    hinted(pair_loss_parts, way.hints)(fh.partition(parts, 1), *arguments).on()
    sum_of_parts(fh.partition(loss.view(1), 1), parts, by, min(2048, power_of_two(parts.shape[0]))).on()


def _pairs(x: Any, target: Any, row: bool) -> tuple[Any, Any]:
    if row:
        return as_rows(x), target
    return as_matrices(x, target)


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
    kind, row, by = ctx.arguments
    return _pair_loss_backward((dloss / by).reshape(1), *ctx.saved_tensors, kind, row), *(None,) * 4


def _distances(a: Any, p: Any, n: Any, margin: float, eps: float) -> tuple[Any, ...]:
    one = a.new_empty((), dtype=wide_dtype(a))
    return one, *(a.new_empty((a.shape[0],), dtype=one.dtype) for _ in range(2))


@operator(
    "triplet(Tensor anchor, Tensor positive, Tensor negative, float margin, float eps) -> (Tensor, Tensor, Tensor)",
    results=_distances,
    takes={"anchor": "M N floats", "positive": "M N same", "negative": "M N same"},
)
def _triplet(loss: Any, near: Any, far: Any, a: Any, p: Any, n: Any, margin: float, eps: float) -> None:
    width = min(2048 // near.element_size(), power_of_two(a.shape[1]))
    parts = fh.partition(near, 1), fh.partition(far, 1)
    hinted(triplet_rows, _HINTS)(*parts, a, p, n, eps, width, False, compiled_in(a.shape[1])).on()
    sum_of_hinges(fh.partition(loss.view(1), 1), near, far, margin, min(2048, power_of_two(near.shape[0]))).on()


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


@_triplet.backward(keeps=lambda inputs, output: (*inputs[:3], *output[1:]))
def _triplet_gradient(ctx: Any, dloss: Any, *_: Any) -> tuple[Any, ...]:
    a, p, n, near, far = ctx.saved_tensors
    margin, eps = ctx.arguments
    scale = (near - far + margin >= 0) * (dloss / near.shape[0])
    return *_triplet_backward(a, p, n, near, far, scale, eps), None, None
