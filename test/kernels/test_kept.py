"""Rows that stay in registers as they are in memory: right on the interpreter, and where they are chosen."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import freehold as fh
from freehold.backend.wrong_code import wrong
from freehold.kernels import kept
from freehold.runtime.variants.build import bytecode

M, W = 3, 512
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


@pytest.mark.parametrize("order", [kept.Order(False, False, 0), kept.Order(True, False, 2), kept.Order(True, True, 1)])
@pytest.mark.parametrize("dtype", ["bf16", "f16"])
@pytest.mark.parametrize("log", [False, True])
def test_softmax_in_one_walk(log: bool, dtype: str, order: kept.Order) -> None:
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


@pytest.mark.parametrize(
    "found",
    [
        *(kept.SOFTMAX, kept.RMS, kept.LAYER),
        *(kept.SOFTMAX_SHARED, kept.LOG_SOFTMAX_SHARED, kept.RMS_SHARED, kept.LAYER_SHARED, kept.PLAIN_SHARED),
        *(kept.SOFTMAX_SHARED_F16, kept.RMS_SHARED_F16),
    ],
)
def test_lengths_are_whole_tiles_of_what_threads_load(found: dict[int, kept.Kept]) -> None:
    for length, way in found.items():
        assert length % way.width == 0
        assert way.width % (8 * 32 * way.warps * way.blocks) == 0
        K, H = way.tiles(length)
        assert K * way.width == length
        assert 0 < H <= K
        bytes_held = 2 * H * way.width // way.blocks * way.occupancy
        most = 192 if way.order or (way.blocks > 1 and way.warps == 4) else 128
        assert bytes_held <= most << 10, "half of a multiprocessor's registers, or three quarters"


TABLES = {
    "softmax": (kept.SOFTMAX, kept.SOFTMAX_SHARED, kept.FEW_SHARED),
    "logarithm": (kept.LOG_SOFTMAX_SHARED, kept.FEW_SHARED),
    "rms": (kept.RMS, kept.RMS_SHARED, kept.FEW_SHARED),
    "layer": (kept.LAYER, kept.LAYER_SHARED, kept.FEW_SHARED),
    "layer without bias": (kept.LAYER, kept.PLAIN_SHARED, kept.FEW_SHARED),
    "softmax of f16": (kept.SOFTMAX_SHARED_F16,),
    "rms of f16": (kept.RMS_SHARED_F16,),
}
IN_CLUSTERS = [
    (kind, length, way)
    for kind, tables in TABLES.items()
    for length, way in dict.fromkeys(one for table in tables for one in table.items())
    if way.blocks > 1
]


@pytest.mark.parametrize(("kind", "length", "way"), IN_CLUSTERS)
def test_kernels_for_clusters_are_taken(
    kind: str, length: int, way: kept.Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unlaunched(kernel: Any, hints: dict[str, int]) -> Any:
        def call(*given: Any) -> tuple[Any, tuple[Any, ...]]:
            return kernel.with_hints(**hints), given

        return call

    monkeypatch.setattr(kept, "hinted", unlaunched)
    kernel: Any
    kind, *of_f16 = kind.split(" of ")
    x: Any = np.zeros((2, length), np.float16 if of_f16 else ml_dtypes.bfloat16)
    of_rows, w = np.zeros(2, np.float32), x[0].copy()
    if kind in ("softmax", "logarithm"):
        kernel, given = kept.softmax_launch(way, x.copy(), x, kind == "logarithm")
    elif kind == "rms":
        kernel, given = kept.norm_launch(kept.rms_norm_kept, way, x.copy(), (of_rows,), x, w, 1e-6)
    else:
        moments, more = (of_rows, of_rows.copy()), (w.copy(), 1e-5, kind == "layer")
        kernel, given = kept.norm_launch(kept.layer_norm_kept, way, x.copy(), moments, x, w, *more)
    assert not wrong(bytecode(kernel.verify(*given), kernel.options), "sm_90")


def test_where_rows_are_kept() -> None:
    def way(found: dict[int, kept.Kept], rows: int, length: int, itemsize: int = 2) -> Any:
        of = SimpleNamespace
        x = of(shape=(rows, length), dtype=of(itemsize=itemsize), device=of(type="cpu"))
        return kept.kept_way(found, x)

    assert way(kept.RMS, 2048, 32768) is kept.RMS[32768]
    assert way(kept.RMS, 264, 32768) is None, "no two rows for each multiprocessor"
    assert way(kept.RMS, 2048, 32768, 4) is None
    assert way(kept.RMS, 2048, 32769) is None
    assert way(kept.RMS, 2048, 33024) is None
    assert way(kept.SOFTMAX, 512, 131072) is kept.SOFTMAX[131072]
    assert way(kept.SOFTMAX, 128, 131072) is None
    assert way(kept.SOFTMAX, 16, 131072) is kept.SOFTMAX[131072]
    assert way(kept.LAYER, 512, 131072).blocks == 1
    assert way(kept.LAYER, 32, 131072).blocks == 8, "few rows are shared by clusters"
    assert way(kept.LAYER, 33, 131072) is None
    assert way(kept.RMS, 16, 32768) is None
    assert way(kept.SOFTMAX, 128, 262144) is kept.SOFTMAX[262144]


@pytest.mark.parametrize(("capability", "there"), [((8, 9), False), ((9, 0), True), ((10, 0), True), ((12, 0), True)])
def test_rows_of_clusters_are_for_gpus_that_have_them(
    capability: tuple[int, int], there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch: Any = pytest.importorskip("torch")
    asked: list[Any] = []
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (asked.append(device), capability)[1])  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] -- of torch
    of = SimpleNamespace
    few, more = (of(shape=(n, 131072), dtype=of(itemsize=2), device=of(type="cuda")) for n in (16, 512))
    assert kept.kept_way(kept.SOFTMAX, few) is (kept.SOFTMAX[131072] if there else None)
    assert asked == [few.device]
    assert kept.kept_way(kept.LAYER, more) is kept.LAYER[131072], "a block has each of its rows"
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("found", "shared", "shared_f16"),
    [
        (kept.SOFTMAX, kept.SOFTMAX_SHARED, kept.SOFTMAX_SHARED_F16),
        (kept.LOG_SOFTMAX, kept.LOG_SOFTMAX_SHARED, {}),
        (kept.RMS, kept.RMS_SHARED, kept.RMS_SHARED_F16),
        (kept.LAYER, kept.LAYER_SHARED, {}),
        (kept.LAYER, kept.PLAIN_SHARED, {}),
    ],
)
def test_where_clusters_of_small_blocks_share_rows(
    found: dict[int, kept.Kept], shared: dict[int, kept.Kept], shared_f16: dict[int, kept.Kept]
) -> None:
    class Narrow:
        def __init__(self, name: str) -> None:
            self.name, self.itemsize = name, 2

        def __str__(self) -> str:
            return self.name

    def way(rows: int, length: int, dtype: str) -> Any:
        x = SimpleNamespace(shape=(rows, length), dtype=Narrow(dtype), device=SimpleNamespace(type="cpu"))
        return kept.kept_way(found, x, shared, shared_f16)

    for length, cluster in shared_f16.items():
        assert way(265, length, "torch.float16") is cluster
        assert way(255, length, "torch.float16") is not cluster, "not measured"
    for length, cluster in shared.items():
        assert way(265, length, "torch.bfloat16") is cluster
        if length not in shared_f16:
            assert way(265, length, "torch.float16") is found.get(length), "not compared with f64 on a GPU"
        assert way(32, length, "torch.bfloat16") not in (*shared.values(),), "few rows have blocks with more warps"
        assert way(264, length, "torch.bfloat16") is (cluster if cluster.blocks == 16 else None)
        assert way(255, length, "torch.bfloat16") not in (*shared.values(),), "not measured"
        assert cluster.blocks == 1 or cluster.hints["begin_early"]
    assert way(999, 8192, "torch.bfloat16") is found.get(8192), "what is not shared is kept as it was"
