"""Tile arithmetic in kernels against NumPy."""

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import freehold as fh
from freehold import Const, Mut, Out, Ref, Tile, f32, i32

Interpret = Callable[..., None]
RNG = np.random.default_rng(7)


def unary(interpret: Interpret, part: Any, f: Callable[[Tile], Tile], x: np.ndarray[Any, Any], dtype: Any = None):
    """`f` of a tile, as a kernel computes it."""

    def kernel(y: Out["N"], x: Ref["N"]):
        y.store(f(x.load_like(y)))

    y = np.zeros(x.shape, dtype or x.dtype)
    interpret(kernel, part(y, 16), x)
    return y


FLOATS: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
    (lambda t: fh.exp(t), np.exp),
    (lambda t: fh.exp2(t), np.exp2),
    (lambda t: fh.log(fh.abs(t) + 1), lambda x: np.log(np.abs(x) + 1)),
    (lambda t: fh.log2(abs(t) + 1), lambda x: np.log2(np.abs(x) + 1)),
    (lambda t: fh.sqrt(fh.maximum(t, 0)), lambda x: np.sqrt(np.maximum(x, 0))),
    (lambda t: fh.rsqrt(t * t + 1.0), lambda x: 1 / np.sqrt(x * x + 1)),
    (lambda t: fh.sin(t) + fh.cos(t) + fh.tan(t), lambda x: np.sin(x) + np.cos(x) + np.tan(x)),
    (lambda t: fh.sinh(t) + fh.cosh(t) + fh.tanh(t), lambda x: np.sinh(x) + np.cosh(x) + np.tanh(x)),
    (lambda t: fh.atan2(t, 2.0), lambda x: np.arctan2(x, 2)),
    (lambda t: fh.floor(t) + fh.ceil(t), lambda x: np.floor(x) + np.ceil(x)),
    (lambda t: t // 2 + t % 3 - t / 4, lambda x: x // 2 + x % 3 - x / 4),
    (lambda t: t**3 + (t * t + 1) ** 0.5, lambda x: x**3 + np.sqrt(x * x + 1)),
    (lambda t: fh.where(t > 0.5, t, -1), lambda x: np.where(x > 0.5, x, -1)),
    (lambda t: fh.fma(t, 2, 1), lambda x: x * 2 + 1),
    (lambda t: fh.minimum(t, 1) + fh.maximum(0.25, t), lambda x: np.minimum(x, 1) + np.maximum(0.25, x)),
    (lambda t: t - t.max() + t.sum() + t.min(axis=-1), lambda x: x - x.max() + x.sum() + x.min()),
    (lambda t: fh.cumsum(t) + fh.cumsum(t, reverse=True), lambda x: np.cumsum(x) + np.cumsum(x[::-1])[::-1]),
    (lambda t: fh.reduce(t, lambda a, b: fh.maximum(a, b), float("-inf"), 0) + t, lambda x: x.max() + x),
    (lambda t: fh.scan(t, lambda a, b: a + b, 0.0, 0), np.cumsum),
    (lambda t: fh.concatenate((t, -t)).reshape(2, 16).sum(0) + t, lambda x: x),
    (lambda t: t.reshape(4, -1).T.reshape(16), lambda x: x.reshape(4, 4).T.reshape(16)),
    (lambda t: fh.expand_dims(t, 0).sum(axis=0, keepdims=True).reshape((16,)), lambda x: x),
    (lambda t: fh.broadcast_to(t, (2, 16)).prod(axis=0), lambda x: x * x),
    (lambda t: (t[:, None] * t[None, :]).sum(axis=(0, 1)) + t, lambda x: x.sum() ** 2 + x),
    (lambda t: fh.isnan(t / 0.0 * 0.0) + t, lambda x: 1 + x),
    (lambda t: fh.bitcast(fh.bitcast(t, fh.i32), fh.f32), lambda x: x),
]


@pytest.mark.filterwarnings("ignore:.*divide by zero", "ignore:.*invalid value")
@pytest.mark.parametrize(("ours", "theirs"), FLOATS, ids=[str(i) for i in range(len(FLOATS))])
def test_floats(ours: Callable[[Tile], Tile], theirs: Callable[[Any], Any], part: Any, interpret: Interpret):
    x = RNG.uniform(-2, 2, 16).astype(np.float32)
    assert np.allclose(unary(interpret, part, ours, x), theirs(x), rtol=2e-5, atol=2e-5)


