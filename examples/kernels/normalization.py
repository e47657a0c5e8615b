"""Softmax and normalisation, forward and backward, of rows of any length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import freehold as fh
from examples.kernels.example import Example, Inputs, unwritten
from examples.kernels.example import softmax as softmax_of
from freehold import Acc, Mut, Out, Ref, f32


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
def layer_norm_backward(
    dx: Out["M", "N"],
    dw: Acc[f32, "N"],
    db: Acc[f32, "N"],
    dy: Ref["M", "N"],
    x: Ref["M", "N"],
    w: Ref["N"],
    mean: Ref["M"],
    rstd: Ref["M"],
):
    """dx by rows; dw and db are sums over all rows, to which blocks add in any order."""
    (i,) = dx.index
    tile = dx.tile
    n = x.shape[1].astype(f32)
    middle = mean.load((i,), (tile[0],))[:, None]
    scale = rstd.load((i,), (tile[0],))[:, None]
    along = fh.zeros((tile[0], 1), f32)
    straight = fh.zeros((tile[0], 1), f32)
    for k in fh.tiles(x, axis=1, size=tile[1]):
        xhat = (x.load((i, k), tile) - middle) * scale
        g = dy.load((i, k), tile)
        wg = g * w.load((k,), (tile[1],))[None, :]
        along += (wg * xhat).sum(axis=1, keepdims=True)
        straight += wg.sum(axis=1, keepdims=True)
        dw.at(k).add((g * xhat).sum(axis=0))
        db.at(k).add(g.sum(axis=0))
    for k in fh.tiles(dx, axis=1, size=tile[1]):
        xhat = (x.load((i, k), tile) - middle) * scale
        wg = dy.load((i, k), tile) * w.load((k,), (tile[1],))[None, :]
        dx.at(k).store(scale * (wg - (xhat * along + straight) / n))


@fh.kernel
def layer_norm_backward_parts(
    dx: Out["M", "N"],
    dw: Out["B", "N"],
    db: Out["B", "N"],
    dy: Ref["M", "N"],
    x: Ref["M", "N"],
    w: Ref["N"],
    mean: Ref["M"],
    rstd: Ref["M"],
):
    """The same with a fixed order of sums: a row of parts for each block of rows; `sum_columns` adds them up."""
    (i,) = dx.index
    tile = dx.tile
    n = x.shape[1].astype(f32)
    middle = mean.load((i,), (tile[0],))[:, None]
    scale = rstd.load((i,), (tile[0],))[:, None]
    along = fh.zeros((tile[0], 1), f32)
    straight = fh.zeros((tile[0], 1), f32)
    for k in fh.tiles(x, axis=1, size=tile[1]):
        xhat = (x.load((i, k), tile) - middle) * scale
        g = dy.load((i, k), tile)
        wg = g * w.load((k,), (tile[1],))[None, :]
        along += (wg * xhat).sum(axis=1, keepdims=True)
        straight += wg.sum(axis=1, keepdims=True)
        dw.at(k).store((g * xhat).sum(axis=0, keepdims=True))
        db.at(k).store(g.sum(axis=0, keepdims=True))
    for k in fh.tiles(dx, axis=1, size=tile[1]):
        xhat = (x.load((i, k), tile) - middle) * scale
        wg = dy.load((i, k), tile) * w.load((k,), (tile[1],))[None, :]
        dx.at(k).store(scale * (wg - (xhat * along + straight) / n))


@fh.kernel
def sum_columns(y: Out["N"], x: Ref["M", "N"], rows: fh.Const[int] = 8):
    """y = x.sum(axis=0), in the same order every time."""
    acc = fh.zeros((rows, y.tile[0]), f32)
    for i in fh.tiles(x, axis=0, size=rows):
        acc += x.load((i, y.index[0]), (rows, y.tile[0]))
    y.store(acc.sum(axis=0))


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
def add_rms_norm(y: Out["M", "N"], residual: Mut["M", "N"], x: Ref["M", "N"], w: Ref["N"], eps: f32):
    """residual += x, in place, and y = rms_norm(residual): what a transformer does between its layers."""
    (i,) = y.index
    squares = fh.zeros((y.tile[0], 1), f32)
    for k in fh.tiles(x, axis=1, size=y.tile[1]):
        part = residual.at(k)
        t = part.load() + x.load((i, k), y.tile)
        part.store(t)
        squares += (t * t).sum(axis=1, keepdims=True)
    scale = fh.rsqrt(squares / x.shape[1] + eps)
    for k in fh.tiles(y, axis=1, size=y.tile[1]):
        y.at(k).store(residual.at(k).load() * scale * w.load((k,), (y.tile[1],)))


def examples() -> Iterator[Example]:
    """A launch of each kernel of this file."""
    new = Inputs(2)
    M, N, eps = 10, 150, 1e-5

    def rows(*shape: int) -> Any:
        return fh.partition(unwritten(*shape), (4, 64), owned=1)

    x = new.normal(M, N) + 1
    yield Example(softmax, (rows(M, N), x), {0: softmax_of(x)})

    w, b, dy = new.normal(N), new.normal(N), new.normal(M, N)
    mean, rstd = x.mean(1), 1 / np.sqrt(x.var(1) + eps)
    xhat = (x - mean[:, None]) * rstd[:, None]
    moments = fh.partition(unwritten(M), 4), fh.partition(unwritten(M), 4)
    yield Example(layer_norm, (rows(M, N), *moments, x, w, b, eps), {0: xhat * w + b, 1: mean, 2: rstd})

    wg = dy * w
    dx = rstd[:, None] * (wg - xhat * (wg * xhat).mean(1, keepdims=True) - wg.mean(1, keepdims=True))
    dw, db = dy * xhat, dy
    sums = np.zeros(N, np.float32), np.zeros(N, np.float32)
    yield Example(
        layer_norm_backward,
        (rows(M, N), *sums, dy, x, w, mean, rstd),
        {0: dx, 1: dw.sum(0), 2: db.sum(0)},
    )
    of_rows = [np.stack([d[n : n + 4].sum(0) for n in range(0, M, 4)]) for d in (dw, db)]
    parts = [fh.partition(unwritten(3, N), (1, 64), owned=1) for _ in of_rows]
    yield Example(
        layer_norm_backward_parts,
        (rows(M, N), *parts, dy, x, w, mean, rstd),
        {0: dx, 1: of_rows[0], 2: of_rows[1]},
    )
    yield Example(sum_columns, (fh.partition(unwritten(N), 64), of_rows[0]), {0: dw.sum(0)})

    scale = 1 / np.sqrt((x * x).mean(1, keepdims=True) + eps)
    yield Example(rms_norm, (rows(M, N), x, w, eps), {0: x * scale * w})

    r = new.normal(M, N)
    s = r + x
    yield Example(
        add_rms_norm,
        (rows(M, N), fh.partition(r.copy(), (4, 64), owned=1), x, w, eps),
        {0: s / np.sqrt((s * s).mean(1, keepdims=True) + eps) * w, 1: s},
    )
