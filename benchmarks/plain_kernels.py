"""Kernels as the docs teach to write them, with no schedule in mind: `benchmarks.schedules` launches them."""

from __future__ import annotations

import freehold as fh
from freehold import Const, Out, Ref, f32, i32


@fh.kernel
def rms_norm(y: Out["M", "N"], x: Ref["M", "N"], w: Ref["N"], eps: f32):
    """y = x / sqrt(mean(x ** 2) + eps) * w, along rows."""
    (i,) = y.index
    squares = fh.zeros((y.tile[0], 1), f32)
    for k in fh.tiles(x, axis=1, size=y.tile[1]):
        t = x.load((i, k), y.tile)
        squares += (t * t).sum(axis=1, keepdims=True)
    scale = fh.rsqrt(squares / x.shape[1] + eps)
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        y.at(k).store(x.load((i, k), y.tile) * scale * w.load((k,), (y.tile[1],)))


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
def sum_columns(y: Out["N"], x: Ref["M", "N"], rows: Const[int] = 8):
    """y = x.sum(axis=0), in the same order every time."""
    acc = fh.zeros((rows, y.tile[0]), f32)
    for i in fh.tiles(x, axis=0, size=rows):
        acc += x.load((i, y.index[0]), (rows, y.tile[0]))
    y.store(acc.sum(axis=0))


@fh.kernel
def swiglu(y: Out["M", "N"], gate: Ref["M", "N"], up: Ref["M", "N"]):
    """y = silu(gate) * up, computed in f32."""
    g = gate.load_like(y).astype(f32)
    y.store((g / (1.0 + fh.exp(-g)) * up.load_like(y).astype(f32)).astype(y.dtype))


@fh.kernel
def bias_gelu(y: Out["M", "N"], x: Ref["M", "N"], bias: Ref["N"]):
    """y = gelu(x + bias), by the usual approximation with tanh; computed in f32."""
    t = x.load_like(y).astype(f32) + bias.load((y.index[1],), (y.tile[1],)).astype(f32)
    y.store((0.5 * t * (1.0 + fh.tanh(0.7978845608 * (t + 0.044715 * t * t * t)))).astype(y.dtype))


@fh.kernel
def embedding(y: Out["N", "D"], table: Ref["V", "D"], ids: Ref[i32, "N"]):
    """y = table[ids]; a number that is no row's gives zeros."""
    rows = ids.load((y.index[0],), (y.tile[0],))
    columns = y.index[1] * y.tile[1] + fh.arange(y.tile[1])
    y.store(table.gather(rows[:, None], columns[None, :]))


@fh.kernel
def cross_entropy(
    loss: Out[f32, "N"], lse: Out[f32, "N"], logits: Ref["N", "V"], target: Ref[i32, "N"], TV: Const[int] = 64
):
    """loss = log(sum(exp(logits))) - logits[target], in one walk over the vocabulary."""
    (n,) = loss.index
    rows = n * loss.tile[0] + fh.arange(loss.tile[0])
    top = fh.full((loss.tile[0], 1), float("-inf"), f32)
    total = fh.zeros((loss.tile[0], 1), f32)
    for k in fh.tiles(logits, axis=1, size=TV):
        t = logits.load((n, k), (loss.tile[0], TV), padding="-inf").astype(f32)
        higher = fh.maximum(top, t.max(axis=1, keepdims=True))
        total = total * fh.exp(top - higher) + fh.exp(t - higher).sum(axis=1, keepdims=True)
        top = higher
    sums = (top + fh.log(total)).reshape(loss.tile)
    lse.store(sums)
    loss.store(sums - logits.gather(rows, target.load((n,), loss.tile)).astype(f32))


@fh.kernel
def matvec(y: Out["M"], a: Ref["M", "K"], x: Ref["K"], BK: Const[int] = 64):
    """y = a @ x, as decoding one token needs it: bound by reading a."""
    (m,) = y.index
    acc = fh.zeros((y.tile[0], BK), f32)
    for k in fh.tiles(a, axis=1, size=BK):
        acc += a.load((m, k), (y.tile[0], BK)).astype(f32) * x.load((k,), (BK,)).astype(f32)[None, :]
    y.store(acc.sum(axis=1).astype(y.dtype))


@fh.kernel
def batched_gemm(c: Out["B", "M", "N"], a: Ref["B", "M", "K"], b: Ref["B", "K", "N"], BK: Const[int] = 64):
    """c[i] = a[i] @ b[i]."""
    i, m, n = c.index
    _, TM, TN = c.tile
    acc = fh.zeros((1, TM, TN), f32)
    for k in fh.tiles(a, axis=2, size=BK):
        acc = fh.mma(a.load((i, m, k), (1, TM, BK)), b.load((i, k, n), (1, BK, TN)), acc)
    c.store(acc.astype(c.dtype))