INTEGERS: list[Callable[[Any], Any]] = [
    lambda t: t // 3 + t % 3,
    lambda t: t // -3 - t % -7,
    lambda t: (t << 2) ^ (t >> 1) | 5 & t,
    lambda t: ~t + -t + abs(t),
    lambda t: t * t - 7,
    lambda t: (t > 3) & (t != 5) | (t == -2),
]


@pytest.mark.parametrize("function", INTEGERS, ids=[str(i) for i in range(len(INTEGERS))])
@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_integers(function: Callable[[Any], Any], dtype: type, part: Any, interpret: Interpret):
    x: np.ndarray[Any, Any] = np.arange(-8, 8).astype(dtype)
    assert unary(interpret, part, function, x).tolist() == function(x).astype(dtype).tolist()


def test_unsigned_integers_divide_shift_and_compare_as_such(part: Any, interpret: Interpret):
    x = np.array([0, 1, 2, 3, 127, 128, 200, 255] * 2, np.uint8)
    result = unary(interpret, part, lambda t: t // 3 + (t >> 1) + fh.where(t > 130, 1, 0), x)
    assert result.tolist() == (x // 3 + (x >> 1) + (x > 130)).astype(np.uint8).tolist()


def test_sums_of_halves_are_accumulated_in_f32(part: Any, interpret: Interpret):
    x = np.full(4096, 0.001, np.float16)

    def kernel(y: Out["N"], x: Ref["M"]):
        y.store(x.load((0,), (4096,)).sum())

    y = np.zeros(1, np.float16)
    interpret(kernel, part(y, 1), x)
    assert y[0] == np.float16(x.astype(np.float32).sum())


def test_reductions_along_axes(part: Any, interpret: Interpret):
    def softmax(y: Out["M", "N"], x: Ref["M", "N"]):
        t = x.load_like(y)
        e = fh.exp(t - t.max(axis=1, keepdims=True))
        y.store(e / fh.sum(e, axis=-1)[:, None])

    x = RNG.uniform(-2, 2, (8, 16)).astype(np.float32)
    y = np.zeros_like(x)
    interpret(softmax, part(y, 4, 16), x)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    assert np.allclose(y, e / e.sum(axis=1, keepdims=True), rtol=1e-5)


def test_products(part: Any, interpret: Interpret):
    def gemm(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = 16):
        m, n = c.index
        acc = fh.zeros(c.tile, f32)
        for k in fh.tiles(a, axis=1, size=BK):
            acc = fh.mma(a.load((m, k), (c.tile[0], BK)), b.load((k, n), (BK, c.tile[1])), acc)
        c.store(acc)

    a, b = (RNG.uniform(-1, 1, s).astype(ml_dtypes.bfloat16) for s in ((40, 24), (24, 36)))
    c = np.zeros((40, 36), ml_dtypes.bfloat16)
    interpret(gemm, part(c, 16, 16, order=fh.grouped(2), blocks=fh.PERSISTENT), a, b, 16)
    exact = a.astype(np.float32) @ b.astype(np.float32)
    assert np.allclose(c.astype(np.float32), exact, rtol=1e-2, atol=1e-2)


def test_matmul_operator_accumulates_in_the_usual_dtype(part: Any, interpret: Interpret):
    def kernel(c: Out[i32, "M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
        c.store(a.load((0, 0), (16, 16)) @ b.load((0, 0), (16, 16)))

    a = RNG.integers(-128, 127, (16, 16)).astype(np.int8)
    b = RNG.integers(0, 255, (16, 16)).astype(np.uint8)
    c = np.zeros((16, 16), np.int32)
    interpret(kernel, part(c, 16, 16), a, b)
    assert (c == a.astype(np.int32) @ b.astype(np.int32)).all()


def test_bool_tensors_are_bytes(part: Any, interpret: Interpret):
    def kernel(y: Mut["N"], x: Ref["N"]):
        y.store(~y.load() | (x.load_like(y) > 0))

    y = np.array([True, False] * 4)
    x = np.array([1.0, -1.0, -1.0, 1.0] * 2, np.float32)
    expected = ~y | (x > 0)
    interpret(kernel, part(y, 8), x)
    assert y.tolist() == expected.tolist()


def test_stores_broadcast_and_convert_upwards(part: Any, interpret: Interpret):
    def kernel(y: Out["M", "N"], n: i32):
        y.store(fh.arange(8) + n)

    y = np.zeros((4, 8), np.float64)
    interpret(kernel, part(y, 4, 8), 3)
    assert (y == np.arange(8) + 3).all()


def test_padding(part: Any, interpret: Interpret):
    def kernel(y: Out["N"], x: Ref["N"]):
        y.store(x.load((0,), (16,), padding="-inf").max() + x.load((0,), (16,)).sum())

    x = np.full(10, -2.0, np.float32)
    y = np.zeros(10, np.float32)
    interpret(kernel, part(y, 16), x)
    assert y.tolist() == [-22.0] * 10


METHODS: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
    (lambda t: t.any(), lambda x: x.any()),
    (lambda t: (t > 9).all(axis=0), lambda x: (x > 9).all(axis=0)),
    (lambda t: t.argmax(axis=1), lambda x: x.argmax(axis=1)),
    (lambda t: t.argmin(), lambda x: x.argmin()),
    (lambda t: t.cumsum(1), lambda x: x.cumsum(1)),
    (lambda t: (t / 4).cumprod(axis=1, reverse=True), lambda x: (x / 4)[:, ::-1].cumprod(axis=1)[:, ::-1]),
    (lambda t: t.clip(-1, 1.5), lambda x: x.clip(-1, 1.5)),
    (lambda t: (t * 1.5).round(), lambda x: (x * 1.5).round()),
    (lambda t: t.flatten(), lambda x: x.flatten()),
    (lambda t: t.sum(axis=0, keepdims=True).squeeze(), lambda x: x.sum(axis=0)),
    (lambda t: t[None].squeeze(0)[:, None].squeeze(axis=1) + t.size, lambda x: x + x.size),
]


@pytest.mark.parametrize(("ours", "theirs"), METHODS, ids=[str(i) for i in range(len(METHODS))])
def test_methods_are_those_of_arrays(
    ours: Callable[[Any], Any], theirs: Callable[[Any], Any], part: Any, interpret: Interpret
):
    x = RNG.integers(-4, 5, (4, 8)).astype(np.float32)
    wanted = np.asarray(theirs(x))
    shape = wanted.shape or (1,)

    def kernel(y: Out, x: Ref["M", "N"]):
        y.store(ours(x.load((0, 0), (4, 8))))

    y = np.zeros(shape, wanted.dtype if wanted.dtype != np.int64 else np.int32)
    interpret(kernel, part(y, *shape), x)
    np.testing.assert_allclose(y, wanted.reshape(shape), rtol=1e-5)


PIECES: list[Callable[[Any], Any]] = [
    lambda t: t[0],
    lambda t: t[-1, 2],
    lambda t: t[:, 3],
    lambda t: t[2:4],
    lambda t: t[..., 4:],
    lambda t: t[1, None, -4:],
    lambda t: t[None, :2, ..., 0, None],
    lambda t: t[:, 2:4] * t[3:, 6:],
    lambda t: t[..., None][0],
]


@pytest.mark.parametrize("cut", PIECES, ids=[str(i) for i in range(len(PIECES))])
def test_tiles_are_cut_as_arrays(cut: Callable[[Any], Any], part: Any, interpret: Interpret):
    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    wanted = np.asarray(cut(x))
    shape = wanted.shape or (1,)

    def kernel(y: Out, x: Ref["M", "N"]):
        y.store(cut(x.load((0, 0), (4, 8))))

    y = np.zeros(shape, np.float32)
    interpret(kernel, part(y, *shape), x)
    assert y.tolist() == wanted.reshape(shape).tolist()


def twice(put: Any, t: Any) -> None:
    """A helper that is handed a method."""
    put(t)
    put(t * 2)


def put_straight(y: Any, x: Any) -> None:
    put, get = y.store, x.load_like
    put(get(y) * 2)


def put_in_a_loop(y: Any, x: Any) -> None:
    put = y.store
    for _ in range(3):
        put(x.load_like(y) * 2)


def put_in_a_branch(y: Any, x: Any) -> None:
    put = y.store
    put(x.load_like(y))
    if y.index[0] >= 0:
        put(x.load_like(y) * 2)


def put_in_a_helper(y: Any, x: Any) -> None:
    twice(y.store, x.load_like(y))


def taken_in_a_branch(y: Any, x: Any) -> None:
    if y.index[0] >= 0:
        put = y.store
        put(x.load_like(y) * 2)
    else:
        put = y.store
        put(x.load_like(y) * 2)


@pytest.mark.parametrize("body", [put_straight, put_in_a_loop, put_in_a_branch, put_in_a_helper, taken_in_a_branch])
def test_methods_are_values(body: Callable[[Any, Any], None], part: Any, interpret: Interpret):
    def kernel(y: Mut["N"], x: Ref["N"]):
        body(y, x)

    x = np.arange(40, dtype=np.float32)
    y = np.zeros(40, np.float32)
    interpret(kernel, part(y, 16), x)
    assert y.tolist() == (x * 2).tolist()
