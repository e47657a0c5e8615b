"""Long rows of which a part is loaded again: right on the interpreter, and no code that is made wrong."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import freehold as fh
from freehold.backend.wrong_code import wrong
from freehold.kernels import reloaded, row_schedules
from freehold.kernels.row_schedules import Order, Reloaded
from freehold.runtime.variants.build import bytecode

W, K = 512, 5
N = K * W
DTYPES = {"bf16": np.dtype(ml_dtypes.bfloat16), "f16": np.dtype(np.float16)}


def log_softmax(x: Any) -> Any:
    t = x.astype(np.float64)
    away = t - t.max(1, keepdims=True)
    return away - np.log(np.exp(away).sum(1, keepdims=True))


@pytest.mark.parametrize("order", [Order(False, False, 0), Order(True, False, 2), Order(True, True, 1)])
@pytest.mark.parametrize(("held", "ahead", "later"), [(2, 0, 0), (2, 1, 3), (1, 3, 0), (4, 2, 1), (3, 9, 0)])
@pytest.mark.parametrize("log", [False, True])
def test_softmax(log: bool, held: int, ahead: int, later: int, order: Order) -> None:
    narrow = ml_dtypes.bfloat16 if ahead != 1 else np.float16
    x: Any = (np.random.default_rng(held).standard_normal((7, N)) * 3).astype(narrow)
    x[1] += np.asarray(100, narrow)  # above zero, and near
    x[2] += np.asarray(1000, narrow)  # farther than one power is near
    x[3, 9], x[4, 0] = 300, -300  # far from the first number
    x[5, ::2], x[6, 0], x[6, -1] = -np.inf, -np.inf, 300
    y = np.full(x.shape, 7, narrow)
    reloaded.softmax_reloaded(fh.partition(y, (1, W), owned=1), x, log, K, N, held, ahead, *order, later).sync()
    wanted = log_softmax(x)
    wanted = wanted if log else np.exp(wanted)
    least = 4e-3 if narrow is ml_dtypes.bfloat16 else 1e-3
    np.testing.assert_allclose(y.astype(np.float64), wanted, rtol=2 * least, atol=1e-6)


def test_softmax_of_what_is_no_number() -> None:
    x: Any = np.zeros((4, N), ml_dtypes.bfloat16)
    x[0], x[1, -1], x[2, 3], x[3, -1] = -np.inf, np.inf, np.nan, np.nan
    y = np.full(x.shape, 7, x.dtype)
    reloaded.softmax_reloaded(fh.partition(y, (1, W), owned=1), x, False, K, N, 2, 1, True, False, 2, 2).sync()
    y = y.astype(np.float64)
    assert np.isnan(y[[0, 2, 3]]).all()
    assert np.isnan(y[1, -1]), "as torch has it"


@pytest.mark.parametrize("offset", [0.0, 100.0])
@pytest.mark.parametrize(("held", "ahead", "weights"), [(2, 1, 1), (1, 3, 2), (4, 2, 3), (3, 9, 9)])
@pytest.mark.parametrize("kind", ["rms", "layer", "layer without bias"])
def test_norms(kind: str, held: int, ahead: int, weights: int, offset: float) -> None:
    narrow = ml_dtypes.bfloat16 if ahead != 1 else np.float16
    rng = np.random.default_rng(held)
    x: Any = (rng.standard_normal((3, N)) * 3 + offset).astype(narrow)
    x[2, -1] = 3e4
    w, b = (rng.standard_normal(N).astype(narrow) for _ in range(2))
    y, mean, rstd = np.full(x.shape, 7, narrow), np.zeros(3, np.float32), np.zeros(3, np.float32)
    way, t = Reloaded(W, 2, 1, held, ahead, weights, later=held % 3), x.astype(np.float64)
    if kind == "rms":
        reloaded.norm_reloaded_launch(reloaded.rms_norm_reloaded, way, y, (rstd,), x, w, 1e-6).sync()
        scale = 1 / np.sqrt((t * t).mean(1, keepdims=True) + 1e-6)
        wanted = t * scale * w.astype(np.float64)
    else:
        more = (w, b, 1e-5, kind == "layer")
        reloaded.norm_reloaded_launch(reloaded.layer_norm_reloaded, way, y, (mean, rstd), x, *more).sync()
        scale = 1 / np.sqrt(t.var(1, keepdims=True) + 1e-5)
        np.testing.assert_allclose(mean, t.mean(1), rtol=1e-4, atol=1e-4)
        wanted = (t - t.mean(1, keepdims=True)) * scale * w.astype(np.float64)
        wanted += b.astype(np.float64) if kind == "layer" else 0
    np.testing.assert_allclose(rstd, scale[:, 0], rtol=1e-4)
    for found, right in zip(y.astype(np.float64), wanted, strict=True):
        assert np.linalg.norm(found - right) <= (4e-3 if ahead != 1 else 1e-3) * np.linalg.norm(right)


MEASURED = [
    (function, DTYPES[dtype], length, entry.way, bias)
    for entry in row_schedules.TABLE
    if isinstance(entry.way, Reloaded)
    for function in entry.functions
    for dtype in entry.dtypes
    for length in entry.lengths
    for bias in ((False, True) if function == "layer_norm" and entry.when.bias is None else (bool(entry.when.bias),))
]


@pytest.mark.parametrize(("function", "dtype", "length", "way", "bias"), MEASURED)
def test_lengths_are_whole_tiles_of_which_a_part_fits_registers(
    function: str, dtype: Any, length: int, way: Reloaded, bias: bool
) -> None:
    assert length % way.width == 0
    assert way.width % (8 * 32 * way.warps) == 0, "threads load 8 numbers at once"
    assert 0 < way.held < length // way.width
    assert dtype.itemsize * way.held * way.width * way.occupancy <= 144 << 10, "9 of 16 of a multiprocessor's registers"
    assert (way.weights == 0) == (function in ("softmax", "log_softmax"))
    assert not bias or function == "layer_norm"
    assert way.later == 0 or way.occupancy == 1, "a row on each multiprocessor"
    assert way.hints.get("begin_early", False) == way.early


@pytest.mark.parametrize(("function", "dtype", "length", "way", "bias"), MEASURED)
def test_kernels_are_taken(
    function: str, dtype: Any, length: int, way: Reloaded, bias: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unlaunched(kernel: Any, hints: dict[str, int]) -> Any:
        def call(*given: Any) -> tuple[Any, tuple[Any, ...]]:
            return kernel.with_hints(**hints), given

        return call

    monkeypatch.setattr(reloaded, "hinted", unlaunched)
    x: Any = np.zeros((2, length), dtype)
    of_rows, w = np.zeros(2, np.float32), x[0].copy()
    if function in ("softmax", "log_softmax"):
        kernel, given = reloaded.softmax_reloaded_launch(way, x.copy(), x, function == "log_softmax")
    elif function == "rms_norm":
        kernel, given = reloaded.norm_reloaded_launch(reloaded.rms_norm_reloaded, way, x.copy(), (of_rows,), x, w, 1e-6)
    else:
        moments, more = (of_rows, of_rows.copy()), (w, w.copy(), 1e-5, bias)
        kernel, given = reloaded.norm_reloaded_launch(reloaded.layer_norm_reloaded, way, x.copy(), moments, x, *more)
    assert not wrong(bytecode(kernel.verify(*given), kernel.options), "sm_90")
