"""Norms over groups of channels: group, instance and batch norm, forward and backward."""

from __future__ import annotations

from typing import Any

import freehold as fh
from freehold import Const, Out, Ref, f32
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.operators import operator, wide_dtype
from freehold.kernels.schedules import PROCESSORS, ceildiv, hinted, power_of_two
from freehold.kernels.tiles import accumulator, places, quotient, safe, wide

# --- Kernels ----------------------------------------------------------------------------------------------------------


def inside(x: Any, c: Any, k: Any, tile: tuple[int, int, int]) -> Any:
    """Which elements of the tile at (_, c, k) are in the tensor."""
    channel, place = places(c * tile[1], tile[1]), places(k * tile[2], tile[2])
    return (channel < x.shape[1])[None, :, None] & (place < x.shape[2])[None, None, :]


@safe
def moments_parts(
    mean: Out["R", "P"],
    squares: Out["R", "P"],
    count: Out["R", "P"],
    x: Ref["R", "C", "L"],
    TC: Const[int],
    TL: Const[int],
    WHOLE: Const[bool] = False,
):
    """
    Each row's mean, sum of squared distances from it, and count, in P parts of every P-th tile of channels.

    Each element of a tile has moments of its own of what was there in all tiles, which are joined in the end. `WHOLE`
    says that no tile overhangs.
    """
    if WHOLE:
        fh.require(x.shape[1] % TC == 0, "channels are whole tiles")
        fh.require(x.shape[2] % TL == 0, "rows are whole tiles")
    r, p = mean.index
    tile, dtype = (1, TC, TL), accumulator(x.dtype)
    middle, total, n = fh.zeros(tile, dtype), fh.zeros(tile, dtype), fh.zeros(() if WHOLE else tile, dtype)
    for c in fh.tiles(x, axis=1, size=TC, start=p, step=mean.shape[1]):
        for k in fh.tiles(x, axis=2, size=TL):
            t = wide(x.load((r, c, k), tile, allow_tma=False))
            if WHOLE:
                n = n + 1.0
                away = t - middle
                middle += away * (1.0 / n)
            else:
                here = inside(x, c, k, tile)
                n = n + fh.where(here, 1.0, 0.0).astype(dtype)
                t = fh.where(here, t, middle)
                away = t - middle
                middle += quotient(away, fh.maximum(n, 1.0))
            total += away * (t - middle)
    number = n * (TC * TL) if WHOLE else n.sum()
    joined = (middle * n).sum() / fh.maximum(number, 1.0)
    away = middle - joined
    mean.store(joined.reshape(1, 1))
    squares.store((total + away * away * n).sum().reshape(1, 1))
    count.store(number.reshape(1, 1))


@safe
def moments_joined(
    mean: Out["R"],
    rstd: Out["R"],
    means: Ref["R", "P"],
    squares: Ref["R", "P"],
    counts: Ref["R", "P"],
    eps: f32,
    W: Const[int],
):
    """The moments of all parts together; W is P, up to a power of two."""
    fh.require("P <= W", "the parts fit a tile")
    (r,) = mean.index
    n, m = counts.load((r, 0), (1, W)), means.load((r, 0), (1, W))
    total = n.sum()
    middle = (n * m).sum() / total
    away = fh.where(n > 0.0, m - middle, 0.0)
    variance = (squares.load((r, 0), (1, W)) + n * away * away).sum() / total
    mean.store(middle[None])
    rstd.store(fh.rsqrt(variance + eps.astype(variance.dtype))[None])


def of_channels(w: Any, r: Any, c: Any, TC: int, EACH: bool) -> Any:
    """What the channels of a tile have, as (1, TC), or the one number of a row's."""
    return wide(w.load((r % w.shape[0], c), (1, TC)) if EACH else w.load((r % w.shape[0], 0), (1, 1)))


@safe
def scaled_channels(
    y: Out["R", "C", "L"],
    x: Ref["R", "C", "L"],
    mean: Ref["R"],
    rstd: Ref["R"],
    w: Ref["G", "W"],
    b: Ref["G", "W"],
    EACH: Const[bool],
):
    """y = (x - mean) * rstd * w + b, where row r has the weights r % G, for each channel or for all of it."""
    fh.require("W == C" if EACH else "W == 1")
    r, c, _ = y.index
    TC = y.tile[1]
    t = (wide(x.load(y.index, y.tile, allow_tma=False)) - mean.load(r, ())) * rstd.load(r, ())
    t = t * of_channels(w, r, c, TC, EACH)[:, :, None] + of_channels(b, r, c, TC, EACH)[:, :, None]
    y.store(t.astype(y.dtype), allow_tma=False)


