"""Elementwise kernels: sums, dropout, an optimiser's step, weights out of 8 bits; activations of `freehold.kernels`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import freehold as fh
from examples.kernels.example import BF16, Example, Inputs, unwritten
from freehold import Mut, Out, Ref, f32, i8, i64, u32
from freehold.kernels.activations import activation_tiles, activation_tiles_backward, gated_tiles, gated_tiles_backward


@fh.kernel
def add(z: Out["N"], x: Ref["N"], y: Ref["N"]):
    """z = x + y."""
    z.store(x.load_like(z) + y.load_like(z))


@fh.kernel
def saxpy(y: Mut["N"], x: Ref["N"], a: f32):
    """y = a * x + y."""
    y.store(a * x.load_like(y) + y.load())


@fh.kernel
def dropout(y: Out["M", "N"], x: Ref["M", "N"], p: f32, seed: u32):
    """Each element is 0 with probability p, else x / (1 - p). An element's number is its counter, in every schedule."""
    rows = y.index[0] * y.tile[0] + fh.arange(y.tile[0])
    columns = y.index[1] * y.tile[1] + fh.arange(y.tile[1])
    counters = rows[:, None].astype(i64) * x.shape[1] + columns[None, :]
    keep = fh.random_uniform(seed, counters) >= p
    y.store(fh.where(keep, x.load_like(y) / (1.0 - p), 0.0))


@fh.kernel
def adam(p: Mut["N"], m: Mut["N"], v: Mut["N"], g: Ref["N"], rate: f32, beta1: f32, beta2: f32, eps: f32, step: f32):
    """One step of Adam with bias correction, in place on the parameters and both moments."""
    t = g.load_like(p)
    first = beta1 * m.load() + (1.0 - beta1) * t
    second = beta2 * v.load() + (1.0 - beta2) * t * t
    m.store(first)
    v.store(second)
    scale = rate / (1.0 - fh.exp(step * fh.log(beta1)))
    p.store(p.load() - scale * first / (fh.sqrt(second / (1.0 - fh.exp(step * fh.log(beta2)))) + eps))


@fh.kernel
def dequantise(y: Out["N", "K"], w: Ref[i8, "N", "K"], scale: Ref[f32, "N", "(K + 31) // 32"]):
    """y = w * scale: groups of 32 weights along K share a scale, and a tile is a group wide."""
    fh.static_assert(y.tile[1] == 32, "a tile is a group wide")
    s = scale.load((y.index[0], y.index[1]), (y.tile[0], 1))
    y.store((w.load_like(y).astype(f32) * s).astype(y.dtype))


def philox(seed: int, counters: np.ndarray[tuple[int, ...], np.dtype[np.uint64]]) -> np.ndarray:
    """The first word of Philox4x32-10 of each counter (Salmon et al., SC11)."""
    low = (1 << 32) - 1
    x0, x1 = counters & low, counters >> np.uint64(32)
    x2, x3 = np.zeros_like(x0), np.zeros_like(x0)
    k0, k1 = seed & low, seed >> 32
    for _ in range(10):
        a, b = x0 * np.uint64(0xD2511F53), x2 * np.uint64(0xCD9E8D57)
        x0, x1, x2, x3 = (
            (b >> np.uint64(32)) ^ x1 ^ np.uint64(k0),
            b & low,
            (a >> np.uint64(32)) ^ x3 ^ np.uint64(k1),
            a & low,
        )
        k0, k1 = (k0 + 0x9E3779B9) & low, (k1 + 0xBB67AE85) & low
    return x0


def examples() -> Iterator[Example]:
    """A launch of each kernel of this file."""
    new = Inputs(1)
    x, y = new.normal(1000), new.normal(1000)
    yield Example(add, (fh.partition(unwritten(1000), 256), x, y), {0: x + y}, 0)
    yield Example(saxpy, (fh.partition(y.copy(), 256), x, 1.5), {0: 1.5 * x + y}, 1e-6)

    def tiles(dtype: Any = BF16) -> Any:
        return fh.partition(unwritten(20, 100, dtype=dtype), (8, 32))

    x, dy = new.normal(20, 100, dtype=BF16), new.normal(20, 100)
    t = x.astype(np.float32)
    s = 1 / (1 + np.exp(-2 * 0.7978845608 * (t + 0.044715 * t**3)))
    yield Example(activation_tiles, (tiles(), x, "gelu"), {0: t * s}, 4e-3)
    slope = s + t * s * (1 - s) * 2 * 0.7978845608 * (1 + 3 * 0.044715 * t * t)
    yield Example(activation_tiles_backward, (tiles(np.float32), dy, t, "gelu"), {0: dy * slope})

    g, up = new.normal(20, 100, dtype=BF16), new.normal(20, 100, dtype=BF16)
    t, u = g.astype(np.float32), up.astype(np.float32)
    s = 1 / (1 + np.exp(-t))
    yield Example(gated_tiles, (tiles(), g, up, "silu"), {0: t * s * u}, 4e-3)
    yield Example(
        gated_tiles_backward,
        (tiles(np.float32), tiles(np.float32), dy, t, u, "silu"),
        {0: dy * u * s * (1 + t * (1 - s)), 1: dy * t * s},
    )

    x = new.normal(20, 100)
    uniform = (philox(7, np.arange(2000, dtype=np.uint64)) >> np.uint64(8)).astype(np.float32) / 2**24
    kept = np.where(uniform.reshape(20, 100) >= 0.25, x / np.float32(0.75), 0)
    yield Example(dropout, (fh.partition(unwritten(20, 100), (8, 32)), x, 0.25, 7), {0: kept}, 1e-6)

    p, m, v, g = new.normal(1000), new.normal(1000), abs(new.normal(1000)), new.normal(1000)
    m1, v1 = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    p1 = p - 1e-2 / (1 - 0.9**3) * m1 / (np.sqrt(v1 / (1 - 0.999**3)) + 1e-8)
    parts = tuple(fh.partition(a.copy(), 256) for a in (p, m, v))
    yield Example(adam, (*parts, g, 1e-2, 0.9, 0.999, 1e-8, 3.0), {0: p1, 1: m1, 2: v1})

    w, s = new.integers(-128, 128, 20, 96, dtype=np.int8), new.normal(20, 3)
    wide = w * np.repeat(s, 32, axis=1)
    yield Example(dequantise, (fh.partition(unwritten(20, 96, dtype=BF16), (8, 32)), w, s), {0: wide}, 4e-3)
