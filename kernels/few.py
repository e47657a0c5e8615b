"""Products with few rows, as decoding has them: norms in front, gates and residuals behind, in one launch."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import freehold as fh
from freehold import Const, Out, Ref, f32
from freehold.kernels.activations import activate
from freehold.kernels.schedules import (
    PROCESSORS,
    ByRow,
    by_row,
    ceildiv,
    compiled_in,
    cut,
    filled,
    hinted,
    power_of_two,
)
from freehold.kernels.tiles import safe, safe_early, wide

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


def sums(y: Any, x: Any, weights: Any, norm: Any, BK: int, AHEAD: int, TMA: bool) -> tuple[Any, Any]:
    """
    Products of a row of x with rows of each of `weights`, and with `norm` of x * norm, and the sum of squares of x.

    The first `AHEAD` tiles of the weights are loaded before x, which the kernel in front may still be writing.
    """
    m, n = y.index
    high = y.tile[1]
    found, squares = tuple(fh.zeros((high, BK), f32) for _ in weights), fh.zeros((1, BK), f32)
    first = tuple(tuple(w.load((n, k), (high, BK), allow_tma=TMA) for w in weights) for k in fh.static_range(AHEAD))
    norms = () if norm is None else tuple(norm.load((k,), (BK,), allow_tma=False) for k in fh.static_range(AHEAD))
    for k in fh.static_range(AHEAD):
        t = wide(x.load((m, k), (1, BK), allow_tma=False))
        if norm is not None:
            squares += t * t
            t = t * wide(norms[k])[None]
        found = tuple(sum + wide(row) * t for sum, row in zip(found, first[k], strict=True))
    for k in fh.tiles(weights[0], axis=1, size=BK, start=AHEAD):
        rows = tuple(w.load((n, k), (high, BK), allow_tma=TMA) for w in weights)
        t = wide(x.load((m, k), (1, BK), allow_tma=False))
        if norm is not None:
            squares += t * t
            t = t * wide(norm.load((k,), (BK,), allow_tma=False))[None]
        found = tuple(sum + wide(row) * t for sum, row in zip(found, rows, strict=True))
    return tuple(t.sum(axis=1)[None] for t in found), squares.sum(axis=1, keepdims=True)


def rooted(squares: Any, x: Any, eps: Any) -> Any:
    """1 / sqrt(mean(x ** 2) + eps), of the sum of squares."""
    return fh.rsqrt(squares / x.shape[1].astype(f32) + eps)


# freehold: AHEAD=2 TMA=True
@safe_early("w", "norm", "scale")
def waiting_row_product(
    y: Out["M", "N"],
    x: Ref["M", "K"],
    w: Ref["N", "K"],
    eps: f32,
    BK: Const[int],
    AHEAD: Const[int],
    TMA: Const[bool],
    scale: Ref["N"] | None = None,
    norm: Ref["K"] | None = None,
    residual: Ref["M", "N"] | None = None,
    N: Const[Any] = None,
    K: Const[Any] = None,
):
    """
    As `row_product`, of weights that are loaded ahead of x: y = x @ (w * scale).T + residual. With `scale`, which each
    row has one of, they have 8 bits.

    `AHEAD` and `TMA` are as in `sums`.
    """
    m, n = y.index
    high = y.tile[1]
    (found,), squares = sums(y, x, (w,), norm, BK, AHEAD, TMA)
    if norm is not None:
        found = found * rooted(squares, x, eps)
    if scale is not None:
        found = found * scale.load((n,), (high,), allow_tma=False)[None]
    if residual is not None:
        found += wide(residual.load((m, n), (1, high), allow_tma=False))
    y.store(found.astype(y.dtype), allow_tma=False)


# freehold: AHEAD=2 TMA=True
@safe_early("gate", "up", "norm", "gate_scale", "up_scale")
def waiting_gated_row_product(
    y: Out["M", "N"],
    x: Ref["M", "K"],
    gate: Ref["N", "K"],
    up: Ref["N", "K"],
    norm: Ref["K"],
    eps: f32,
    BK: Const[int],
    AHEAD: Const[int],
    TMA: Const[bool],
    gate_scale: Ref["N"] | None = None,
    up_scale: Ref["N"] | None = None,
    N: Const[Any] = None,
    K: Const[Any] = None,
):
    """
    As `gated_row_product`, of weights that are loaded ahead of x, of 8 bits if there are scales:
    y = silu(x @ (gate * gate_scale).T) * (x @ (up * up_scale).T).
    """
    _, n = y.index
    high = y.tile[1]
    found, squares = sums(y, x, (gate, up), norm, BK, AHEAD, TMA)
    root = rooted(squares, x, eps)
    g, u = tuple(
        t * root if scale is None else t * root * scale.load((n,), (high,), allow_tma=False)[None]
        for t, scale in zip(found, (gate_scale, up_scale), strict=True)
    )
    g, u = tuple(t.astype(y.dtype).astype(f32) for t in (g, u))
    y.store((activate(g, "silu") * u).astype(y.dtype), allow_tma=False)


@safe
def gated_product(y: Out["M", "N"], x: Ref["M", "K"], gate: Ref["N", "K"], up: Ref["N", "K"], BK: Const[int]):
    """
    y = silu(x @ gate.T) * (x @ up.T).

    A tile is added up as its transpose: so 64 rows of weights and more are multiplied from shared memory, however few
    rows x has.
    """
    m, n = y.index
    TM, TN = y.tile
    one, other = fh.zeros((TN, TM), f32), fh.zeros((TN, TM), f32)
    for k in fh.tiles(gate, axis=1, size=BK):
        t = x.load((m, k), (TM, BK)).T
        one = fh.mma(gate.load((n, k), (TN, BK)), t, one)
        other = fh.mma(up.load((n, k), (TN, BK)), t, other)
    g, u = tuple(t.astype(y.dtype).astype(f32) for t in (one, other))
    y.store((activate(g, "silu") * u).T.astype(y.dtype))


# --- Launches ---------------------------------------------------------------------------------------------------------


MANY: Final = 32768
"""Rows of weights, of a head, beside which what a block begins and ends with is little."""


def of_head(count: int, length: int) -> ByRow:
    """How a head is cut, which has `MANY` rows: long ones by TMA, for its blocks load so much that they never wait."""
    if length < 2048 and compiled_in(length):
        return ByRow(4, min(512, power_of_two(length)), 6, (count if count % 4 == 0 else None, length))
    step, occupancy = (512, 2) if length >= 4096 else (256, 4)
    return ByRow(16, max(16, min(step, power_of_two(length))), occupancy, (None, None))


GATED: Final = (32, 128, 3), (16, 128, 5), (8, 256, 3), (16, 256, 4)
"""Rows of a tile, its columns and blocks of a multiprocessor, of gated products whose blocks all run at once."""


def gated_way(count: int) -> tuple[int, int, int]:
    """One of `GATED` for so many rows of each weight, which fills the GPU best; where none holds all, the last."""
    whole = [way for way in GATED if ceildiv(count, way[0]) <= way[2] * PROCESSORS]
    return max(whole or GATED[-1:], key=lambda way: filled(ceildiv(count, way[0]), way[2]))


class Ahead(NamedTuple):
    """How a matrix is cut whose rows are loaded ahead of what they are multiplied by."""

    rows: int
    """Rows that a block multiplies."""
    step: int
    """Elements along a row that it multiplies at once."""
    steps: int
    """How many of these steps are loaded ahead."""
    warps: int
    occupancy: int

    @property
    def constants(self) -> tuple[int, int, bool]:
        """The kernel's `BK`, `AHEAD` and `TMA`."""
        return self.step, self.steps, False

    @property
    def hints(self) -> dict[str, int]:
        """The kernel's hints."""
        return {"num_worker_warps": self.warps, "occupancy": self.occupancy}


