"""Rows that stay in registers as they are in memory: right on the interpreter, and where they are chosen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold.kernels import kept

M, N, W = 3, 2048, 512


@pytest.mark.parametrize("offset", [0.0, 100.0])
@pytest.mark.parametrize("kind", ["softmax", "logarithm", "rms", "layer", "layer without bias"])
def test_rows_that_are_kept(kind: str, offset: float) -> None:
    rng = np.random.default_rng(0)
    x: Any = (rng.standard_normal((M, N)) * 3 + offset).astype(np.float16)
    w, b = (rng.standard_normal(N).astype(np.float16) for _ in range(2))
    y = np.full((M, N), 7, np.float16)
    of_rows = np.zeros(M, np.float32), np.zeros(M, np.float32)
    out, parts = fh.partition(y, (1, W), owned=1), [fh.partition(t, (1,)) for t in of_rows]
    t = x.astype(np.float64)
    if kind in ("softmax", "logarithm"):
        kept.softmax_kept(out, x, kind == "logarithm", N // W, N).sync()
        away = t - t.max(1, keepdims=True)
        wanted = away - np.log(np.exp(away).sum(1, keepdims=True))
        wanted = wanted if kind == "logarithm" else np.exp(wanted)
    elif kind == "rms":
        kept.rms_norm_kept(out, parts[0], x, w, 1e-6, N // W, N).sync()
        scale = 1 / np.sqrt((t * t).mean(1, keepdims=True) + 1e-6)
        np.testing.assert_allclose(of_rows[0], scale[:, 0], rtol=1e-5)
        wanted = t * scale * w
    else:
        bias = kind == "layer"
        kept.layer_norm_kept(out, *parts, x, w, b, 1e-5, bias, N // W, N).sync()
        scale = 1 / np.sqrt(t.var(1, keepdims=True) + 1e-5)
        np.testing.assert_allclose(of_rows[0], t.mean(1), rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(of_rows[1], scale[:, 0], rtol=1e-4)
        wanted = (t - t.mean(1, keepdims=True)) * scale * w + (b if bias else 0)
    assert np.linalg.norm(y - wanted) <= 1e-3 * np.linalg.norm(wanted)


def test_lengths_are_whole_tiles_of_what_threads_load() -> None:
    for found in (kept.SOFTMAX, kept.RMS, kept.LAYER):
        for length, way in found.items():
            assert length % way.width == 0
            assert way.width == 8 * 32 * way.warps
