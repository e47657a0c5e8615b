"""Elementwise kernels: sums and dropout; activations, optimisers and 8 bits of `freehold.kernels`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import freehold as fh
from examples.kernels.example import BF16, Example, Inputs, unwritten, with_one
from freehold import Mut, Out, Ref, f32, i64, u32
from freehold.kernels.activations import activation_tiles, activation_tiles_backward, gated_tiles, gated_tiles_backward
from freehold.kernels.optimisers import adam_tiles, lion_tiles, sgd_tiles
from freehold.kernels.quantised import dequantise_tiles, quantise_groups


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
    p1 = p * (1 - 1e-3) - 1e-2 * m1 / (np.sqrt(v1) / 0.5 + 1e-8)

    def changed(*arrays: Any) -> tuple[Any, ...]:
        return tuple(fh.partition(a.copy(), 256) for a in arrays)

    yield Example(
        with_one(adam_tiles), (*changed(p, m, v), g, 1e-2, 1e-3, 0.9, 0.999, 1e-8, 0.5, True), {0: p1, 1: m1, 2: v1}
    )
    m1 = 0.9 * m + 0.5 * (g + 0.1 * p)
    step = g + 0.1 * p + 0.9 * m1
    yield Example(with_one(sgd_tiles), (*changed(p, m), g, 1e-2, 0.1, 0.9, 0.5, True), {0: p - 1e-2 * step, 1: m1})
    p1, m1 = p * (1 - 1e-3) - 1e-2 * np.sign(0.9 * m + 0.1 * g), 0.99 * m + 0.01 * g
    yield Example(with_one(lion_tiles), (*changed(p, m), g, 1e-2, 1e-3, 0.9, 0.99), {0: p1, 1: m1})

    w, s = new.integers(-128, 128, 20, 96, dtype=np.int8), new.normal(20, 3)
    wide = w * np.repeat(s, 32, axis=1)
    yield Example(dequantise_tiles, (fh.partition(unwritten(20, 96, dtype=BF16), (8, 32)), w, s, 32), {0: wide}, 4e-3)
    x = new.normal(20, 96)
    top = abs(x.reshape(20, 3, 32)).max(2) / 127
    q = np.rint(x / np.repeat(top, 32, axis=1))
    parts = fh.partition(unwritten(20, 96, dtype=np.int8), (8, 64)), fh.partition(unwritten(20, 3), (8, 2))
    yield Example(quantise_groups, (*parts, x, 127.0, 32), {0: q, 1: top})
