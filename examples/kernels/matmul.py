"""Matrix products: batched, split along K, grouped, of 8-bit integers and floats, and with a vector."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import freehold as fh
from examples.kernels.example import BF16, FP8, Example, Inputs, unwritten
from freehold import Acc, Const, Out, Ref, f8e4m3fn, f32, i8, i32


@fh.kernel
def gemm(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = 64):
    """c = a @ b, accumulated in f32."""
    m, n = c.index
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK):
        acc = fh.mma(a.load((m, k), (c.tile[0], BK)), b.load((k, n), (BK, c.tile[1])), acc)
    c.store(acc.astype(c.dtype))


@fh.kernel
def batched_gemm(c: Out["B", "M", "N"], a: Ref["B", "M", "K"], b: Ref["B", "K", "N"], BK: Const[int] = 64):
    """c[i] = a[i] @ b[i]."""
    i, m, n = c.index
    _, TM, TN = c.tile
    acc = fh.zeros((1, TM, TN), f32)
    for k in fh.tiles(a, axis=2, size=BK):
        acc = fh.mma(a.load((i, m, k), (1, TM, BK)), b.load((i, k, n), (1, BK, TN)), acc)
    c.store(acc.astype(c.dtype))


@fh.kernel
def gemm_parts(parts: Out["S", "M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = 64):
    """Split along K: part s sums every S-th step. `sum_parts` adds the parts up, in the same order every time."""
    s, m, n = parts.index
    _, TM, TN = parts.tile
    acc = fh.zeros((TM, TN), f32)
    for k in fh.tiles(a, axis=1, size=BK, start=s, step=parts.shape[0]):
        acc = fh.mma(a.load((m, k), (TM, BK)), b.load((k, n), (BK, TN)), acc)
    parts.store(acc[None])


@fh.kernel
def sum_parts(c: Out["M", "N"], parts: Ref["S", "M", "N"]):
    """c = parts.sum(axis=0)."""
    m, n = c.index
    acc = fh.zeros(c.tile, f32)
    for s in fh.tiles(parts, axis=0, size=1):
        acc += parts.load((s, m, n), (1, *c.tile)).reshape(c.tile)
    c.store(acc.astype(c.dtype))


@fh.kernel
def gemm_split_k(c: Acc[f32, "M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], steps: Const[int] = 2):
    """c += a @ b, one block for each tile of c and each `steps` tiles of a: the sums meet in memory."""
    m, kk, n = c.index[0], a.index[1], c.index[1]
    BK = a.tile[1]
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK // steps, start=kk * steps, stop=(kk + 1) * steps):
        left = a.load((m, k), (c.tile[0], BK // steps))
        acc = fh.mma(left, b.load((k, n), (BK // steps, c.tile[1])), acc)
    c.add(acc)


@fh.kernel
def gemm_splits(
    c: Acc[f32, "M", "N"],
    a: Ref["M", "K"],
    b: Ref["K", "N"],
    splits: i32,
    at: fh.Grid = fh.Grid("cdiv(M, 16)", "splits", "cdiv(N, 32)"),
    BK: Const[int] = 64,
):
    """c += a @ b, `splits` blocks for each tile of c: as many as keep the GPU busy, which the caller knows."""
    m, s, n = at.index
    acc = fh.zeros((16, 32), f32)
    for k in fh.tiles(a, axis=1, size=BK, start=s, step=splits):
        acc = fh.mma(a.load((m, k), (16, BK)), b.load((k, n), (BK, 32)), acc)
    c.at(m, n).add(acc)


@fh.kernel
def gemm_i8(
    c: Out["M", "N"], a: Ref[i8, "M", "K"], b: Ref[i8, "K", "N"], sa: Ref["M"], sb: Ref["N"], BK: Const[int] = 64
):
    """c = (a @ b) * sa[:, None] * sb: exact sums of products of 8-bit integers, scaled by rows and columns."""
    m, n = c.index
    acc = fh.zeros(c.tile, i32)
    for k in fh.tiles(a, axis=1, size=BK):
        acc = fh.mma(a.load((m, k), (c.tile[0], BK)), b.load((k, n), (BK, c.tile[1])), acc)
    scale = sa.load((m,), (c.tile[0],))[:, None] * sb.load((n,), (c.tile[1],))[None, :]
    c.store((acc.astype(f32) * scale).astype(c.dtype))


@fh.kernel
def gemm_fp8(
    c: Out["M", "N"],
    a: Ref[f8e4m3fn, "M", "K"],
    b: Ref[f8e4m3fn, "K", "N"],
    sa: Ref["M", "(K + 63) // 64"],
    sb: Ref["(K + 63) // 64", "N"],
):
    """c = a @ b of 8-bit floats, with a scale for each 64 steps along K of a row of a and of a column of b."""
    m, n = c.index
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=64):
        part = fh.mma(a.load((m, k), (c.tile[0], 64)), b.load((k, n), (64, c.tile[1])), fh.zeros(c.tile, f32))
        acc += part * sa.load((m, k), (c.tile[0], 1)) * sb.load((k, n), (1, c.tile[1]))
    c.store(acc.astype(c.dtype))


@fh.kernel
def matvec(y: Out["M"], a: Ref["M", "K"], x: Ref["K"], BK: Const[int] = 64):
    """y = a @ x, as decoding one token needs it: bound by reading a."""
    (m,) = y.index
    acc = fh.zeros((y.tile[0], BK), f32)
    for k in fh.tiles(a, axis=1, size=BK):
        acc += a.load((m, k), (y.tile[0], BK)).astype(f32) * x.load((k,), (BK,)).astype(f32)[None, :]
    y.store(acc.sum(axis=1).astype(y.dtype))


def examples() -> Iterator[Example]:
    """A launch of each kernel of this file."""
    new = Inputs(3)
    M, N, K = 40, 50, 150
    a, b = new.normal(M, K, dtype=BF16), new.normal(K, N, dtype=BF16)
    wide_a, wide_b = a.astype(np.float32), b.astype(np.float32)
    product = wide_a @ wide_b
    yield Example(gemm, (fh.partition(unwritten(M, N, dtype=BF16), (16, 32)), a, b), {0: product}, 4e-3)

    many_a, many_b = new.normal(3, M, K, dtype=BF16), new.normal(3, K, N, dtype=BF16)
    many = many_a.astype(np.float32) @ many_b.astype(np.float32)
    part = fh.partition(unwritten(3, M, N, dtype=BF16), (1, 16, 32))
    yield Example(batched_gemm, (part, many_a, many_b), {0: many}, 4e-3)

    steps = [range(s * 64, min((s + 1) * 64, K)) for s in range(3)]
    parts = np.stack([sum(wide_a[:, t] @ wide_b[t] for t in steps[s::2]) for s in range(2)])
    yield Example(gemm_parts, (fh.partition(unwritten(2, M, N), (1, 16, 32)), a, b), {0: parts})
    yield Example(sum_parts, (fh.partition(unwritten(M, N), (16, 32)), parts), {0: product})

    meeting = fh.partition(
        np.zeros((M, N), np.float32), (16, 32), map=lambda i, j, k: (i, j), grid=lambda m, n: (m, n, 3)
    )
    shared = fh.partition(a, (16, 64), map=lambda i, j, k: (i, k), grid=lambda m, k: (m, 2, k))
    yield Example(gemm_split_k, (meeting, shared, b), {0: product})
    for splits in (1, 2, 5):
        grid = fh.Grid("cdiv(M, 16)", "splits", "cdiv(N, 32)", blocks=fh.EACH if splits < 5 else fh.PERSISTENT)
        yield Example(gemm_splits, (np.zeros((M, N), np.float32), a, b, splits, grid), {0: product})

    a8, b8 = (new.integers(-128, 128, *shape, dtype=np.int8) for shape in ((M, K), (K, N)))
    sa, sb = new.normal(M), new.normal(N)
    scaled = (a8.astype(np.int32) @ b8.astype(np.int32)) * sa[:, None] * sb
    yield Example(gemm_i8, (fh.partition(unwritten(M, N), (16, 32)), a8, b8, sa, sb), {0: scaled})

    f8, g8 = new.normal(M, K, dtype=FP8), new.normal(K, N, dtype=FP8)
    sa, sb = abs(new.normal(M, 3)), abs(new.normal(3, N))
    blocks = [(f8[:, t].astype(np.float32) @ g8[t].astype(np.float32)) for t in steps]
    scaled = sum(part * sa[:, k : k + 1] * sb[k : k + 1] for k, part in enumerate(blocks))
    yield Example(gemm_fp8, (fh.partition(unwritten(M, N), (16, 32)), f8, g8, sa, sb), {0: np.asarray(scaled)})

    x = new.normal(K, dtype=BF16)
    yield Example(matvec, (fh.partition(unwritten(M), 8), a, x), {0: wide_a @ x.astype(np.float32)})
