"""
Quotients that are rounded up: what Python wrote is what is computed. Where no sum wraps around, all spellings are one
term, and what is proved of one is proved of all; where one may, only `cdiv` is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import freehold as fh
from freehold import Const, Out, Ref, f32, i32
from freehold.runtime.jit.kernel import Kernel


@fh.kernel
def cdiv(y: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = 16):
    m, n = y.index
    acc = fh.zeros(y.tile, f32)
    for k in range(fh.cdiv(a.shape[1], BK)):
        acc = fh.mma(a.load((m, k), (y.tile[0], BK)), b.load((k, n), (BK, y.tile[1])), acc)
    y.store(acc)


@fh.kernel
def sum_first(y: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = 16):
    fh.require("K <= 1073741824")
    m, n = y.index
    acc = fh.zeros(y.tile, f32)
    for k in range((a.shape[1] + BK - 1) // BK):
        acc = fh.mma(a.load((m, k), (y.tile[0], BK)), b.load((k, n), (BK, y.tile[1])), acc)
    y.store(acc)


@fh.kernel
def number_first(y: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    fh.require("K <= 1073741824")
    m, n = y.index
    acc = fh.zeros(y.tile, f32)
    for k in range((15 + a.shape[1]) // 16):
        acc = fh.mma(a.load((m, k), (y.tile[0], 16)), b.load((k, n), (16, y.tile[1])), acc)
    y.store(acc)


def up(n: Any, d: int) -> Any:
    return (n + (d - 1)) // d


@fh.kernel
def in_a_helper(y: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    fh.require("K <= 1073741824")
    m, n = y.index
    acc = fh.zeros(y.tile, f32)
    for k in range(up(a.shape[1], 16)):
        acc = fh.mma(a.load((m, k), (y.tile[0], 16)), b.load((k, n), (16, y.tile[1])), acc)
    y.store(acc)


@fh.kernel
def negated(y: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    m, n = y.index
    acc = fh.zeros(y.tile, f32)
    for k in range(-(-a.shape[1] // 16)):
        acc = fh.mma(a.load((m, k), (y.tile[0], 16)), b.load((k, n), (16, y.tile[1])), acc)
    y.store(acc)


@fh.kernel
def in_a_branch(y: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], twice: i32):
    fh.require("K <= 1073741824")
    m, n = y.index
    acc = fh.zeros(y.tile, f32)
    for _ in range(1 + twice):
        if twice < 9:
            k = (a.shape[1] + 15) // 16 - 1
            acc = fh.mma(a.load((m, k), (y.tile[0], 16)), b.load((k, n), (16, y.tile[1])), acc)
    y.store(acc)


def arrays(m: int = 20, n: int = 24, k: int = 37) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(3)
    return (
        np.zeros((m, n), np.float32),
        rng.standard_normal((m, k), np.float32),
        rng.standard_normal((k, n), np.float32),
    )


@pytest.mark.parametrize("kernel", [cdiv, sum_first, number_first, in_a_helper, negated], ids=lambda k: k.__name__)
def test_every_spelling_is_proved_and_computes_the_same(kernel: Kernel) -> None:
    y, a, b = arrays()
    text = str(kernel.explain(fh.partition(y, (16, 16)), a, b, arch=()))
    assert "9 obligations, 9 proved" in text
    assert "0 <= k < ceildiv(K, 16)" in text
    kernel(fh.partition(y, (16, 16)), a, b).sync()
    np.testing.assert_allclose(y, a @ b, rtol=1e-4, atol=1e-4)


def test_it_is_proved_inside_a_loop_and_a_branch() -> None:
    y, a, b = arrays()
    assert "checked in the kernel" not in str(in_a_branch.explain(fh.partition(y, (16, 16)), a, b, 1, arch=()))


@fh.kernel
def quotients(y: Out[i32, 8], n: i32):
    up, floor = (n + 6) // 7, (n + 5) // 7
    other, negative = (n + 8) // 7, -(-n // 7)
    y.store(fh.full(8, 0, i32))
    at = fh.arange(8)
    y.store(fh.where(at == 0, up, fh.where(at == 1, floor, fh.where(at == 2, other, negative))))


@given(st.one_of(st.integers(-50, 50), st.integers(-(2**31) + 7, 2**31 - 9)))
def test_they_are_what_python_computes(n: int) -> None:
    y = np.zeros(8, np.int32)
    quotients(fh.partition(y, 8), n).sync()
    assert y.tolist() == [(n + 6) // 7, (n + 5) // 7, (n + 8) // 7, *[-(-n // 7)] * 5]


@fh.kernel
def unbounded(y: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    m, n = y.index
    acc = fh.zeros(y.tile, f32)
    for k in range((a.shape[1] + 15) // 16):
        acc = fh.mma(a.load((m, k), (y.tile[0], 16)), b.load((k, n), (16, y.tile[1])), acc)
    y.store(acc)


def test_of_a_sum_that_may_wrap_around_nothing_is_proved() -> None:
    y, a, b = arrays()
    assert "2 checked in the kernel" in str(unbounded.explain(fh.partition(y, (16, 16)), a, b, arch=()))
    unbounded(fh.partition(y, (16, 16)), a, b).sync()
    np.testing.assert_allclose(y, a @ b, rtol=1e-4, atol=1e-4)


def test_the_reason_says_how_to_round_up() -> None:
    denied = Kernel(unbounded.__wrapped__, unbounded.options._replace(deny_kernel_checks=True))
    y, a, b = arrays()
    with pytest.raises(fh.Rejected, match=r"a sum that may wrap around; `fh.cdiv\(n, 16\)` has no sum"):
        denied.verify(fh.partition(y, (16, 16)), a, b)


def through_maximum(n: Any, d: int) -> Any:
    total = n + (d - 1)
    return fh.maximum(total, total) // d


@fh.kernel
def spellings(y: Out[i32, 8], n: i32):
    direct, other, cdiv = (n + 63) // 64, through_maximum(n, 64), fh.cdiv(n, 64)
    inner = up(n, 64)
    at = fh.arange(8)
    y.store(fh.where(at == 0, direct, fh.where(at == 1, other, fh.where(at == 2, inner, cdiv))))


@pytest.mark.parametrize("n", [2**31 - 1, 2**31 - 63, 2**31 - 64, 1000, 0, -1, -(2**31)])
def test_meaning_does_not_depend_on_spelling(n: int) -> None:
    y = np.zeros(8, np.int32)
    spellings(fh.partition(y, 8), n).sync()
    wrapped = (n + 63 + 2**31) % 2**32 - 2**31
    assert y.tolist() == [wrapped // 64] * 3 + [-(-n // 64)] * 5
