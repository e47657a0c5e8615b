"""Parts of tiles at places that are computed, one element of a tensor, and what gathers give out of bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

import freehold as fh
from freehold import Out, Raw, Ref, f32, i32, i64, u8
from freehold.support.diagnostic import Rejected

Interpret = Callable[..., None]
T = np.arange(64, dtype=np.float32).reshape(8, 8)


@fh.kernel
def parts(y: Out[f32, 8, 8], x: Ref[f32, 8, 8], i: i32, j: i64):
    t = x.load_like(y)
    part = fh.extract(t, (i, j), (2, 4))
    y.store(t.insert((j, i), part + 100).insert((i, j), -1.0))


@given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1))
def test_places_are_taken_modulo_their_number(i: int, j: int):
    y, expected = np.zeros_like(T), T.copy()
    a, b = i % 4, j % 2
    part = T[2 * a : 2 * a + 2, 4 * b : 4 * b + 4]
    c, d = j % 4, i % 2
    expected[2 * c : 2 * c + 2, 4 * d : 4 * d + 4] = part + 100
    expected[i % 8, j % 8] = -1
    parts(fh.partition(y, (8, 8)), T, i, j).sync()
    np.testing.assert_array_equal(y, expected)


def test_parts_are_assembled():
    assert parts.compile(fh.partition(T.copy(), (8, 8)), T, 1, 1, arch="sm_90").cubin.startswith(b"\x7fELF")


@pytest.mark.parametrize("i", [0, 3, 7, -1, 8, -9])
def test_an_element_is_taken_as_python_takes_it(i: int, part: Any, interpret: Interpret):
    def kernel(y: Out[8], x: Ref[8, 8], k: int):
        t = x.load((0, 0), (8, 8))
        y.store(t[k] + t[:, k] + t[k, 0].item() + t[2, 3:4][None, k - k].item())

    y = np.zeros(8, np.float32)
    interpret(kernel, part(y, 8), T, i)
    k = i % 8
    np.testing.assert_array_equal(y, T[k] + T[:, k] + T[k, 0] + T[2, 3])


def test_one_element_is_a_scalar(part: Any, interpret: Interpret, lowered: Callable[..., ModuleOp]):
    def kernel(y: Out["N"], x: Ref["N"], ids: Ref[i32, "M"]):
        first = ids.load((y.index[0],), ())
        y.store(fh.full(y.tile, 0.0, f32) + fh.clip(first, 0, 5) if first > 2 else x.load_like(y))

    x, ids = np.arange(16, dtype=np.float32), np.array([1, 9], np.int32)
    y = np.zeros(16, np.float32)
    interpret(kernel, part(y, 8), x, ids)
    assert y.tolist() == [*range(8), *[5.0] * 8]


@pytest.mark.parametrize(
    "dtype", [np.float32, np.float16, np.int32, np.uint8, np.int64, np.bool_], ids=lambda d: d.__name__
)
def test_gathers_are_padded_with_any_number(dtype: Any):
    @fh.kernel
    def kernel(y: Out["N"], x: Ref["N"]):
        i = y.index[0] * y.tile[0] + fh.arange(y.tile[0])
        y.store(x.gather(i * 2 - 3, mask=i != 4, padding=7))

    x, y = np.arange(16).astype(dtype), np.zeros(16, dtype)
    kernel(fh.partition(y, 8), x).sync()
    wanted = [x[k] if 0 <= (k := 2 * n - 3) < 16 and n != 4 else np.asarray(7).astype(dtype) for n in range(16)]
    assert y.tolist() == wanted
    assert kernel.compile(fh.partition(y, 8), x, arch="sm_90").cubin.startswith(b"\x7fELF")


def test_raw_gathers_are_padded_likewise():
    @fh.kernel
    def kernel(y: Out[f32, "N"], r: Raw[f32, "N"]):
        i = fh.arange(8)
        with fh.unsafe("one block is launched"):
            t = r.gather(i, mask=i > 3, padding=-0.5)
        y.store(t)

    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    kernel(fh.partition(y, 8), x).sync()
    assert y.tolist() == [-0.5] * 4 + [4, 5, 6, 7]


def test_no_padding_that_a_dtype_does_not_have(part: Any, lowered: Callable[..., ModuleOp]):
    def infinite(y: Out["N"], x: Ref[fh.f8e4m3fn, "N"]):
        y.store(x.load_like(y, padding="inf"))

    def fraction(y: Out["N"], x: Ref["N"]):
        y.store(x.gather(fh.arange(8), padding=0.5))

    def large(y: Out["N"], x: Ref["N"]):
        y.store(x.gather(fh.arange(8), padding=300))

    import ml_dtypes

    floats, bytes_ = np.zeros(8, ml_dtypes.float8_e4m3fn), np.zeros(8, np.uint8)
    for kernel, array, code, said in (
        (infinite, floats, "O013", "`f8e4m3fn` has no such value"),
        (fraction, bytes_, "O013", "cannot pad `u8` with 0.5"),
        (large, bytes_, "O031", "300 does not fit in `u8`"),
    ):
        with pytest.raises(Rejected, match=said) as caught:
            lowered(kernel, part(array, 8), array)
        assert caught.value.codes == (code,)


def test_what_names_no_part_is_refused(part: Any, lowered: Callable[..., ModuleOp]):
    def kernel(y: Out[u8, 8], x: Ref[u8, 8]):
        t = x.load((0,), (8,))
        t.extract(2, (4,))
        t.extract((0, 0), (4,))
        t.extract(0, (16,))
        t.extract(1.5, (4,))  # pyright: ignore[reportArgumentType] -- what is tested
        t.extract(t, (4,))  # pyright: ignore[reportArgumentType] -- what is tested
        t.insert(0, t.astype(f32))
        t.insert(0, 300)
        t.item()
        t[t]  # pyright: ignore[reportArgumentType] -- what is tested
        t[:2][t.max().astype(f32)]
        y.store(t)

    x = np.zeros(8, np.uint8)
    with pytest.raises(Rejected) as caught:
        lowered(kernel, part(x, 8), x)
    assert caught.value.codes == (
        "O041", "O023", "O022", "O042", "O042", "O042", "O031", "O013", "O042", "O042"
    )  # fmt: skip
