"""Matrix products: launches of `freehold.kernels`; and sums that meet in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import freehold as fh
from examples.kernels.example import BF16, FP8, Example, Inputs, unwritten
from freehold import Acc, Const, Ref, f32, i32
from freehold.kernels.products import (
    batched_matmul_tiles,
    matmul_splits,
    matmul_tiles,
    matmul_two_tiles,
    matvec_rows,
    sum_of_splits,
)
from freehold.kernels.quantised import scaled_matmul_tiles


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


def examples() -> Iterator[Example]:
    """A launch of each kernel of this file."""
    new = Inputs(3)
    M, N, K = 40, 50, 150
    a, b = new.normal(M, K, dtype=BF16), new.normal(K, N, dtype=BF16)
    wide_a, wide_b = a.astype(np.float32), b.astype(np.float32)
    product = wide_a @ wide_b
    bias, residual = new.normal(N), new.normal(M, N)
    for ta, tb in ((False, False), (True, True)):
        left, right = (np.ascontiguousarray(t.T) if turned else t for t, turned in ((a, ta), (b, tb)))
        part = fh.partition(unwritten(M, N, dtype=BF16), (16, 32))
        if not ta:
            yield Example(matmul_tiles, (part, left, right, None, None, 64, ta, tb), {0: product}, 4e-3)
        given = left, right, bias, residual, 64, ta, tb, "relu"
        yield Example(matmul_tiles, (part, *given), {0: np.maximum(product + bias, 0) + residual}, 4e-3)

        regions = fh.partition(unwritten(M, N, dtype=BF16), (16, 8), partial=True)
        grid = fh.Grid("cdiv(M, 16)", "cdiv(N, 24)")
        given = left, right, bias, residual, grid, 64, 16, ta, tb, "relu"
        yield Example(matmul_two_tiles, (regions, *given), {0: np.maximum(product + bias, 0) + residual}, 4e-3)

    many_a, many_b = new.normal(3, M, K, dtype=BF16), new.normal(3, K, N, dtype=BF16)
    many = many_a.astype(np.float32) @ many_b.astype(np.float32)
    part = fh.partition(unwritten(3, M, N, dtype=BF16), (1, 16, 32))
    yield Example(batched_matmul_tiles, (part, many_a, many_b, 64), {0: many}, 4e-3)

    steps = [range(s * 64, min((s + 1) * 64, K)) for s in range(3)]
    parts = np.stack([sum(wide_a[:, t] @ wide_b[t] for t in steps[s::2]) for s in range(2)])
    yield Example(matmul_splits, (fh.partition(unwritten(2, M, N), (1, 16, 32)), a, b, 64), {0: parts})
    given = parts, bias, residual, "relu"
    wanted = np.maximum(product + bias, 0) + residual
    yield Example(sum_of_splits, (fh.partition(unwritten(M, N), (16, 32)), *given), {0: wanted})

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
    scaled = (a8.astype(np.int32) @ b8.astype(np.int32)) * sa[:, None] * sb + bias
    part, turned = fh.partition(unwritten(M, N), (16, 32)), np.ascontiguousarray(b8.T)
    given = a8, turned, sa[None], sb[None], bias, 64
    yield Example(scaled_matmul_tiles, (part, *given), {0: scaled})

    f8, g8 = new.normal(M, K, dtype=FP8), new.normal(K, N, dtype=FP8)
    sa, sb = abs(new.normal(M, 2)), abs(new.normal(1, 2))
    steps = [range(128), range(128, K)]
    blocks = [(f8[:, t].astype(np.float32) @ g8[t].astype(np.float32)) for t in steps]
    scaled = sum(part * sa[:, k : k + 1] * sb[0, k] for k, part in enumerate(blocks))
    part, turned = fh.partition(unwritten(M, N), (16, 32)), np.ascontiguousarray(g8.T)
    given = f8, turned, sa, sb, None, 128, True
    yield Example(scaled_matmul_tiles, (part, *given), {0: np.asarray(scaled)})

    x = new.normal(K, dtype=BF16)
    wanted = wide_a @ x.astype(np.float32) + bias[:M]
    part = fh.partition(unwritten(1, M), (1, 8))
    yield Example(matvec_rows, (part, x[None], a, bias[:M].copy(), 64), {0: wanted[None]})
