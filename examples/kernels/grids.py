"""Arrays as images and fields: transposition, convolutions, stencils and pooling."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import freehold as fh
from examples.kernels.example import Example, Inputs, unwritten
from freehold import Const, Out, Ref, f32


@fh.kernel
def transpose(y: Out["N", "M"], x: Ref["M", "N"]):
    """y = x.T, tile by tile."""
    n, m = y.index
    y.store(x.load((m, n), (y.tile[1], y.tile[0])).T)


@fh.kernel
def convolution_1d(y: Out["N", "L", "CO"], x: Ref["N", "L", "CI"], w: Ref["R", "CI", "CO"], TK: Const[int] = 16):
    """y[l] = sum of x[l + r - R // 2] @ w[r], zeros beyond the ends: windows of x, multiplied on tensor cores."""
    n, block, c = y.index
    TL, TC = y.tile[1], y.tile[2]
    acc = fh.zeros((TL, TC), f32)
    for r in fh.tiles(w, axis=0, size=1):
        for k in fh.tiles(x, axis=2, size=TK):
            patch = x.load_from((n, block * TL + r - w.shape[0] // 2, k * TK), (1, TL, TK)).reshape(TL, TK)
            acc = fh.mma(patch, w.load((r, k, c), (1, TK, TC)).reshape(TK, TC), acc)
    y.store(acc[None].astype(y.dtype))


@fh.kernel
def convolution_2d(
    y: Out["N", "P", "Q", "CO"],
    x: Ref["N", "H", "W", "CI"],
    w: Ref["R", "S", "CI", "CO"],
    stride: Const[int] = 1,
    pad: Const[int] = 1,
    TK: Const[int] = 16,
):
    """As a matrix product whose rows are gathered: each row of a tile is a place of y."""
    n, p, q, c = y.index
    TP, TQ, TC = y.tile[1], y.tile[2], y.tile[3]
    place = fh.arange(TP * TQ)
    rows = (p * TP + place // TQ) * stride - pad
    columns = (q * TQ + place % TQ) * stride - pad
    acc = fh.zeros((TP * TQ, TC), f32)
    for r in fh.tiles(w, axis=0, size=1):
        for s in fh.tiles(w, axis=1, size=1):
            for k in fh.tiles(x, axis=3, size=TK):
                channels = (k * TK + fh.arange(TK))[None, :]
                patch = x.gather(n, (rows + r)[:, None], (columns + s)[:, None], channels)
                acc = fh.mma(patch, w.load((r, s, k, c), (1, 1, TK, TC)).reshape(TK, TC), acc)
    y.store(acc.reshape(y.tile).astype(y.dtype))


@fh.kernel
def heat(v: Out["M", "N"], u: Ref["M", "N"], rate: f32):
    """A step of the heat equation: each block reads a halo around its part of u, and writes its part of v."""
    tile = v.tile
    i, j = v.index[0] * tile[0], v.index[1] * tile[1]
    around = u.load_from((i - 1, j), tile) + u.load_from((i + 1, j), tile)
    around += u.load_from((i, j - 1), tile) + u.load_from((i, j + 1), tile)
    middle = u.load_like(v)
    v.store(middle + rate * (around - 4.0 * middle))


@fh.kernel
def max_pool(y: Out["H // 2", "W // 2"], x: Ref["H", "W"]):
    """The largest of each 2 x 2 elements; an odd row or column at the end is left out."""
    i, j = y.index
    tile = (2 * y.tile[0], 2 * y.tile[1])
    t = x.load((i, j), tile, padding="-inf")
    y.store(t.reshape(y.tile[0], 2, y.tile[1], 2).max(axis=(1, 3)))


@fh.kernel
def upsample(y: Out["2 * H", "2 * W"], x: Ref["H", "W"]):
    """Each element four times: nearest neighbours."""
    i, j = y.index
    tile = (y.tile[0] // 2, y.tile[1] // 2)
    t = x.load((i, j), tile)
    y.store(fh.broadcast_to(t[:, None, :, None], (tile[0], 2, tile[1], 2)).reshape(y.tile))


def examples() -> Iterator[Example]:
    """A launch of each kernel of this file."""
    new = Inputs(9)
    x = new.normal(50, 70)
    yield Example(transpose, (fh.partition(unwritten(70, 50), (32, 16)), x), {0: x.T}, 0)

    signal, w = new.normal(2, 40, 20), new.normal(3, 20, 10)
    p = np.pad(signal, ((0, 0), (1, 1), (0, 0)))
    wanted = np.asarray(sum(p[:, r : r + 40] @ w[r] for r in range(3)))
    yield Example(convolution_1d, (fh.partition(unwritten(2, 40, 10), (1, 16, 16)), signal, w), {0: wanted})

    image, w = new.normal(2, 9, 11, 20), new.normal(3, 3, 20, 10)
    p = np.pad(image, ((0, 0), (1, 1), (1, 1), (0, 0)))
    wanted = np.asarray(sum(p[:, r : r + 9, s : s + 11] @ w[r, s] for r in range(3) for s in range(3)))
    part = fh.partition(unwritten(2, 9, 11, 10), (1, 4, 4, 16))
    yield Example(convolution_2d, (part, image, w), {0: wanted})
    part = fh.partition(unwritten(2, 5, 6, 10), (1, 4, 4, 16))
    yield Example(convolution_2d, (part, image, w, 2), {0: wanted[:, ::2, ::2]})

    u = new.normal(50, 70)
    p = np.pad(u, 1)
    wanted = u + 0.1 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u)
    yield Example(heat, (fh.partition(unwritten(50, 70), (16, 32)), u, 0.1), {0: wanted})

    x = new.normal(51, 70)
    wanted = x[:50].reshape(25, 2, 35, 2).max(axis=(1, 3))
    yield Example(max_pool, (fh.partition(unwritten(25, 35), (8, 16)), x), {0: wanted}, 0)
    yield Example(upsample, (fh.partition(unwritten(102, 140), (16, 32)), x), {0: x.repeat(2, 0).repeat(2, 1)}, 0)
