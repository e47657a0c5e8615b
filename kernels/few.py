"""Products with few rows, as decoding has them: norms in front, gates and residuals behind, in one launch."""

from __future__ import annotations

from typing import Any, Final

import freehold as fh
from freehold import Const, Out, Ref, f32
from freehold.kernels.activations import activate
from freehold.kernels.schedules import PROCESSORS, ByRow, by_row, ceildiv, compiled_in, cut, hinted, power_of_two
from freehold.kernels.tiles import safe, wide

MOST_ROWS: Final = 64
"""Rows of a product that is bound by reading its weights."""

# --- Kernels ----------------------------------------------------------------------------------------------------------


@safe
def row_product(
    y: Out["M", "N"],
    x: Ref["M", "K"],
    w: Ref["N", "K"],
    eps: f32,
    BK: Const[int],
    norm: Ref["K"] | None = None,
    residual: Ref["M", "N"] | None = None,
    N: Const[Any] = None,
    K: Const[Any] = None,
):
    """
    y = x @ w.T + residual, a row of x at a time; with `norm`, x is x / sqrt(mean(x ** 2) + eps) * norm.

    What x is multiplied by is the same for all of a row, and follows the sum: so rows are read once. With `N` and `K`
    these extents are compiled in, as in `matvec_rows`.
    """
    m, n = y.index
    high, tma = y.tile[1], K is None
    acc, squares = fh.zeros((high, BK), f32), fh.zeros((1, BK), f32)
    for k in fh.tiles(w, axis=1, size=BK):
        t = wide(x.load((m, k), (1, BK), allow_tma=tma))
        if norm is not None:
            squares += t * t
            t = t * wide(norm.load((k,), (BK,), allow_tma=tma))[None]
        acc += wide(w.load((n, k), (high, BK), allow_tma=tma)) * t
    found = acc.sum(axis=1)[None]
    if norm is not None:
        found = found * fh.rsqrt(squares.sum(axis=1, keepdims=True) / x.shape[1].astype(f32) + eps)
    if residual is not None:
        found += wide(residual.load((m, n), (1, high)))
    y.store(found.astype(y.dtype), allow_tma=tma)


@safe
def gated_row_product(
    y: Out["M", "N"], x: Ref["M", "K"], gate: Ref["N", "K"], up: Ref["N", "K"], norm: Ref["K"], eps: f32, BK: Const[int]
):
    """y = silu(x @ gate.T) * (x @ up.T), of x normalised as in `row_product`."""
    m, n = y.index
    high = y.tile[1]
    one, other, squares = fh.zeros((high, BK), f32), fh.zeros((high, BK), f32), fh.zeros((1, BK), f32)
    for k in fh.tiles(gate, axis=1, size=BK):
        t = wide(x.load((m, k), (1, BK)))
        squares += t * t
        t = t * wide(norm.load((k,), (BK,)))[None]
        one += wide(gate.load((n, k), (high, BK))) * t
        other += wide(up.load((n, k), (high, BK))) * t
    scale = fh.rsqrt(squares.sum(axis=1, keepdims=True) / x.shape[1].astype(f32) + eps)
    g, u = tuple((t.sum(axis=1)[None] * scale).astype(y.dtype).astype(f32) for t in (one, other))
    y.store((activate(g, "silu") * u).astype(y.dtype))


@safe
def gated_product(y: Out["M", "N"], x: Ref["M", "K"], gate: Ref["N", "K"], up: Ref["N", "K"], BK: Const[int]):
    """y = silu(x @ gate.T) * (x @ up.T)."""
    m, n = y.index
    TM, TN = y.tile
    one, other = fh.zeros((TM, TN), f32), fh.zeros((TM, TN), f32)
    for k in fh.tiles(gate, axis=1, size=BK):
        t = x.load((m, k), (TM, BK))
        one = fh.mma(t, gate.load((n, k), (TN, BK)).T, one)
        other = fh.mma(t, up.load((n, k), (TN, BK)).T, other)
    g, u = tuple(t.astype(y.dtype).astype(f32) for t in (one, other))
    y.store((activate(g, "silu") * u).astype(y.dtype))


# --- Launches ---------------------------------------------------------------------------------------------------------


MANY: Final = 32768
"""Rows of weights, of a head, beside which what a block begins and ends with is little."""


def of_head(count: int, length: int) -> ByRow:
    """How a head is cut, which has `MANY` rows: long ones by TMA, for its blocks load so much that they never wait."""
    if length < 2048 and compiled_in(length):
        return ByRow(4, min(512, power_of_two(length)), 6, (count if count % 4 == 0 else None, length))
    step, occupancy = (512, 2) if length >= 4096 else (256, 4)
    return ByRow(16, max(16, min(step, power_of_two(length))), occupancy, (None, None))


def row_product_launch(y: Any, x: Any, w: Any, norm: Any, residual: Any, eps: float) -> Any:
    """The launch of `row_product` for y (M, N), x (M, K) and w (N, K); `norm` (K) and `residual` (M, N) may be None."""
    by = of_head(*w.shape) if w.shape[0] >= MANY else by_row(*w.shape, alone=norm is None)
    given = x, w, eps, by.step, norm, residual, *by.extents
    return hinted(row_product, by.hints)(cut(y, (1, by.rows)), *given)


def gated_row_product_launch(y: Any, x: Any, gate: Any, up: Any, norm: Any, eps: float) -> Any:
    """The launch of `gated_row_product` for y (M, N), x (M, K), weights (N, K) and `norm` (K)."""
    step = max(16, min(256, power_of_two(gate.shape[1])))
    hints = {"occupancy": 4 if gate.shape[0] >= 8192 else 2}
    return hinted(gated_row_product, hints)(cut(y, (1, 16)), x, gate, up, norm, eps, step)


def gated_product_launch(y: Any, x: Any, gate: Any, up: Any) -> Any:
    """The launch of `gated_product` for y (M, N), of up to `MOST_ROWS` rows, x (M, K) and weights (N, K)."""
    rows, (n, k) = max(16, power_of_two(y.shape[0])), gate.shape
    high = 32 if ceildiv(n, 32) >= PROCESSORS else 16
    step = max(16, min(256 if rows <= 16 else 128, power_of_two(k)))
    return hinted(gated_product, {"occupancy": 1})(cut(y, (rows, high)), x, gate, up, step)
