"""Extremes, sorting, tests of elements and random numbers in kernels against NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import freehold as fh
from freehold import Const, Out, Ref, Tile, i64
from freehold.passes.launch_contract import contract
from freehold.passes.lowering import convert
from freehold.passes.pipeline import verify
from freehold.runtime.interpreter.launch import run, run_entry
from freehold.support.diagnostic import Rejected

Interpret = Callable[..., None]
Lowered = Callable[..., ModuleOp]
Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(11)
NAN, INF = float("nan"), float("inf")

AWKWARD = np.array([3.5, NAN, -0.5, INF, 0.5, -INF, 2.5, 0.0, NAN, -3.0, 1.5, 3.5, -2.5, 0.499, 1e9, -1.5], np.float32)


def compute(interpret: Interpret, part: Any, f: Callable[[Tile], Any], x: Array, y: Array) -> Array:
    """`f` of all of `x`, which fills `y`."""

    def kernel(y: Out, x: Ref, SHAPE: Const[tuple[int, ...]]):
        y.store(f(x.load((0,) * len(SHAPE), SHAPE)))

    interpret(kernel, part(y, *y.shape), x, x.shape)
    return y


ELEMENTWISE: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
    (lambda t: fh.isinf(t), np.isinf),
    (lambda t: fh.isfinite(t), np.isfinite),
    (lambda t: fh.sign(t), np.sign),
    (lambda t: fh.round(t), np.round),
    (lambda t: fh.clip(t, -1, 2.5), lambda x: np.clip(x, -1, 2.5)),
    (lambda t: fh.clip(t, -t, fh.abs(t) * 0.5), lambda x: np.clip(x, -x, np.abs(x) * 0.5)),
]


@pytest.mark.parametrize(("ours", "theirs"), ELEMENTWISE, ids=[str(i) for i in range(len(ELEMENTWISE))])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64])
def test_elements(ours: Any, theirs: Any, dtype: Any, part: Any, interpret: Interpret):
    with np.errstate(over="ignore"):
        x = AWKWARD.astype(dtype)
    found = compute(interpret, part, ours, x, np.zeros(16, np.float64))
    assert np.array_equal(found, theirs(x).astype(np.float64), equal_nan=True)


def test_rounding_is_numpys_everywhere(part: Any, interpret: Interpret):
    x = RNG.integers(0, 1 << 32, 4096, np.uint64).astype(np.uint32).view(np.float32)
    x = np.where(np.isnan(x), np.float32(INF), x)
    found = compute(interpret, part, lambda t: fh.round(t), x, np.zeros(4096, np.float32))
    assert np.array_equal(found, np.round(x), equal_nan=True)
    near = np.nextafter(np.repeat(np.arange(-4, 4, 0.5), 4).astype(np.float32), np.tile([-9, 9, -9, 9], 16))[:64]
    found = compute(interpret, part, lambda t: fh.round(t), near.astype(np.float32), np.zeros(64, np.float32))
    assert np.array_equal(found, np.round(near.astype(np.float32)))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64])
def test_signs_and_limits_of_integers(dtype: Any, part: Any, interpret: Interpret):
    x = RNG.integers(-100, 100, 16).astype(dtype)
    found = compute(interpret, part, lambda t: fh.sign(t), x, np.zeros(16, dtype))
    assert found.tolist() == np.sign(x).tolist()
    found = compute(interpret, part, lambda t: fh.clip(t, 3, 50), x, np.zeros(16, dtype))
    assert found.tolist() == np.clip(x, 3, 50).tolist()


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_any_and_all(axis: int | None, part: Any, interpret: Interpret):
    x = np.array([[0, 0, 0, 0], [1, 0, 2, NAN], [5, 3, 2, 1], [0, 0, 0, -0.0]], np.float32)

    def both(t: Tile) -> Tile:
        return fh.any(t, axis, keepdims=True) * 2 + fh.all(t, axis, keepdims=True)

    expected = np.any(x, axis, keepdims=True) * 2 + np.all(x, axis, keepdims=True)
    assert compute(interpret, part, both, x, np.zeros(expected.shape, np.int32)).tolist() == expected.tolist()


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.uint8, np.bool_])
def test_extreme_positions(axis: int | None, dtype: Any, part: Any, interpret: Interpret):
    """With many equal elements: the first is found."""
    x = RNG.integers(0, 4, (8, 16)).astype(dtype)
    for ours, theirs in ((fh.argmax, np.argmax), (fh.argmin, np.argmin)):
        expected = theirs(x, axis, keepdims=True)
        found = compute(interpret, part, lambda t, f=ours: f(t, axis, keepdims=True), x, np.zeros(expected.shape, int))
        assert found.tolist() == expected.tolist()


def test_extreme_positions_find_the_first_nan(part: Any, interpret: Interpret):
    x = np.stack([AWKWARD, np.sort(AWKWARD), np.full(16, -INF, np.float32), np.full(16, INF, np.float32)])
    for ours, theirs in ((fh.argmax, np.argmax), (fh.argmin, np.argmin)):
        found = compute(interpret, part, lambda t, f=ours: f(t, 1), x, np.zeros(4, np.int32))
        assert found.tolist() == theirs(x, 1).tolist()


@pytest.mark.parametrize("extent", [1, 2, 4, 32])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.uint32, np.int64, np.bool_])
def test_sorting(extent: int, dtype: Any, part: Any, interpret: Interpret):
    x = RNG.integers(0, 40 if dtype is not np.bool_ else 2, (4, extent)).astype(dtype)
    y = np.zeros_like(x)
    assert compute(interpret, part, lambda t: fh.sort(t), x, y).tolist() == np.sort(x).tolist()
    down = compute(interpret, part, lambda t: fh.sort(t, descending=True), x, y)
    assert down.tolist() == np.sort(x)[:, ::-1].tolist()
    order = compute(interpret, part, lambda t: fh.argsort(t), x, np.zeros(x.shape, np.int32))
    assert order.tolist() == np.argsort(x, kind="stable").tolist()
    other = compute(interpret, part, lambda t: fh.sort(t, 0), x, y)
    assert other.tolist() == np.sort(x, 0).tolist()


def test_nan_counts_as_the_largest(part: Any, interpret: Interpret):
    found = compute(interpret, part, lambda t: fh.sort(t), AWKWARD, np.zeros(16, np.float32))
    assert np.array_equal(found, np.sort(AWKWARD), equal_nan=True)
    found = compute(interpret, part, lambda t: fh.sort(t, descending=True), AWKWARD, np.zeros(16, np.float32))
    assert np.array_equal(found, np.sort(AWKWARD)[::-1], equal_nan=True)
    order = compute(interpret, part, lambda t: fh.argsort(t), AWKWARD, np.zeros(16, np.int32))
    assert order.tolist() == np.argsort(AWKWARD, kind="stable").tolist()


@pytest.mark.parametrize("k", [1, 4, 32])
def test_top_k(k: int, part: Any, interpret: Interpret):
    def kernel(v: Out["M", "K"], p: Out["M", "K"], x: Ref["M", "N"], N: Const[int], K: Const[int]):
        values, places = fh.top_k(x.load((0, 0), (4, N)), K)
        v.store(values)
        p.store(places)

    x = RNG.integers(0, 9, (4, 32)).astype(np.float32)
    v, p = np.zeros((4, k), np.float32), np.zeros((4, k), np.int32)
    interpret(kernel, part(v, 4, k), part(p, 4, k), x, 32, k)
    order = np.argsort(-x, kind="stable")[:, :k]
    assert p.tolist() == order.tolist()
    assert v.tolist() == np.take_along_axis(x, order, 1).tolist()


def test_top_k_takes_powers_of_two(part: Any, lowered: Lowered):
    def kernel(y: Out["N"], x: Ref["N"]):
        y.store(fh.top_k(x.load((0,), (16,)), 5)[0].sum())

    with pytest.raises(Rejected) as caught:
        lowered(kernel, part(np.zeros(16, np.float32), 16), np.zeros(16, np.float32))
    assert caught.value.codes == ("O013",)
    assert "takes a power of two from 1 to 16, the elements along axis 0" in str(caught.value)
    assert "take 8, and use the first 5" in str(caught.value)


def philox(seed: int, counters: Array) -> Array:
    """The first word of Philox4x32-10, in 64-bit arithmetic."""
    wide = counters.astype(np.int64).view(np.uint64) if counters.dtype.itemsize == 8 else counters.astype(np.uint64)
    mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    x = [wide & mask, wide >> half, np.zeros_like(wide), np.zeros_like(wide)]
    key = [seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF]
    for _ in range(10):
        a, b = x[0] * np.uint64(0xD2511F53), x[2] * np.uint64(0xCD9E8D57)
        k, n = np.uint64(key[0]), np.uint64(key[1])
        x = [(b >> half) ^ x[1] ^ k, b & mask, (a >> half) ^ x[3] ^ n, a & mask]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return x[0].astype(np.uint32)


def test_the_reference_has_the_published_bits():
    assert philox(0, np.zeros(1, np.uint32)) == 0x6627E8D5


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64, np.int64, np.uint8])
@pytest.mark.parametrize("seed", [0, 1, 0xDEADBEEF, 0x123456789ABCDEF0, -1])
def test_random_bits(dtype: Any, seed: int, part: Any, interpret: Interpret):
    high = 200 if dtype is np.uint8 else 1 << 31 if dtype is np.uint32 else 1 << 62
    x = RNG.integers(0, high, (4, 64)).astype(dtype)
    found = compute(interpret, part, lambda t: fh.random_bits(seed, t), x, np.zeros(x.shape, np.uint32))
    word = seed & 0xFFFFFFFF if seed == -1 else seed
    assert found.tolist() == philox(word, x).tolist()


def test_random_numbers_of_a_seed_that_is_an_argument(part: Any, interpret: Interpret):
    def kernel(y: Out["N"], seed: i64):
        i = y.index[0] * 64 + fh.arange(64)
        y.store(fh.random_uniform(seed, i))

    y = np.zeros(256, np.float32)
    interpret(kernel, part(y, 64), (5 << 40) + 3)
    expected = (philox((5 << 40) + 3, np.arange(256, dtype=np.uint32)) >> 8).astype(np.float32) * np.float32(2**-24)
    assert y.tolist() == expected.tolist()
    assert 0 <= y.min() < 0.1
    assert 0.9 < y.max() < 1


def test_random_numbers_take_integers(part: Any, lowered: Lowered):
    def kernel(y: Out["N"], x: Ref["N"]):
        y.store(fh.random_uniform(0, x.load_like(y)))

    with pytest.raises(Rejected) as caught:
        lowered(kernel, part(np.zeros(16, np.float32), 16), np.zeros(16, np.float32))
    assert caught.value.codes == ("O013",)
    assert "takes integers, not an f32 tile (16,)" in str(caught.value)


def test_what_they_are_written_as(part: Any, lowered: Lowered):
    """One reduction of two operands; a network of log2(n) (log2(n) + 1) / 2 stages; ten rounds of two products."""

    def kernel(y: Out["N"], x: Ref["N"]):
        t = x.load((0,), (16,))
        y.store(fh.argmax(t, 0) + fh.sort(t) + fh.random_bits(1, fh.arange(16)))

    module = lowered(kernel, part(np.zeros(16, np.float32), 16), np.zeros(16, np.float32))
    names = [op.name.partition(".")[2] for op in module.walk()]
    (found,) = (op for op in module.walk() if op.name == "cuda_tile.reduce")
    assert len(found.operands) == len(found.results) == 2
    assert names.count("cat") == 10
    assert names.count("mulhii") == 20


def test_lowering_keeps_every_bit(part: Any, lowered: Lowered):
    def kernel(y: Out["N"], x: Ref["M"], seed: i64):
        t = x.load((0,), (16,))
        values, places = fh.top_k(t, 4)
        y.store(fh.sort(t) + fh.argmin(t) + values.sum() + places.max() + fh.random_uniform(seed, fh.arange(16)))

    x, y, z = RNG.uniform(-2, 2, 16).astype(np.float32), np.zeros(16, np.float32), np.zeros(16, np.float32)
    module = lowered(kernel, part(y, 16), x, 7)
    run(module, [y, x, 7])
    verify(module)
    run_entry(convert(module), contract(module), [z, x, 7])
    assert y.any()
    assert y.tolist() == z.tolist()