@safe
def channel_sums(
    plain: Out["R", "C"],
    dotted: Out["R", "C"],
    dy: Ref["R", "C", "L"],
    x: Ref["R", "C", "L"],
    mean: Ref["R"],
    rstd: Ref["R"],
    TL: Const[int],
):
    """Of each channel the sum of dy, and that of dy times the normalised x."""
    r, c = plain.index
    tile, dtype = (1, plain.tile[1], TL), accumulator(x.dtype)
    one, other = fh.zeros(tile, dtype), fh.zeros(tile, dtype)
    middle, scale = mean.load(r, ()), rstd.load(r, ())
    for k in fh.tiles(x, axis=2, size=TL):
        g = wide(dy.load((r, c, k), tile))
        one, other = one + g, other + g * (wide(x.load((r, c, k), tile)) - middle) * scale
    plain.store(one.sum(axis=2))
    dotted.store(other.sum(axis=2))


@safe
def means_of_channels(
    straight: Out["R"],
    along: Out["R"],
    plain: Ref["R", "C"],
    dotted: Ref["R", "C"],
    w: Ref["G", "W"],
    number: fh.i64,
    TC: Const[int],
    EACH: Const[bool],
):
    """The sums of `channel_sums` times w, added up along each row, of which each is one of `number` elements."""
    fh.require("W == C" if EACH else "W == 1")
    (r,) = straight.index
    one, other = fh.zeros((1, TC), plain.dtype), fh.zeros((1, TC), plain.dtype)
    for c in fh.tiles(plain, axis=1, size=TC):
        weight = of_channels(w, r, c, TC, EACH)
        one, other = one + plain.load((r, c), (1, TC)) * weight, other + dotted.load((r, c), (1, TC)) * weight
    straight.store((one.sum() / number.astype(plain.dtype))[None])
    along.store((other.sum() / number.astype(plain.dtype))[None])


@safe
def sums_of_samples(
    dw: Out["G", "W"],
    db: Out["G", "W"],
    plain: Ref["S", "G", "C"],
    dotted: Ref["S", "G", "C"],
    TS: Const[int],
    TC: Const[int],
    EACH: Const[bool],
):
    """The sums of `channel_sums` added up over samples, and where not `EACH` channel has a weight, over channels."""
    fh.require("W == C" if EACH else "W == 1")
    fh.static_assert(not EACH or dw.tile == (1, TC), "a tile of weights is one of sums")
    g, c = dw.index
    one, other = fh.zeros((TS, 1, TC), plain.dtype), fh.zeros((TS, 1, TC), plain.dtype)
    for s in fh.tiles(plain, axis=0, size=TS):
        for k in fh.static_range(1) if EACH else fh.tiles(plain, axis=2, size=TC):
            at = (s, g, c if EACH else k)
            one, other = one + plain.load(at, (TS, 1, TC)), other + dotted.load(at, (TS, 1, TC))
    straight, along = tuple(t.sum(axis=0) if EACH else t.sum().reshape(1, 1) for t in (one, other))
    dw.store(along.astype(dw.dtype))
    db.store(straight.astype(db.dtype))


@safe
def scaled_channels_backward(
    dx: Out["R", "C", "L"],
    dy: Ref["R", "C", "L"],
    x: Ref["R", "C", "L"],
    mean: Ref["R"],
    rstd: Ref["R"],
    w: Ref["G", "W"],
    straight: Ref["R"],
    along: Ref["R"],
    EACH: Const[bool],
):
    """dx = rstd * (dy * w - straight - normalised x * along)."""
    fh.require("W == C" if EACH else "W == 1")
    r, c, _ = dx.index
    scale = rstd.load(r, ())
    t = (wide(x.load_like(dx)) - mean.load(r, ())) * scale
    g = wide(dy.load_like(dx)) * of_channels(w, r, c, dx.tile[1], EACH)[:, :, None]
    dx.store((scale * (g - straight.load(r, ()) - t * along.load(r, ()))).astype(dx.dtype))


# --- Functions --------------------------------------------------------------------------------------------------------


