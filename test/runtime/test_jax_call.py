"""Kernels as functions of JAX arrays, on CPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32

jax: Any = pytest.importorskip("jax")
jnp: Any = jax.numpy
HERE = Path(__file__).parent


@fh.kernel
def saxpy(y: Mut["N"], x: Ref["N"], a: f32):
    y.store(a * x.load_like(y) + y.load())


@fh.kernel
def gemm(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = 16):
    m, n = c.index
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK):
        acc = fh.mma(a.load((m, k), (c.tile[0], BK)), b.load((k, n), (BK, c.tile[1])), acc)
    c.store(acc.astype(c.dtype))


@fh.kernel
def ends(low: Out["M"], high: Out["M"], x: Ref["M", "N"], TN: Const[int] = 8):
    (m,) = low.index
    t = x.load((m, 0), (low.tile[0], TN))
    low.store(fh.min(t, axis=1).astype(low.dtype))
    high.store(fh.max(t, axis=1))


def test_an_output_is_a_result() -> None:
    function = gemm.as_jax({"c": partial(fh.partition, tile=(16, 16))})
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape, np.float32) for shape in ((20, 48), (48, 36)))
    np.testing.assert_allclose(function(a, b), a @ b, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(jax.jit(function)(a, b), a @ b, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(jax.jit(partial(function, BK=8))(a, b), a @ b, rtol=1e-4, atol=1e-4)
    half = function(a.astype(jnp.bfloat16), b.astype(jnp.bfloat16))
    assert half.dtype == jnp.bfloat16
    np.testing.assert_allclose(half.astype(np.float32), a @ b, rtol=0.1, atol=0.5)
    assert repr(function) == "<kernel gemm for JAX>"


def test_what_is_mutated_is_a_result_and_the_argument_stays() -> None:
    function = jax.jit(saxpy.as_jax({"y": 64}), static_argnames="a")
    y, x = jnp.ones(100), jnp.arange(100.0)
    for a in (2.0, 3.0):
        assert (function(y, x, a=a) == a * x + 1).all()
    assert (y == 1).all()


def test_in_the_middle_of_a_program() -> None:
    function = saxpy.as_jax({"y": 64})

    @jax.jit
    def program(y: Any, x: Any) -> Any:
        for _ in range(3):
            y = function(y * 2, x, 1.5)
        return y.sum()

    y, x = jnp.ones(100), jnp.arange(100.0)
    expected = y
    for _ in range(3):
        expected = expected * 2 + 1.5 * x
    np.testing.assert_allclose(program(y, x), expected.sum(), rtol=1e-6)


def test_several_results_of_several_dtypes() -> None:
    function = ends.as_jax({"low": 4, "high": 4}, returns={"low": fh.i32}, fixed={"TN": 32})
    x = jnp.asarray(np.random.default_rng(1).integers(-90, 90, (10, 32)).astype(np.float32))
    low, high = jax.jit(function)(x)
    assert low.dtype == jnp.int32
    assert (low == x.min(1)).all()
    assert (high == x.max(1)).all()


def test_over_a_batch() -> None:
    function = saxpy.as_jax({"y": 64}, vmap_method="sequential")
    y, x = jnp.ones((3, 100)), jnp.arange(300.0).reshape(3, 100)
    found = jax.vmap(partial(function, a=2.0))(y, x)
    assert (found == 2 * x + 1).all()


def test_gradients_by_a_rule_of_ones_own() -> None:
    function = gemm.as_jax({"c": (16, 16)})

    @jax.custom_vjp
    def matmul(a: Any, b: Any) -> Any:
        return function(a, b)

    def forward(a: Any, b: Any) -> Any:
        return function(a, b), (a, b)

    def backward(kept: Any, gradient: Any) -> Any:
        a, b = kept
        return function(gradient, b.T), function(a.T, gradient)

    matmul.defvjp(forward, backward)
    a, b = jnp.ones((8, 16)), jnp.arange(192.0).reshape(16, 12)

    def total(a: Any) -> Any:
        return matmul(a, b).sum()

    found = jax.grad(total)(a)
    np.testing.assert_allclose(found, np.ones((8, 12)) @ np.asarray(b).T, rtol=1e-6)


def test_errors_come_back() -> None:
    function = saxpy.as_jax({"y": 64})
    with pytest.raises(Exception, match=r"error\[O230\]: dimension `N` of `saxpy` is 100, but `x` has 99") as caught:
        jax.block_until_ready(function(jnp.ones(100), jnp.ones(99), 1.0))
    assert "INTERNAL" in str(caught.value)
    with pytest.raises(TypeError, match="saxpy takes y, x, a"):
        function(jnp.ones(100), jnp.ones(100))
    assert (function(jnp.ones(100), jnp.ones(100), 1.0) == 2).all()


REFUSED: list[tuple[str, str]] = [
    ("jax_traced", 'jax.jit(saxpy.as_jax({"y": 64}))(x, x, 2.0)'),
    ("jax_no_partition", "gemm.as_jax({})"),
]


@pytest.mark.parametrize(("name", "program"), REFUSED)
def test_what_is_no_function(name: str, program: str, golden: Callable[[Path, str], None]) -> None:
    fh.register_source("train.py", program + "\n")
    scope = {k: v for k, v in globals().items() if k != "__name__"} | {"x": jnp.ones(64)}
    with pytest.raises(fh.Rejected) as caught:
        exec(compile(program, "train.py", "exec"), scope)
    golden(HERE / "operators" / f"O278_{name}.err", str(caught.value))


def test_dtypes_that_kernels_do_not_have_are_refused_as_jax_traces() -> None:
    function = saxpy.as_jax({"y": 64})
    with pytest.raises(fh.Rejected, match="`x` has elements of type complex64, which kernels do not have"):
        jax.eval_shape(partial(function, a=1.0), jnp.ones(8), jnp.ones(8, jnp.complex64))


def test_a_launch_on_what_jax_holds_says_what_to_call() -> None:
    with pytest.raises(fh.Rejected, match=r"JAX arrays never change[\s\S]*`saxpy.as_jax\({\"y\": tile}\)`"):
        saxpy(fh.partition(jnp.ones(8), 8), jnp.ones(8), 1.0).sync()
    y = np.ones(8, np.float32)

    def launched(x: Any) -> Any:
        return saxpy(fh.partition(y, 8), x, 1.0).sync()

    with pytest.raises(fh.Rejected, match=r"JAX traces here[\s\S]*`saxpy.as_jax\({output: tile}\)`"):
        jax.jit(launched)(jnp.ones(8))
