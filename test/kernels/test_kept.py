"""Rows that stay in registers as they are in memory: right on the interpreter, and no code that is made wrong."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import freehold as fh
from freehold.backend.wrong_code import wrong
from freehold.kernels import kept, row_schedules
from freehold.kernels.row_schedules import Kept, Order
from freehold.runtime.variants.build import bytecode

M, W = 3, 512
DTYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}
KINDS = ("softmax", "logarithm", "rms", "layer", "layer without bias")


@pytest.mark.parametrize("offset", [0.0, 100.0])
@pytest.mark.parametrize("way", ["whole", "in part", "in clusters"])
@pytest.mark.parametrize("dtype", ["bf16", "f16"])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_are_kept(kind: str, dtype: str, way: str, offset: float) -> None:
    K = 5 if way == "in part" else 4
    N = K * W
    held, ahead, blocks = (2, 1, 1) if way == "in part" else (K, 0, 2) if way == "in clusters" else (K, 2, 1)
    narrow: Any = ml_dtypes.bfloat16 if dtype == "bf16" else np.float16
    rng = np.random.default_rng(0)
    x: Any = (rng.standard_normal((M, N)) * 3 + offset).astype(narrow)
    w, b = (rng.standard_normal(N).astype(narrow) for _ in range(2))
    y = np.full((M, N), 7, narrow)
    of_rows = np.zeros(M, np.float32), np.zeros(M, np.float32)
    out, parts = fh.partition(y, (1, W), owned=1), [fh.partition(t, (1,)) for t in of_rows]
    t = x.astype(np.float64)
    if kind in ("softmax", "logarithm"):
        softmax = kept.softmax_kept if blocks == 1 else kept.softmax_shared
        softmax(out, x, kind == "logarithm", K, N).sync()
        away = t - t.max(1, keepdims=True)
        wanted = away - np.log(np.exp(away).sum(1, keepdims=True))
        wanted = wanted if kind == "logarithm" else np.exp(wanted)
    elif kind == "rms":
        kept.rms_norm_kept(out, parts[0], x, w, 1e-6, K, N, held, ahead).sync()
        scale = 1 / np.sqrt((t * t).mean(1, keepdims=True) + 1e-6)
        np.testing.assert_allclose(of_rows[0], scale[:, 0], rtol=1e-5)
        wanted = t * scale * w.astype(np.float64)
    else:
        bias = kind == "layer"
        kept.layer_norm_kept(out, *parts, x, w, b, 1e-5, bias, K, N, held, ahead, blocks == 1).sync()
        scale = 1 / np.sqrt(t.var(1, keepdims=True) + 1e-5)
        np.testing.assert_allclose(of_rows[0], t.mean(1), rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(of_rows[1], scale[:, 0], rtol=1e-4)
        wanted = (t - t.mean(1, keepdims=True)) * scale * w.astype(np.float64) + (b.astype(np.float64) if bias else 0)
    error = np.linalg.norm(y.astype(np.float64) - wanted)
    assert error <= (4e-3 if dtype == "bf16" else 1e-3) * np.linalg.norm(wanted)


@pytest.mark.parametrize("order", [Order(False, False, 0), Order(True, False, 2), Order(True, True, 1)])
@pytest.mark.parametrize("dtype", ["bf16", "f16"])
@pytest.mark.parametrize("log", [False, True])
def test_softmax_in_one_walk(log: bool, dtype: str, order: Order) -> None:
    K, narrow = 4, ml_dtypes.bfloat16 if dtype == "bf16" else np.float16
    x: Any = (np.random.default_rng(4).standard_normal((7, K * W)) * 3).astype(narrow)
    x[1] += np.asarray(100, narrow)  # above zero, and near
    x[2] += np.asarray(1000, narrow)  # farther than one power is near
    x[3, 9], x[4, 0] = 300, -300  # far from the first number
    x[5, ::2], x[6, 0] = -np.inf, -np.inf
    y = np.full(x.shape, 7, narrow)
    kept.softmax_once(fh.partition(y, (1, W), owned=1), x, log, K, K * W, *order).sync()
    t = x.astype(np.float64)
    away = t - t.max(1, keepdims=True)
    wanted = away - np.log(np.exp(away).sum(1, keepdims=True))
    wanted = wanted if log else np.exp(wanted)
    least = 4e-3 if dtype == "bf16" else 1e-3
    np.testing.assert_allclose(y.astype(np.float64), wanted, rtol=2 * least, atol=1e-6)


def test_wide_weights() -> None:
    rng = np.random.default_rng(1)
    x: Any = rng.standard_normal((M, 4 * W)).astype(np.float16)
    w, b = (rng.standard_normal(4 * W).astype(np.float32) for _ in range(2))
    y, t = np.full(x.shape, 7, np.float16), x.astype(np.float64)
    of_rows = np.zeros(M, np.float32), np.zeros(M, np.float32)
    out, parts = fh.partition(y, (1, W), owned=1), [fh.partition(t, (1,)) for t in of_rows]
    kept.rms_norm_kept(out, parts[0], x, w, 1e-6, 4, 4 * W, 3, 1).sync()
    np.testing.assert_allclose(y, t / np.sqrt((t * t).mean(1, keepdims=True) + 1e-6) * w, rtol=1e-3, atol=1e-5)
    kept.layer_norm_kept(out, *parts, x, w, b, 1e-5, True, 4, 4 * W, 3, 1, True).sync()
    wanted = (t - t.mean(1, keepdims=True)) / np.sqrt(t.var(1, keepdims=True) + 1e-5) * w + b
    np.testing.assert_allclose(y, wanted, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("once", [True, False])
@pytest.mark.parametrize("held", [2, 4])
def test_variances_of_rows_with_outliers(held: int, once: bool) -> None:
    rng = np.random.default_rng(2)
    x: Any = rng.standard_normal((6, 4 * W)).astype(np.float16)
    x[0, 0], x[1, 2 * W + 3], x[2, :], x[4, 8:] = 3e4, -6e4, 5.0, 0.0
    x[3] += 1000
    y, t = np.full(x.shape, 7, np.float16), x.astype(np.float64)
    mean, rstd = np.zeros(6, np.float32), np.zeros(6, np.float32)
    out, w = fh.partition(y, (1, W), owned=1), np.ones(4 * W, np.float16)
    parts = fh.partition(mean, (1,)), fh.partition(rstd, (1,))
    kept.layer_norm_kept(out, *parts, x, w, w, 1e-5, False, 4, 4 * W, held, 1, once).sync()
    np.testing.assert_allclose(mean, t.mean(1), rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(rstd, 1 / np.sqrt(t.var(1) + 1e-5), rtol=1e-5)


@pytest.mark.parametrize("kernel", [kept.softmax_kept, kept.softmax_once, kept.softmax_shared])
def test_softmax_of_numbers_that_are_large_or_infinite(kernel: Any) -> None:
    x: Any = np.full((6, 4 * W), -np.inf, np.float16)
    x[1, ::2], x[2, 5], x[3, 7] = 6e4, np.inf, np.nan
    x[4, : 2 * W], x[4, 2 * W :] = -6e4, -60032
    x[5] = np.random.default_rng(3).standard_normal(4 * W) * 4 + 3e4
    y = np.full(x.shape, 7, np.float16)
    more = (True, True, 1) if kernel is kept.softmax_once else ()
    kernel(fh.partition(y, (1, W), owned=1), x, False, 4, 4 * W, *more).sync()
    assert np.isnan(y[0]).all()
    assert (y[1, ::2] == 1 / (2 * W)).all()
    assert (y[1, 1::2] == 0).all()
    assert np.isnan(y[3]).all()
    assert np.isnan(y[2, 5]), "as torch has it"
    assert (y[4, : 2 * W] == 1 / (2 * W)).all()
    assert (y[4, 2 * W :] == 0).all()
    t = x[5].astype(np.float64)
    wanted = np.exp(t - t.max()) / np.exp(t - t.max()).sum()
    assert np.linalg.norm(y[5] - wanted) <= 1e-3 * np.linalg.norm(wanted)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("kernel", [kept.softmax_kept, kept.softmax_once, kept.softmax_shared])
def test_softmax_of_rows_that_powers_of_two_are_too_coarse_for(kernel: Any, log: bool) -> None:
    lowest = -(2.0**128 - 2.0**120)  # of bf16: masks are filled with it
    x: Any = np.random.default_rng(5).choice(np.array([-1, -0.5, 0, 0.5, 1]), (6, 4 * W)).astype(ml_dtypes.bfloat16)
    x = x * np.array([[1e2], [2.8e3], [2.9e3], [1e11], [3e38], [1]]).astype(ml_dtypes.bfloat16)
    x[5] = lowest
    y = np.full(x.shape, 7, ml_dtypes.bfloat16)
    more = (True, True, 1) if kernel is kept.softmax_once else ()
    kernel(fh.partition(y, (1, W), owned=1), x, log, 4, 4 * W, *more).sync()
    t = x.astype(np.float64)
    away = t - t.max(1, keepdims=True)
    wanted = away - np.log(np.exp(away).sum(1, keepdims=True))
    wanted = np.where(wanted < lowest, -np.inf, wanted) if log else np.exp(wanted)
    np.testing.assert_allclose(y.astype(np.float64), wanted, rtol=8e-3, atol=1e-6)


KEPT = [(e, e.way, length) for e in row_schedules.TABLE if isinstance(e.way, Kept) for length in e.lengths]


@pytest.mark.parametrize(("entry", "way", "length"), KEPT)
def test_lengths_are_whole_tiles_of_what_threads_load(entry: row_schedules.Entry, way: Kept, length: int) -> None:
    assert length % way.width == 0
    assert way.width % (8 * 32 * way.warps * way.blocks) == 0
    K, H = way.tiles(length)
    assert K * way.width == length
    assert 0 < H <= K
    bytes_held = 2 * H * way.width // way.blocks * way.occupancy
    most = 192 if way.order or (way.blocks > 1 and way.warps == 4) else 128
    assert bytes_held <= most << 10, "half of a multiprocessor's registers, or three quarters"
    assert way.order is None or {*entry.functions} <= {"softmax", "log_softmax"}


IN_CLUSTERS = dict.fromkeys(
    (function, DTYPES[dtype], length, way, bias)
    for entry, way, length in KEPT
    if way.blocks > 1
    for function in entry.functions
    for dtype in entry.dtypes
    for bias in ((False, True) if function == "layer_norm" and entry.when.bias is None else (bool(entry.when.bias),))
)


@pytest.mark.parametrize(("function", "dtype", "length", "way", "bias"), IN_CLUSTERS)
def test_kernels_for_clusters_are_taken(
    function: str, dtype: Any, length: int, way: Kept, bias: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unlaunched(kernel: Any, hints: dict[str, int]) -> Any:
        def call(*given: Any) -> tuple[Any, tuple[Any, ...]]:
            return kernel.with_hints(**hints), given

        return call

    monkeypatch.setattr(kept, "hinted", unlaunched)
    kernel: Any
    x: Any = np.zeros((2, length), dtype)
    of_rows, w = np.zeros(2, np.float32), x[0].copy()
    if function in ("softmax", "log_softmax"):
        kernel, given = kept.softmax_launch(way, x.copy(), x, function == "log_softmax")
    elif function == "rms_norm":
        kernel, given = kept.norm_launch(kept.rms_norm_kept, way, x.copy(), (of_rows,), x, w, 1e-6)
    else:
        moments, more = (of_rows, of_rows.copy()), (w.copy(), 1e-5, bias)
        kernel, given = kept.norm_launch(kept.layer_norm_kept, way, x.copy(), moments, x, w, *more)
    assert not wrong(bytecode(kernel.verify(*given), kernel.options), "sm_90")
