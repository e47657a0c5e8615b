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
