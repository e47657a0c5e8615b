"""The kernels of an engine on NumPy's arrays: heads that are turned, appends to slots, attention over pages."""

# What NumPy computes is of no types here.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from comparing import assembled

import freehold as fh
from freehold.kernels.products import Tiling
from freehold.kernels.quantised import narrow_weight_launches, quantise_launch
from freehold.kernels.serving import append_slots, paged_queries, turned_heads

RNG = np.random.default_rng(3)


def normal(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("norm", [True, False])
def test_heads_are_normalised_and_turned(norm: bool) -> None:
    T, H, KH, E = 5, 3, 2, 8
    x, weights, cos, sin = normal(T, H + 2 * KH, 2, E), normal(2, 2, E), normal(32, E), normal(32, E)
    positions = np.array([3, 31, 5, 0, 99], np.int32)
    y = np.zeros((T, H + KH, 2, E), np.float32)
    part = fh.partition(y, (1, 4, 2, E))
    turned_heads(part, x, weights, cos, sin, positions, H, 1e-6, norm).sync()
    wanted: Any = x[:, : H + KH].astype(np.float64)
    if norm:
        weight: Any = np.where(np.arange(H + KH)[:, None, None] >= H, weights[1], weights[0])
        wanted = wanted / np.sqrt((wanted**2).mean((2, 3), keepdims=True) + 1e-6) * weight
    a, b = wanted[:, :, 0], wanted[:, :, 1]
    inside = (positions < 32)[:, None]
    c, s = (np.where(inside, t[positions % 32], 0)[:, None] for t in (cos, sin))
    np.testing.assert_allclose(y, np.stack([a * c - b * s, b * c + a * s], 2), atol=4e-6)


def appended(slots: list[int], rows: int = 64) -> tuple[Any, Any, Any]:
    T, KH, D = len(slots) // 2, 2, 16
    cache, k, v = np.zeros((rows, 2, KH, D), np.float32), normal(T, KH, D), normal(T, KH, D)
    part = fh.ragged(cache, (1, 2, KH, D), by="slots", most=1, partial=True)
    append_slots(part, k, v, np.arange(T, dtype=np.int32)[::-1].copy(), np.array(slots, np.int32)).sync()
    return cache, k[::-1], v[::-1]


def test_tokens_go_to_their_slots_and_nowhere_else() -> None:
    cache, k, v = appended([7, 8, 30, 31, 31, 32, 63, 64, 64, 64, 64])
    wanted = np.zeros_like(cache)
    for t, slot in enumerate([7, 30, 31, 63]):  # and the last one nowhere
        wanted[slot, 0], wanted[slot, 1] = k[t], v[t]
    np.testing.assert_array_equal(cache, wanted)


@pytest.mark.parametrize("slots", [[7, 8, 7, 8, 64], [9, 10, 3, 4, 64], [63, 64, 64, 65, 65]])
def test_slots_that_meet_or_leave_the_cache_are_refused(slots: list[int]) -> None:
    with pytest.raises(fh.LaunchError) as caught:
        appended(slots)
    assert [e.code for e in caught.value.errors] == ["O236"]


@pytest.mark.parametrize("tile", [1, 8])
def test_last_tokens_of_sequences_attend_to_their_pages(tile: int) -> None:
    B, KH, G, D, N, PAGE = 3, 2, 2, 16, 10, 16
    lengths, counts = np.array([37, 5, 20], np.int32), [6, 1, 20]
    starts = np.array([0, *np.cumsum(counts)], np.int32)
    table = np.array([[3, 1, 7, 0], [2, 0, 0, 0], [9, 4, 0, 0]], np.int32)
    cache, q = normal(N, PAGE, 2, KH, D), normal(int(starts[-1]), KH, G, D)
    o = np.zeros_like(q)
    part = fh.ragged(o, (tile, 1, G, D), by="starts")
    paged_queries(part, q, cache[:, :, 0], cache[:, :, 1], table, lengths, starts, 0.25, D, PAGE).sync()
    for b in range(B):
        keys, values = (cache[table[b], :, i].reshape(-1, KH, D).astype(np.float64) for i in (0, 1))
        for t in range(counts[b]):
            end = lengths[b] - counts[b] + t + 1
            scores = np.einsum("shd,hgd->hgs", keys[:end], q[starts[b] + t]) * 0.25
            p = np.exp(scores - scores.max(-1, keepdims=True))
            wanted = np.einsum("hgs,shd->hgd", p / p.sum(-1, keepdims=True), values[:end])
            np.testing.assert_allclose(o[starts[b] + t], wanted, atol=2e-6)


@pytest.mark.parametrize("splits", [1, 2])
@pytest.mark.parametrize("added", [False, True])
def test_products_with_weights_of_8_bits(splits: int, added: bool, launched: dict[str, Any]) -> None:
    """Of bfloat16: what is stored is the exact product of what the weights stand for, rounded once."""
    M, N, K = 5, 70, 96

    def on_host(shape: tuple[int, ...], dtype: Any) -> Any:
        return fh.zeros(shape, dtype, device=fh.HOST).sync()

    a, c, residual = (fh.from_numpy(normal(*s), fh.bf16, device=fh.HOST).sync() for s in ((M, K), (M, N), (M, N)))
    w, scale = on_host((N, K), fh.f8e4m3fn), on_host((N,), fh.f32)
    quantise_launch(w, scale, fh.from_numpy(normal(N, K), device=fh.HOST).sync(), "fp8").sync()
    way = Tiling((16, 32), 32, splits, 4, 1)
    room = on_host((splits, M, N), fh.f32)
    for launch in narrow_weight_launches(c, a, w, scale, residual if added else None, way, lambda: room):
        launch.sync()
    wide = [t.numpy().astype(np.float64) for t in (a, w, scale, residual)]
    wanted = wide[0] @ (wide[1] * wide[2][:, None]).T + added * wide[3]
    np.testing.assert_allclose(c.numpy().astype(np.float64), wanted, rtol=2**-8, atol=1e-5)
    assembled(launched)
