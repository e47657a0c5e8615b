"""Whole kernels through every room but the GPU: lowered, verified, and interpreted against NumPy."""

from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Out, Ref, Rejected, f32

RNG = np.random.default_rng(3)


@fh.kernel
def attention(
    o: Out["B", "H", "S", "D"],
    q: Ref["B", "H", "S", "D"],
    k: Ref["B", "H // G", "S", "D"],
    v: Ref["B", "H // G", "S", "D"],
    scale: f32,
    G: Const[int],
    D: Const[int],
    TK: Const[int] = 16,
):
    b, h, i, _ = o.index
    TQ = o.tile[2]
    queries = q.load_like(o).reshape(TQ, D)
    top = fh.full((TQ,), float("-inf"), f32)
    total = fh.zeros((TQ,), f32)
    acc = fh.zeros((TQ, D), f32)
    rows = i * TQ + fh.arange(TQ)
    for j in range(fh.cdiv((i + 1) * TQ, TK)):
        keys = k.load((b, h // G, j, 0), (1, 1, TK, D)).reshape(TK, D)
        s = fh.mma(queries, keys.T, fh.zeros((TQ, TK), f32)) * scale
        s = fh.where(rows[:, None] >= j * TK + fh.arange(TK), s, float("-inf"))
        new = fh.maximum(top, s.max(axis=1))
        p = fh.exp(s - new[:, None])
        fade = fh.exp(top - new)
        total = total * fade + p.sum(axis=1)
        values = v.load((b, h // G, j, 0), (1, 1, TK, D)).reshape(TK, D)
        acc = fh.mma(p.astype(values.dtype), values, acc * fade[:, None])
        top = new
    o.store((acc / total[:, None]).reshape(o.tile).astype(o.dtype))


def arrays(B: int = 1, H: int = 4, S: int = 64, D: int = 16, G: int = 2) -> tuple[Any, Any, Any, Any]:
    q = RNG.normal(size=(B, H, S, D)).astype(np.float32)
    k, v = (RNG.normal(size=(B, H // G, S, D)).astype(np.float32) for _ in range(2))
    return np.zeros_like(q), q, k, v


def test_causal_attention_with_grouped_queries():
    o, q, k, v = arrays()
    attention(fh.partition(o, (1, 1, 16, 16)), q, k, v, 0.25, 2, 16).sync()
    keys, values = np.repeat(k, 2, axis=1), np.repeat(v, 2, axis=1)
    s = np.einsum("bhid,bhjd->bhij", q, keys) * 0.25
    s = np.where(np.tril(np.ones(s.shape[-2:])) > 0, s, -np.inf)
    p = np.exp(s - s.max(axis=-1, keepdims=True))
    assert np.allclose(o, p / p.sum(axis=-1, keepdims=True) @ values, atol=1e-5)


def test_constants_in_dimensions_are_checked_by_their_values():
    o, q, k, v = arrays()
    with pytest.raises(Rejected, match="H // 4"):
        attention(fh.partition(o, (1, 1, 16, 16)), q, k, v, 0.25, 4, 16).sync()
    attention(fh.partition(o, (1, 1, 16, 16)), q, k, v, 0.25, 2, 16).sync()
    with pytest.raises(Rejected):
        attention(fh.partition(o, (1, 1, 16, 16)), q, k[:, :1], v, 0.25, 2, 16).sync()


@fh.kernel
def layer_norm(y: Out["M", "N"], x: Ref["M", "N"], w: Ref["N"], bias: Ref["N"], eps: f32):
    columns = y.tile[1]
    t = x.load_like(y)
    n = x.shape[1]
    mean = t.sum(axis=1, keepdims=True) / n
    d = fh.where(fh.arange(columns) < n, t - mean, 0.0)
    variance = (d * d).sum(axis=1, keepdims=True) / n
    y.store(d * fh.rsqrt(variance + eps) * w.load((0,), (columns,)) + bias.load((0,), (columns,)))


def test_layer_norm():
    x = RNG.normal(size=(10, 50)).astype(np.float32)
    w = RNG.normal(size=50).astype(np.float32)
    y = np.zeros_like(x)
    layer_norm(fh.partition(y, (4, 64)), x, w, w, 1e-5).sync()
    expected = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * w + w
    assert np.allclose(y, expected, atol=1e-5)