def ahead_of(count: int, length: int) -> Ahead | None:
    """
    How `count` rows of `length` elements are cut to be loaded ahead; None for what is too short, or of other lengths.

    A block has as much on its way as its registers hold, and few rows, so that the next one soon begins to load.
    """
    steps = length // 1024
    if length < 1024 or length % 512 or steps > 16:
        return None
    if length % 1024:
        return Ahead(2, 512, min(5, length // 512), 1, 2) if length <= 2560 else Ahead(2, 512, 4, 2, 6)
    if steps == 1:
        return Ahead(4, 1024, 1, 1, 2)
    if steps <= 4:
        return Ahead(1 if count <= 8 * PROCESSORS else 2, 1024, steps if steps < 4 else 2, 4, 8)
    return Ahead(2, 1024, steps, 4, 4) if steps <= 8 else Ahead(2, 1024, 6, 4, 5)


def head_ahead(length: int) -> Ahead | None:
    """The same for a head, of rows as models of 4B and 8B have them."""
    return {2560: Ahead(2, 512, 5, 2, 6), 4096: Ahead(2, 1024, 4, 4, 5)}.get(length)


def gated_ahead(length: int) -> Ahead | None:
    """The same for gated products, of rows as models have them."""
    ways = {1024: (4, 1024, 1, 2, 3), 2560: (1, 512, 5, 4, 8), 4096: (2, 1024, 4, 4, 4), 5120: (2, 1024, 5, 4, 3)}
    return Ahead(*ways[length]) if length in ways else None


def narrow_way(length: int, long: bool) -> tuple[int, tuple[Any, ...], dict[str, int]]:
    """
    How weights of 8 bits are cut, of rows of `length` elements: rows of a tile, the kernel's `BK`, `AHEAD` and `TMA`,
    and its hints. With `long` rows of 4096 and more go by TMA, which is faster where norms come in front.
    """
    if compiled_in(length) and length >= 1024 and not (long and length >= 4096):
        return 1, (1024, min(2, length // 1024), False), {"num_worker_warps": 4, "occupancy": 8}
    return 16, (max(16, min(512, power_of_two(length))), 1, True), {"num_worker_warps": 4, "occupancy": 3}


def row_product_launch(y: Any, x: Any, w: Any, norm: Any, residual: Any, eps: float, scale: Any = None) -> Any:
    """
    The launch of `row_product` for y (M, N), x (M, K) and w (N, K); `norm` (K) and `residual` (M, N) may be None. With
    `scale` (N) weights have 8 bits.
    """
    if scale is not None:
        rows, constants, hints = narrow_way(w.shape[1], norm is not None)
        given = x, w, eps, *constants, scale, norm, residual, *_compiled_in(w, constants)
        return hinted(waiting_row_product, hints)(cut(y, (1, rows)), *given)
    ahead = head_ahead(w.shape[1]) if w.shape[0] >= MANY else ahead_of(*w.shape)
    if ahead is not None:
        given = x, w, eps, *ahead.constants, None, norm, residual, *w.shape
        return hinted(waiting_row_product, ahead.hints)(cut(y, (1, ahead.rows)), *given)
    by = of_head(*w.shape) if w.shape[0] >= MANY else by_row(*w.shape, alone=norm is None)
    given = x, w, eps, by.step, norm, residual, *by.extents
    return hinted(row_product, by.hints)(cut(y, (1, by.rows)), *given)


def gated_row_product_launch(
    y: Any, x: Any, gate: Any, up: Any, norm: Any, eps: float, scales: tuple[Any, Any] | None = None
) -> Any:
    """
    The launch of `gated_row_product` for y (M, N), x (M, K), weights (N, K) and `norm` (K). With `scales` (N) of both
    weights have 8 bits.
    """
    if scales is not None:
        rows, constants, hints = narrow_way(gate.shape[1], long=False)
        given = x, gate, up, norm, eps, *constants, *scales, *_compiled_in(gate, constants)
        return hinted(waiting_gated_row_product, hints)(cut(y, (1, rows)), *given)
    ahead = gated_ahead(gate.shape[1])
    if ahead is not None:
        given = x, gate, up, norm, eps, *ahead.constants, None, None, *gate.shape
        return hinted(waiting_gated_row_product, ahead.hints)(cut(y, (1, ahead.rows)), *given)
    rows, step, occupancy = gated_way(gate.shape[0])
    step = max(16, min(step, power_of_two(gate.shape[1])))
    return hinted(gated_row_product, {"occupancy": occupancy})(cut(y, (1, rows)), x, gate, up, norm, eps, step)


def _compiled_in(w: Any, constants: tuple[Any, ...]) -> tuple[int | None, int | None]:
    """The extents of weights that are compiled in: those of rows that threads load."""
    return (None, None) if constants[2] else tuple(w.shape)


def gated_product_launch(y: Any, x: Any, gate: Any, up: Any) -> Any:
    """
    The launch of `gated_product` for y (M, N), of up to `MOST_ROWS` rows, x (M, K) and weights (N, K).

    Weights are read in tiles of 64 rows; a multiprocessor has two of them where there are more than multiprocessors.
    """
    rows, (n, k) = max(16, power_of_two(y.shape[0])), gate.shape
    step = max(16, min(128, power_of_two(k)))
    hints = {"occupancy": 1 if ceildiv(n, 64) <= PROCESSORS else 2}
    return hinted(gated_product, hints)(cut(y, (rows, 64)), x, gate, up, step)
