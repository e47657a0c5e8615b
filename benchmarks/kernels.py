"""The kernels that the benchmarks time. They are written as any user's would be."""

from __future__ import annotations

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32, i32


@fh.kernel
def add(z: Out["N"], x: Ref["N"], y: Ref["N"]):
    """z = x + y."""
    z.store(x.load_like(z) + y.load_like(z))


@fh.kernel
def saxpy(y: Mut["N"], x: Ref["N"], a: f32):
    """y = a * x + y."""
    y.store(a * x.load_like(y) + y.load())


@fh.kernel
def softmax(y: Out["M", "N"], x: Ref["M", "N"]):
    """Along rows that are longer than a tile: the maximum and the sum in one walk, the quotients in a second."""
    (i,) = y.index
    top = fh.full((y.tile[0], 1), float("-inf"), f32)
    total = fh.zeros((y.tile[0], 1), f32)
    for k in fh.tiles(x, axis=1, size=y.tile[1]):
        t = x.load((i, k), y.tile, padding="-inf")
        higher = fh.maximum(top, t.max(axis=1, keepdims=True))
        total = total * fh.exp(top - higher) + fh.exp(t - higher).sum(axis=1, keepdims=True)
        top = higher
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        y.at(k).store(fh.exp(x.load((i, k), y.tile) - top) / total)


@fh.kernel
def layer_norm(
    y: Out["M", "N"],
    mean: Out["M"],
    rstd: Out["M"],
    x: Ref["M", "N"],
    w: Ref["N"],
    b: Ref["N"],
    eps: f32,
):
    """y = (x - mean) * rstd * w + b, along rows; two walks for the moments, so that nothing cancels."""
    (i,) = y.index
    n = x.shape[1].astype(f32)
    total = fh.zeros((y.tile[0], 1), f32)
    for k in fh.tiles(x, axis=1, size=y.tile[1]):
        total += x.load((i, k), y.tile).sum(axis=1, keepdims=True)
    middle = total / n
    squares = fh.zeros((y.tile[0], 1), f32)
    for k in fh.tiles(x, axis=1, size=y.tile[1]):
        inside = (k * y.tile[1] + fh.arange(y.tile[1]))[None, :] < x.shape[1]
        d = fh.where(inside, x.load((i, k), y.tile) - middle, 0.0)
        squares += (d * d).sum(axis=1, keepdims=True)
    scale = fh.rsqrt(squares / n + eps)
    mean.store(middle.reshape(mean.tile))
    rstd.store(scale.reshape(rstd.tile))
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        t = (x.load((i, k), y.tile) - middle) * scale
        y.at(k).store(t * w.load((k,), (y.tile[1],)) + b.load((k,), (y.tile[1],)))


@fh.kernel
def gemm(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = 32):
    """c = a @ b, accumulated in float32."""
    m, n = c.index
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK):
        left = a.load((m, k), (c.tile[0], BK), latency=8)
        right = b.load((k, n), (BK, c.tile[1]), latency=8)
        acc = fh.mma(left, right, acc)
    c.store(acc.astype(c.dtype))


@fh.kernel
def experts_gemm(
    y: Out["S", "N"],
    x: Ref["T", "K"],
    w: Ref["E", "K", "N"],
    token: Ref[i32, "S"],
    expert: Ref[i32, "ceildiv(S, BM)"],
    BM: Const[int] = 128,
    BK: Const[int] = 32,
):
    """Row s of y is row token[s] of x times the matrix of its expert, or 0 where that is no row.

    Rows are sorted by expert and filled up, so that a tile of BM rows has one: expert[s // BM].
    """
    s, n = y.index
    rows = token.load((s,), (BM,))
    e = fh.clip(expert.load((s,), (1,)).max(), 0, w.shape[0] - 1)
    acc = fh.zeros(y.tile, f32)
    for k in fh.tiles(w, axis=1, size=BK):
        left = x.gather(rows[:, None], (k * BK + fh.arange(BK))[None, :])
        right = w.load((e, k, n), (1, BK, y.tile[1])).reshape(BK, y.tile[1])
        acc = fh.mma(left, right, acc)
    y.store(acc.astype(y.dtype))
