"""Elements of 4 bits, scales, and products with scales, against NumPy and ml_dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from answers import assembles
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import freehold as fh
from freehold import Const, Out, Ref, f32, u8
from freehold.backend.assembler import assemble
from freehold.runtime.variants.build import bytecode
from freehold.support.diagnostic import Rejected

Interpret = Callable[..., None]
Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(4)
BYTES = np.arange(256, dtype=np.uint8)
E5M3 = np.array([code % 8 * 2.0**-17 if code < 8 else (8 + code % 8) * 2.0 ** (code // 8 - 18) for code in range(256)])
E5M3[255] = np.nan


def nibbles(data: Array) -> Array:
    """The lower and the upper halves of bytes, along the last axis."""
    return np.stack([data & 15, data >> 4], -1).reshape(*data.shape[:-1], -1)


def fp4(data: Array) -> Array:
    """The values of packed 4-bit floats."""
    return nibbles(data).view(ml_dtypes.float4_e2m1fn).astype(np.float64)


def as_f32(interpret: Interpret, part: Any, function: Callable[[Any], Any], x: Array, count: int) -> Array:
    """What a kernel makes of bytes, in f32."""

    def kernel(y: Out[f32, "M"], x: Ref["N"]):
        y.store(function(x.load((0,), (x_tile,))).astype(f32))

    x_tile = x.size
    y = np.zeros(count, np.float32)
    interpret(kernel, part(y, count), x)
    return y


def same(got: Array, wanted: Array) -> None:
    np.testing.assert_array_equal(got.astype(np.float64), wanted.astype(np.float64))


@pytest.mark.parametrize(
    ("dtype", "wanted"),
    [
        (fh.f4e2m1fn, fp4(BYTES)),
        (fh.u4, nibbles(BYTES)),
        (fh.i4, (nibbles(BYTES).astype(np.int8) ^ 8) - 8),
        (fh.f8e8m0fnu, BYTES.view(ml_dtypes.float8_e8m0fnu)),
        (fh.f8e5m3fnu, E5M3),
        (fh.f8e4m3fn, BYTES.view(ml_dtypes.float8_e4m3fn)),
        (fh.i16, BYTES.view(np.int16)),
        (fh.bool_, np.unpackbits(BYTES, bitorder="little")),
    ],
    ids=str,
)
def test_bytes_hold_elements(dtype: Any, wanted: Array, part: Any, interpret: Interpret):
    same(as_f32(interpret, part, lambda t: fh.unpack(t, dtype), BYTES, wanted.size), wanted)
    back = as_f32(interpret, part, lambda t: fh.pack(fh.unpack(t, dtype)), BYTES, 256)
    if dtype is not fh.f8e4m3fn:  # of which NaNs may change on the way
        same(back, BYTES)


def test_rows_are_packed_by_themselves(part: Any, interpret: Interpret):
    def kernel(y: Out[u8, 4, 4], x: Ref[u8, 4, 8]):
        y.store(fh.pack(fh.unpack(x.load((0, 0), (4, 8)), fh.u4)[:, 8:]))

    x, y = BYTES[:32].reshape(4, 8) * 7, np.zeros((4, 4), np.uint8)
    interpret(kernel, part(y, 4, 4), x)
    same(y, x[:, 4:])


@given(arrays.arrays(np.float32, 64, elements=st.floats(width=32)))
def test_conversions_round_as_ml_dtypes_does(values: Array):
    """To nearest even, and at the ends to the largest number."""

    @fh.kernel
    def kernel(y: Out[u8, "N"], x: Ref["M"]):
        y.store(fh.pack(x.load((0,), (64,)).astype(fh.f4e2m1fn)))

    y = np.zeros(32, np.uint8)
    kernel(fh.partition(y, 32), values).sync()
    with np.errstate(invalid="ignore"):
        clamped = np.clip(np.where(np.isnan(values), 6, values), -6, 6)
    expected = clamped.astype(ml_dtypes.float4_e2m1fn).astype(np.float32)
    got = fp4(y)
    np.testing.assert_array_equal(got[~np.isnan(values)], expected[~np.isnan(values)])


@given(arrays.arrays(np.float32, 32, elements=st.floats(2.0**-126, 2.0**127, width=32)))
def test_scales_are_rounded_up_unless_asked(values: Array):
    @fh.kernel
    def kernel(up: Out["N"], down: Out["N"], x: Ref["N"]):
        t = x.load_like(up)
        up.store(t)
        down.store(t.astype(fh.f8e8m0fnu, rounding=fh.Rounding.ZERO))

    up, down = (np.zeros(32, ml_dtypes.float8_e8m0fnu) for _ in range(2))
    kernel(fh.partition(up, 32), fh.partition(down, 32), values).sync()
    exponent = np.log2(values.astype(np.float64))
    same(up, np.exp2(np.ceil(exponent)))
    same(down, np.exp2(np.floor(exponent)))
    # A tensor converts as a kernel does.
    same(fh.to_numpy(fh.from_numpy(values).sync().astype(fh.f8e8m0fnu).sync()), np.exp2(np.ceil(exponent)))


CASES = [
    (fh.f8e4m3fn, fh.f8e8m0fnu, 32),
    (fh.f8e5m2, fh.f8e8m0fnu, 32),
    (fh.f4e2m1fn, fh.f8e8m0fnu, 16),
    (fh.f4e2m1fn, fh.f8e8m0fnu, 32),
    (fh.f4e2m1fn, fh.f8e4m3fn, 16),
    (fh.f4e2m1fn, fh.f8e5m3fnu, 16),
    (fh.f4e2m1fn, fh.f8e5m3fnu, 32),
]


@fh.kernel
def scaled(
    c: Out[f32, "M", "N"], a: Ref[u8, "M", "A"], s: Ref[u8, "M", "S"], b: Ref[u8, "N", "A"], t: Ref[u8, "N", "S"],
    E: Const[Any], F: Const[Any], B: Const[int],
):  # fmt: skip
    """`a @ b.T` in blocks of 64 along K, `a` and `b` and their scales as bytes in rows."""
    m, n = c.index
    width = 64 * E.bits // 8
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=width):
        x = fh.unpack(a.load((m, k), (c.tile[0], width)), E)
        y = fh.unpack(b.load((n, k), (c.tile[1], width)), E)
        scales = (
            fh.bitcast(s.load((m, k), (c.tile[0], 64 // B)), F),
            fh.bitcast(t.load((n, k), (c.tile[1], 64 // B)), F),
        )
        acc = fh.mma_scaled(x, scales[0], y.T, scales[1].T, acc)
    c.store(acc)


def operands(element: Any, scale: Any, block: int) -> tuple[Array, ...]:
    """`a`, its scales, `b`, its scales, as bytes, for M = 32, N = 16 and K = 128. Scales are from 1/8 to 8."""
    width = 128 * element.bits // 8
    data = [RNG.integers(0, 256, (n, width), np.uint8) for n in (32, 16)]
    for d in data:
        if element is not fh.f4e2m1fn:
            d[(d & 0x7C) == 0x7C] = 0x38  # neither NaN nor infinity
    low, high = {fh.f8e8m0fnu: (124, 131), fh.f8e4m3fn: (0x20, 0x50), fh.f8e5m3fnu: (96, 144)}[scale]
    scales = [RNG.integers(low, high, (n, 128 // block), np.uint8) for n in (32, 16)]
    return data[0], scales[0], data[1], scales[1]


def values(data: Array, dtype: Any) -> Array:
    """Bytes as numbers."""
    if dtype is fh.f4e2m1fn:
        return fp4(data)
    if dtype is fh.f8e5m3fnu:
        return E5M3[data]
    names = {fh.f8e4m3fn: "float8_e4m3fn", fh.f8e5m2: "float8_e5m2", fh.f8e8m0fnu: "float8_e8m0fnu"}
    return data.view(getattr(ml_dtypes, names[dtype])).astype(np.float64)


@pytest.mark.parametrize(("element", "scale", "block"), CASES, ids=str)
def test_products_with_scales(element: Any, scale: Any, block: int):
    a, s, b, t = operands(element, scale, block)
    c = np.zeros((32, 16), np.float32)
    scaled(fh.partition(c, (16, 16)), a, s, b, t, element, scale, block).sync()
    left = values(a, element) * np.repeat(values(s, scale), block, axis=1)
    right = values(b, element) * np.repeat(values(t, scale), block, axis=1)
    if element is fh.f4e2m1fn and scale is fh.f8e8m0fnu:  # every sum is exact
        np.testing.assert_array_equal(c, left @ right.T)
    np.testing.assert_allclose(c, left @ right.T, rtol=2.0**-20, atol=np.abs(left @ right.T).max() * 2.0**-20)


@pytest.mark.parametrize(("element", "scale", "block"), CASES, ids=str)
def test_products_with_scales_are_assembled_where_there_are_any(element: Any, scale: Any, block: int):
    c = np.zeros((32, 16), np.float32)
    given_ = (fh.partition(c, (16, 16)), *operands(element, scale, block), element, scale, block)
    code = bytecode(scaled.verify(*given_), scaled.options)
    first = "sm_107" if scale is fh.f8e5m3fnu else "sm_100"
    assert assembles(code, first)
    for arch in ("sm_80", "sm_90", *(("sm_100", "sm_120") if scale is fh.f8e5m3fnu else ())):
        with pytest.raises(Rejected) as caught:
            assemble(code, arch, kernel="scaled")
        assert set(caught.value.codes) == {"O408"}


def test_what_a_gpu_lacks_is_said_at_the_line_that_needs_it(golden: Callable[[Any, str], None]):
    from pathlib import Path

    c = np.zeros((32, 16), np.float32)
    with pytest.raises(Rejected) as caught:
        scaled.compile(fh.partition(c, (16, 16)), *operands(*CASES[3]), *CASES[3], arch="sm_90")
    golden(Path(__file__).with_name("narrow.err"), caught.value.render().replace(__file__, "test_narrow.py"))


@pytest.mark.parametrize("dtype", [fh.f16, fh.bf16, f32, fh.i32], ids=str)
def test_weights_of_four_bits_are_multiplied_after_conversion(dtype: Any, part: Any, interpret: Interpret):
    def kernel(c: Out[f32, 16, 16], a: Ref[f32, 16, 32], w: Ref[u8, 16, 16]):
        weights = fh.unpack(w.load((0, 0), (16, 16)), fh.i4).astype(dtype).astype(f32)
        c.store(a.load((0, 0), (16, 32)) @ weights.T)

    a, w = RNG.integers(-8, 8, (16, 32)).astype(np.float32), RNG.integers(0, 256, (16, 16), np.uint8)
    c = np.zeros((16, 16), np.float32)
    interpret(kernel, part(c, 16, 16), a, w)
    same(c, a @ ((nibbles(w).astype(np.int8) ^ 8) - 8).astype(np.float32).T)


def test_fast_accumulation_changes_nothing_on_the_interpreter(part: Any, interpret: Interpret):
    def kernel(c: Out[f32, 16, 16], a: Ref[16, 32], b: Ref[32, 16]):
        x, y = a.load((0, 0), (16, 32)), b.load((0, 0), (32, 16))
        zero = fh.zeros((16, 16), f32)
        c.store(fh.mma(x, y, zero, fast_acc=True) - fh.mma(x, y, zero))

    a = RNG.standard_normal((16, 32)).astype(ml_dtypes.float8_e4m3fn)
    c = np.ones((16, 16), np.float32)
    interpret(kernel, part(c, 16, 16), a, a.T.copy())
    same(c, np.zeros((16, 16)))


def test_bits_of_four_are_read_as_other_bits_of_four(part: Any, interpret: Interpret):
    got = as_f32(interpret, part, lambda t: fh.bitcast(fh.unpack(t, fh.i4), fh.f4e2m1fn), BYTES, 512)
    same(got, fp4(BYTES))
    chosen = as_f32(
        interpret,
        part,
        lambda t: fh.where(fh.arange(512) < 256, fh.unpack(t, fh.f4e2m1fn), fh.full(512, 1.5, fh.f4e2m1fn)),
        BYTES,
        512,
    )
    same(chosen, np.where(np.arange(512) < 256, fp4(BYTES), 1.5))


def test_torch_packs_floats_of_four_bits_as_bytes():
    torch = pytest.importorskip("torch")
    a, s, b, t = operands(*CASES[3])
    c, d = np.zeros((32, 16), np.float32), np.zeros((32, 16), np.float32)
    scaled(fh.partition(c, (16, 16)), a, s, b, t, *CASES[3]).sync()
    packed = [torch.from_numpy(x).view(torch.float4_e2m1fn_x2) for x in (a, b)]
    rest = torch.from_numpy(s), torch.from_numpy(t)
    scaled(fh.partition(torch.from_numpy(d), (16, 16)), packed[0], rest[0], packed[1], rest[1], *CASES[3]).sync()
    same(c, d)


def test_arrays_of_one_element_a_byte_are_refused_with_what_to_pass():
    @fh.kernel
    def kernel(y: Out[f32, "N"], x: Ref["N"]):
        y.store(x.load_like(y).astype(f32))

    for name in ("float4_e2m1fn", "int4"):
        x = np.zeros(8, getattr(ml_dtypes, name))
        with pytest.raises(Rejected, match=r"pass bytes of two elements, .* write `fh.unpack\(t, fh\.") as e:
            kernel(fh.partition(np.zeros(8, np.float32), 8), x).sync()
        assert [*e.value.codes] == ["O214"]
