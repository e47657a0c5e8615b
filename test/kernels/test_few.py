"""Products with few rows against NumPy: norms in front, gates and residuals behind."""

# What NumPy computes is of no types here.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from comparing import assembled

import freehold as fh
from freehold.kernels import few
from freehold.kernels.few import (
    ahead_of,
    gated_ahead,
    gated_product_launch,
    gated_row_product_launch,
    gated_way,
    head_ahead,
    row_product_launch,
)
from freehold.kernels.quantised import quantise_launch
from freehold.kernels.schedules import PROCESSORS, filled

RNG = np.random.default_rng(5)


def normal(*shape: int) -> Any:
    """Random numbers in bfloat16, on the host."""
    return fh.from_numpy(RNG.standard_normal(shape).astype(np.float32), fh.bf16, device=fh.HOST).sync()


def wide(t: Any) -> Any:
    return t.numpy().astype(np.float64)


def normalised(x: Any, norm: Any) -> Any:
    x = wide(x)
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6) * wide(norm)


def silu(t: Any) -> Any:
    return t / (1 + np.exp(-t))


SIZES = (100, 70), (256, 70), (2560, 33), (4352, 5), (1024, 6), (3584, 4), (4096, 3), (5120, 3)
"""Lengths of rows, those of whole multiples of 256 compiled in, and how many there are; some are loaded ahead."""


@pytest.mark.parametrize(("K", "N"), SIZES)
@pytest.mark.parametrize("norm", [True, False])
@pytest.mark.parametrize("added", [True, False])
def test_a_row_is_normalised_and_multiplied(K: int, N: int, norm: bool, added: bool, launched: dict[str, Any]) -> None:
    x, w, weight, residual, y = normal(1, K), normal(N, K), normal(K), normal(1, N), normal(1, N)
    row_product_launch(y, x, w, weight if norm else None, residual if added else None, 1e-6).sync()
    wanted = (normalised(x, weight) if norm else wide(x)) @ wide(w).T + added * wide(residual)
    np.testing.assert_allclose(wide(y), wanted, rtol=2**-8, atol=1e-4)
    assembled(launched)


@pytest.mark.parametrize(("K", "N"), [(100, 70), (256, 70), (512, 6), (2048, 20), (4096, 20)])
def test_a_row_by_a_head(K: int, N: int, monkeypatch: pytest.MonkeyPatch, launched: dict[str, Any]) -> None:
    monkeypatch.setattr(few, "MANY", 1)
    x, w, weight, y = normal(1, K), normal(N, K), normal(K), normal(1, N)
    row_product_launch(y, x, w, weight, None, 1e-6).sync()
    np.testing.assert_allclose(wide(y), normalised(x, weight) @ wide(w).T, rtol=2**-8, atol=1e-4)
    assembled(launched)


@pytest.mark.parametrize(("K", "N"), SIZES)
def test_a_gated_row(K: int, N: int, launched: dict[str, Any]) -> None:
    x, w, weight, y = normal(1, K), normal(2 * N, K), normal(K), normal(1, N)
    gated_row_product_launch(y, x, w[:N], w[N:], weight, 1e-6).sync()
    both = normalised(x, weight) @ wide(w).T
    np.testing.assert_allclose(wide(y), silu(both[:, :N]) * both[:, N:], rtol=2**-6, atol=1e-3)
    assembled(launched)


@pytest.mark.parametrize("count", [3072, 8192, 9728, 12288])
def test_gated_rows_of_models_run_at_once_and_leave_little_idle(count: int) -> None:
    rows, _, at_once = gated_way(count)
    blocks = -(-count // rows)
    assert blocks <= at_once * PROCESSORS
    assert filled(blocks, at_once) > 0.9
    assert gated_way(25600) == few.GATED[-1]  # too many for one turn


def test_what_is_loaded_ahead_is_of_the_row() -> None:
    for length in range(256, 32768, 256):
        for way in (ahead_of(6144, length), ahead_of(1024, length), head_ahead(length), gated_ahead(length)):
            assert way is None or (way.step * way.steps <= length and length % 512 == 0)
    assert None not in [ahead_of(4096, n) for n in (1024, 2048, 2560, 3072, 4096, 5120, 8192, 9728, 12288)]


@pytest.mark.parametrize(("rows", "processors"), [(2, 132), (33, 132), (33, 1)])
def test_gated_rows(rows: int, processors: int, launched: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """On a GPU with one processor tiles of many rows are wide."""
    monkeypatch.setattr("freehold.kernels.schedules.PROCESSORS", processors)
    monkeypatch.setattr(few, "PROCESSORS", processors)
    K, N = 100, 70
    x, w, y = normal(rows, K), normal(2 * N, K), normal(rows, N)
    gated_product_launch(y, x, w[:N], w[N:]).sync()
    both = wide(x) @ wide(w).T
    np.testing.assert_allclose(wide(y), silu(both[:, :N]) * both[:, N:], rtol=2**-6, atol=1e-2)
    assembled(launched)


@pytest.mark.parametrize(("K", "N"), [(100, 70), (2048, 33)])
def test_rows_with_weights_of_8_bits(K: int, N: int, launched: dict[str, Any]) -> None:
    x, weight, y, z = normal(1, K), normal(K), normal(1, 2 * N), normal(1, N)
    w = fh.zeros((2 * N, K), fh.f8e4m3fn, device=fh.HOST).sync()
    scale = fh.zeros((2 * N,), fh.f32, device=fh.HOST).sync()
    quantise_launch(w, scale, normal(2 * N, K), "fp8").sync()
    row_product_launch(y, x, w, weight, None, 1e-6, scale).sync()
    both = normalised(x, weight) @ (wide(w) * wide(scale)[:, None]).T
    np.testing.assert_allclose(wide(y), both, rtol=2**-8, atol=1e-4)
    gated_row_product_launch(z, x, w[:N], w[N:], weight, 1e-6, (scale[:N], scale[N:])).sync()
    np.testing.assert_allclose(wide(z), silu(both[:, :N]) * both[:, N:], rtol=2**-6, atol=1e-3)
    assembled(launched)


@pytest.mark.parametrize(
    ("length", "long", "whole"),
    [
        (768, False, False), (1024, False, True), (1040, False, False), (1280, True, True), (3840, True, True),
        (4096, True, False), (4096, False, True),
    ],
)  # fmt: skip
def test_which_rows_of_8_bits_are_read_whole(length: int, long: bool, whole: bool) -> None:
    """One row a tile, where rows are compiled in and long enough; else sixteen, by TMA."""
    rows, (step, ahead, tma), _ = few.narrow_way(length, long)
    assert (rows, tma) == ((1, False) if whole else (16, True))
    assert step & (step - 1) == 0
    assert step * ahead <= max(length, 16)