@function()
def group_norm(
    x: Tensor, groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """
    Groups of channels of `x` (N, C, ...), each by its mean and variance, times `weight` (C), plus `bias` (C),
    as `torch.nn.functional.group_norm`; differentiable. With a group for each channel it is an instance norm.

    In the dtype of `x`, computed in float32, or float64 for float64. Raises `ValueError` for other shapes.
    """
    N, C = x.shape[:2]
    if C % groups or any(t is not None and tuple(t.shape) != (C,) for t in (weight, bias)):
        raise ValueError(f"{C} channels in {groups} groups, with a weight and a bias for each channel")
    w, b = _weights(x, weight, bias, (groups, C // groups))
    return _norm(x.reshape(N * groups, C // groups, -1), w, b, eps)[0].view(x.shape)


@function()
def instance_norm(x: Tensor, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:
    """Each channel of each sample by its mean and variance, as `group_norm` with a group for each channel."""
    return group_norm(x, x.shape[1], weight, bias, eps)


@function()
def batch_norm(
    x: Tensor, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    """
    Each channel of `x` (N, C, ...) by its mean and variance over all samples, as `torch.nn.functional.batch_norm` in
    training, in what it takes as `group_norm`. Returns it, and the means (C) and variances (C; by N, not N - 1).
    """
    rows = x.reshape(x.shape[0], x.shape[1], -1).transpose(0, 1)
    w, b = _weights(x, weight, bias, (x.shape[1], 1))
    y, mean, rstd = _norm(rows, w, b, eps)
    return y.transpose(0, 1).reshape(x.shape), mean.detach(), rstd.detach() ** -2 - eps


def _weights(x: Any, weight: Any, bias: Any, shape: tuple[int, int]) -> tuple[Any, Any]:
    w = x.new_ones(shape) if weight is None else weight.view(shape)
    return w, x.new_zeros(shape) if bias is None else bias.view(shape)


# --- Operators --------------------------------------------------------------------------------------------------------


def _tile(C: int, L: int) -> tuple[int, int, int]:
    width = min(2048, power_of_two(L))
    return 1, min(max(1, 2048 // width), power_of_two(C)), width


def _hints(x: Any) -> dict[str, int]:
    """Of all launches of a norm: found on an H200 with 32 images of 64 x 256 x 256, in groups and by channels."""
    return {"num_worker_warps": 4, "occupancy": 8 if x.element_size() == 2 else 4}


def moments(mean: Any, rstd: Any, x: Any, eps: float, hints: dict[str, int]) -> None:
    """Writes the means of the rows of x (R, C, L), and what to multiply distances from them by."""
    R, C, L = x.shape
    tile = _tile(C, L)
    P = max(1, min(ceildiv(C, tile[1]), ceildiv(4 * PROCESSORS, R)))
    parts = [mean.new_empty((R, P)) for _ in range(3)]
    whole = C % tile[1] == 0 and L % tile[2] == 0
    of_parts = {"num_worker_warps": 8, "occupancy": 2} if C == 1 and x.element_size() == 4 else hints
    hinted(moments_parts, of_parts)(*(fh.partition(t, (1, 1)) for t in parts), x, *tile[1:], whole).on()
    hinted(moments_joined, hints)(fh.partition(mean, 1), fh.partition(rstd, 1), *parts, eps, power_of_two(P)).on()


def _per_row(x: Any) -> Any:
    return x.new_empty((x.shape[0],), dtype=wide_dtype(x))


@operator(
    "norm_channels(Tensor x, Tensor w, Tensor b, float eps) -> (Tensor, Tensor, Tensor)",
    results=lambda x, w, b, eps: (x.new_empty_strided(x.shape, x.stride()), _per_row(x), _per_row(x)),
    takes={"x": "floats", "w": "floats", "b": "floats"},
)
def _norm(y: Any, mean: Any, rstd: Any, x: Any, w: Any, b: Any, eps: float) -> None:
    _, C, L = x.shape
    hints = _hints(x)
    moments(mean, rstd, x, eps, hints)
    width = min(4096 // y.dtype.itemsize, power_of_two(L))
    part = fh.partition(y, (1, min(max(1, 4096 // y.dtype.itemsize // width), power_of_two(C)), width))
    hinted(scaled_channels, hints)(part, x, mean, rstd, w, b, w.shape[1] == C).on()


@operator(
    "norm_channels_backward(Tensor dy, Tensor x, Tensor w, Tensor mean, Tensor rstd) -> (Tensor, Tensor, Tensor)",
    results=lambda dy, x, w, mean, rstd: (
        x.new_empty_strided(x.shape, x.stride()),
        w.new_empty(w.shape),
        w.new_empty(w.shape),
    ),
)
def _norm_backward(dx: Any, dw: Any, db: Any, dy: Any, x: Any, w: Any, mean: Any, rstd: Any) -> None:
    R, C, L = x.shape
    tile, each = _tile(C, L), w.shape[1] == C
    plain, dotted = (mean.new_empty((R, C)) for _ in range(2))
    sums = tuple(fh.partition(t, tile[:2]) for t in (plain, dotted))
    hinted(channel_sums, {"num_worker_warps": 4, "occupancy": 4})(*sums, dy, x, mean, rstd, tile[2]).on()
    straight, along = (mean.new_empty((R,)) for _ in range(2))
    wide_tile, each_row = min(1024, power_of_two(C)), (fh.partition(t, 1) for t in (straight, along))
    means_of_channels(*each_row, plain, dotted, w, C * L, wide_tile, each).on()
    samples = R // w.shape[0]
    high, width = min(32, power_of_two(samples)), min(64, power_of_two(C))
    weights = (fh.partition(t, (1, width if each else 1)) for t in (dw, db))
    seen = (t.view(samples, -1, C) for t in (plain, dotted))
    sums_of_samples(*weights, *seen, high, width, each).on()
    hints = {"num_worker_warps": 2, "occupancy": 8} if dx.element_size() == 2 else _hints(dx)
    scaled = hinted(scaled_channels_backward, hints)
    scaled(fh.partition(dx, tile), dy, x, mean, rstd, w, straight, along, each).on()


@_norm.backward(keeps=lambda inputs, output: (*inputs[:2], *output[1:]))
def _norm_gradients(ctx: Any, dy: Any, *_: Any) -> tuple[Any, ...]:
    return *_norm_backward(dy.contiguous(), *ctx.saved_tensors), None
