"""Functions that are formulas of others, against float64: over all of their range, at both speeds, and at its ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import freehold as fh
from freehold.passes.pipeline import contract, convert
from freehold.runtime.interpreter import run_entry
from freehold.runtime.variants.build import Math, optimised
from freehold.support.diagnostic import Rejected

Array = np.ndarray[Any, Any]
erf64 = np.vectorize(math.erf)
N = 1 << 14


def erf(y: fh.Out["N"], x: fh.Ref["N"]):
    y.store(fh.erf(x.load_like(y)))


def sigmoid(y: fh.Out["N"], x: fh.Ref["N"]):
    y.store(fh.sigmoid(x.load_like(y)))


def silu(y: fh.Out["N"], x: fh.Ref["N"]):
    y.store(fh.silu(x.load_like(y)))


def gelu(y: fh.Out["N"], x: fh.Ref["N"]):
    y.store(fh.gelu(x.load_like(y)))


def gelu_by_tanh(y: fh.Out["N"], x: fh.Ref["N"]):
    y.store(fh.gelu(x.load_like(y), approximate="tanh"))


def log1p(y: fh.Out["N"], x: fh.Ref["N"]):
    y.store(fh.log1p(x.load_like(y)))


def expm1(y: fh.Out["N"], x: fh.Ref["N"]):
    y.store(fh.expm1(x.load_like(y)))


def exact_sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def exact_gelu(x: Array) -> Array:
    return x / 2 * (1 + erf64(x / math.sqrt(2)))


def exact_gelu_by_tanh(x: Array) -> Array:
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def itself(x: Array, y: Array) -> Array:
    return abs(y)


def given(x: Array, y: Array) -> Array:
    return abs(x)


Case = tuple[Callable[..., None], Callable[[Array], Array], Callable[[Array, Array], Array], float]
CASES: list[Case] = [
    (erf, erf64, itself, 2.0**-22),
    (sigmoid, exact_sigmoid, itself, 2.0**-22),
    (silu, lambda x: x * exact_sigmoid(x), itself, 2.0**-22),
    (gelu, exact_gelu, given, 2.0**-22),
    (gelu_by_tanh, exact_gelu_by_tanh, given, 2.0**-22),
    (log1p, np.log1p, itself, 2.0**-21),
    (expm1, np.expm1, itself, 2.0**-21),
]
"""Kernels, what they compute, what the error is relative to, and its bound."""


def numbers(function: Callable[..., None]) -> Array:
    """Numbers of all sizes, of both signs, and many where formulas change."""
    rng = np.random.default_rng(0)
    sizes = np.exp2(rng.uniform(-40, 6.3, N // 2)) * rng.choice([-1, 1], N // 2)
    x = np.concatenate([sizes, rng.uniform(-6, 6, N // 4), rng.uniform(-1.2, 1.2, N // 4)]).astype(np.float32)
    return np.where(x <= -0.999, abs(x), x) if function is log1p else x


def computed(function: Callable[..., None], x: Array, math: Math = "precise") -> Array:
    """What the lowered kernel makes of numbers."""
    chosen = optimised(fh.kernel(math=math)(function).verify(fh.partition(np.zeros_like(x), 256), x), math)
    found = np.full_like(x, np.nan)
    run_entry(convert(chosen), contract(chosen), [found, x])
    return found


@pytest.mark.parametrize("speed", ["precise", "fast"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_errors_are_within_their_bounds(case: Case, speed: Math) -> None:
    function, exact, relative_to, bound = case
    x = numbers(function)
    wide = x.astype(np.float64)
    wanted = exact(wide)
    found = computed(function, x, speed).astype(np.float64)
    if speed == "fast":  # as docs/language.md says of `exp`
        bound = bound + 3 * 2.0**-22 * (1 + abs(wide))
    usual = (abs(wanted) > 2.0**-100) & np.isfinite(found)
    error = abs(found - wanted) / relative_to(wide, wanted)
    assert usual.mean() > 0.9
    assert (error <= bound)[usual].all(), (error / bound)[usual].max()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_ends_of_the_range(case: Case) -> None:
    function, exact, *_ = case
    x = np.array([0, -0.0, np.inf, -np.inf, np.nan, 200, -200, -1, 1] + [0.25] * 7, np.float32)
    with np.errstate(all="ignore"):
        wanted, found = exact(x.astype(np.float64)).astype(np.float32), computed(function, x)
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-38)


@pytest.mark.parametrize(("dtype", "unit"), [(np.float16, 2.0**-11), (ml_dtypes.bfloat16, 2.0**-8)])
def test_narrow_floats_are_rounded_once(dtype: Any, unit: float) -> None:
    x = np.linspace(-4, 4, 256, dtype=np.float32).astype(dtype)
    wanted = exact_gelu(x.astype(np.float64))
    found = computed(gelu, x)
    assert found.dtype == x.dtype
    assert (abs(found.astype(np.float64) - wanted) <= abs(wanted) * unit + 1e-6).all()


def test_what_is_not_computed_is_refused() -> None:
    def form(y: fh.Out["N"], x: fh.Ref["N"]):
        y.store(fh.gelu(x.load_like(y), approximate="sigmoid"))  # type: ignore[call-overload] # pyright: ignore

    x = np.zeros(256, np.float32)
    for function, array, text in ((form, x, '`approximate="tanh"`'), (erf, x.astype(np.float64), "f32")):
        with pytest.raises(Rejected) as caught:
            fh.kernel(function).verify(fh.partition(array.copy(), 256), array)
        assert text in str(caught.value)
        assert caught.value.codes == ("O013",)


@fh.kernel
def of_a_number(y: fh.Out["N"]):
    y.store(fh.zeros(y.tile) + fh.sqrt(2**40))


def test_a_number_is_a_float_however_large() -> None:
    y = np.zeros(8, np.float32)
    of_a_number(fh.partition(y, 8)).sync()
    assert (y == 2**20).all()
