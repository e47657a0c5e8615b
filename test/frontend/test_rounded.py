"""Roundings that are asked for, against exact fractions; and what operators do not say."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import freehold as fh
from freehold import Const, Out, Ref, Rounding, bf16, f32, i8, i32, tf32, u8
from freehold.dialects.cuda_tile.ops.arith_float import ExpOp, FmaOp, MaxFOp, TanhOp
from freehold.support.diagnostic import Rejected

Interpret = Callable[..., None]
RNG = np.random.default_rng(11)
MODES = (Rounding.NEAREST, Rounding.ZERO, Rounding.DOWN, Rounding.UP)


def rounded(exact: Fraction, mode: Rounding, dtype: Any = np.float32) -> Any:
    """The number of `dtype` that `exact` rounds to."""
    near = dtype(float(exact))
    low = near if Fraction(float(near)) <= exact else np.nextafter(near, dtype(-np.inf))
    high = near if Fraction(float(near)) >= exact else np.nextafter(near, dtype(np.inf))
    match mode:
        case Rounding.DOWN:
            return low
        case Rounding.UP:
            return high
        case Rounding.ZERO:
            return low if exact >= 0 else high
        case _:
            return near


def pair(dtype: Any = np.float32) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    return RNG.uniform(-3, 3, 16).astype(dtype), RNG.uniform(0.1, 7, 16).astype(dtype)


OPERATIONS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": lambda a, b: a / b,
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("mode", MODES, ids=str)
def test_operators_round_as_asked(name: str, mode: Rounding, part: Any, interpret: Interpret):
    ours, exact = getattr(fh, name), OPERATIONS[name]

    def kernel(z: Out["N"], x: Ref["N"], y: Ref["N"]):
        z.store(ours(x.load_like(z), y.load_like(z), rounding=mode))

    x, y = pair()
    z = np.zeros(16, np.float32)
    interpret(kernel, part(z, 16), x, y)
    wanted = [rounded(exact(Fraction(float(a)), Fraction(float(b))), mode) for a, b in zip(x, y, strict=True)]
    assert z.tolist() == [float(w) for w in wanted]


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_fused_products_and_roots_round_as_asked(mode: Rounding, part: Any, interpret: Interpret):
    def kernel(z: Out["N"], x: Ref["N"], y: Ref["N"]):
        s, t = x.load_like(z), y.load_like(z)
        z.store(fh.fma(s, t, 1.5, rounding=mode))

    x, y = pair()
    z = np.zeros(16, np.float32)
    interpret(kernel, part(z, 16), x, y)
    exact = [Fraction(float(a)) * Fraction(float(b)) + Fraction(3, 2) for a, b in zip(x, y, strict=True)]
    assert z.tolist() == [float(rounded(e, mode)) for e in exact]

    def root(z: Out["N"], x: Ref["N"]):
        z.store(fh.sqrt(x.load_like(z), rounding=mode))

    interpret(root, part(z, 16), y)
    for value, result in zip(y, z, strict=True):
        below, above = (Fraction(float(r)) ** 2 for r in (result, np.nextafter(result, np.float32(9))))
        if mode in (Rounding.DOWN, Rounding.ZERO):
            assert below <= Fraction(float(value)) < above


def test_subnormal_numbers_are_flushed(part: Any, interpret: Interpret):
    small = np.array([1e-40, -1e-40, 1e-30, 2.0] * 4, np.float32)

    def kernel(z: Out["N"], x: Ref["N"], FLUSH: Const[bool]):
        t = x.load_like(z)
        z.store(fh.multiply(t, 0.5, flush_to_zero=FLUSH) + fh.maximum(t, -9.0, flush_to_zero=FLUSH))

    z = np.zeros(16, np.float32)
    interpret(kernel, part(z, 16), small, True)
    assert z.tolist() == [float(np.float32(v * np.float32(1.5))) if abs(v) > 1e-37 else 0.0 for v in small]
    interpret(kernel, part(z, 16), small, False)
    assert z[0] > 0


def test_without_a_rounding_they_are_the_operators(part: Any, interpret: Interpret):
    def kernel(z: Out["N"], x: Ref["N"], y: Ref["N"]):
        s, t = x.load_like(z), y.load_like(z)
        z.store(fh.add(fh.multiply(s, 2), fh.subtract(t, 1)) + fh.add(1, 2))

    x, y = np.arange(16, dtype=np.int32), np.arange(16, dtype=np.int32) * 3
    z = np.zeros(16, np.int32)
    interpret(kernel, part(z, 16), x, y)
    assert z.tolist() == (x * 2 + y - 1 + 3).tolist()


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64])
def test_integers_divide_by_every_rounding(dtype: Any, part: Any, interpret: Interpret):
    info = np.iinfo(dtype)
    x = np.array([0, 1, 7, 8, 9, 100, info.max, info.max - 1, info.min, info.min + 1, *([5] * 6)], dtype)
    y = np.array([3, 7, 2, 3, 5, 7, 2, 3] * 2, dtype)
    if info.min < 0:
        y[::2] = -y[::2]

    def kernel(a: Out["N"], b: Out["N"], c: Out["N"], d: Out["N"], e: Out["N"], x: Ref["N"], y: Ref["N"]):
        s, t = x.load_like(a), y.load_like(a)
        a.store(fh.divide(s, t, rounding=Rounding.ZERO))
        b.store(fh.divide(s, t, rounding=Rounding.DOWN))
        c.store(fh.divide(s, t, rounding=Rounding.UP))
        d.store(fh.fmod(s, t))
        e.store(fh.mulhi(s, t))

    made = [np.zeros(16, dtype) for _ in range(5)]
    interpret(kernel, *(part(m, 16) for m in made), x, y)
    pairs = [(int(p), int(q)) for p, q in zip(x, y, strict=True)]
    truncated = [int(Fraction(p, q)) for p, q in pairs]
    assert made[0].tolist() == truncated
    assert made[1].tolist() == [p // q for p, q in pairs]
    assert made[2].tolist() == [-(-p // q) for p, q in pairs]
    assert made[3].tolist() == [p - q * n for (p, q), n in zip(pairs, truncated, strict=True)]
    assert made[4].tolist() == [(p * q) >> info.bits for p, q in pairs]


def test_remainders_and_powers_of_floats(part: Any, interpret: Interpret):
    def kernel(z: Out["N"], w: Out["N"], x: Ref["N"], n: Ref["N"]):
        t = x.load_like(z)
        z.store(fh.fmod(t, 0.75))
        w.store(fh.powi(t, n.load_like(z)))

    x = RNG.uniform(-3, 3, 16).astype(np.float32)
    n = np.arange(-8, 8, dtype=np.int32)
    z, w = np.zeros(16, np.float32), np.zeros(16, np.float32)
    interpret(kernel, part(z, 16), part(w, 16), x, n)
    np.testing.assert_array_equal(z, np.fmod(x, np.float32(0.75)))
    np.testing.assert_allclose(w, x.astype(np.float64) ** n, rtol=1e-5)


def test_conversions_round_and_saturate_as_asked(part: Any, interpret: Interpret):
    def kernel(z: Out["N"], w: Out["N"], u: Out["N"], s: Out["N"], x: Ref["N"]):
        t = x.load_like(z)
        z.store(t.astype(bf16, rounding=Rounding.ZERO))
        w.store(t.astype(tf32, rounding=Rounding.AWAY).astype(f32))
        u.store((t * 200).astype(u8, saturate=True))
        s.store(fh.where(t > 2, float("nan"), t * 200).astype(i8, saturate=True))

    x = RNG.uniform(-3, 3, 16).astype(np.float32)
    z = np.zeros(16, ml_dtypes.bfloat16)
    w, u, s = np.zeros(16, np.float32), np.zeros(16, np.uint8), np.zeros(16, np.int8)
    interpret(kernel, part(z, 16), part(w, 16), part(u, 16), part(s, 16), x)
    bits = x.view(np.uint32)
    assert z.astype(np.float32).view(np.uint32).tolist() == (bits & 0xFFFF0000).tolist()
    assert w.view(np.uint32).tolist() == ((bits + 0x1000) & 0xFFFFE000).tolist()
    assert u.tolist() == np.clip(x * np.float32(200), 0, 255).astype(np.uint8).tolist()
    wanted = np.where(x > 2, 0, np.clip(np.trunc(x * np.float32(200)), -128, 127))
    assert s.tolist() == wanted.astype(np.int8).tolist()


def test_modes_reach_the_operations(part: Any, lowered: Callable[..., ModuleOp]):
    def kernel(z: Out["N"], x: Ref["N"]):
        t = x.load_like(z)
        t = fh.exp(t, rounding=Rounding.APPROX) + fh.tanh(t, rounding=Rounding.APPROX) + fh.exp(t)
        z.store(fh.maximum(fh.fma(t, t, t, flush_to_zero=True), t, flush_to_zero=True))

    module = lowered(kernel, part(np.zeros(16, np.float32), 16), np.zeros(16, np.float32))
    modes = [op.rounding_mode.data.value for op in module.walk() if isinstance(op, ExpOp | TanhOp)]
    assert modes == ["approx", "approx", "full"]
    assert all(op.flush_to_zero is not None for op in module.walk() if isinstance(op, FmaOp | MaxFOp))


def refused(kernel: Callable[..., object], lowered: Callable[..., ModuleOp], part: Any, dtype: Any) -> str:
    with pytest.raises(Rejected) as caught:
        lowered(kernel, part(np.zeros(16, dtype), 16), np.zeros(16, dtype))
    return str(caught.value)


def test_what_is_not_rounded_so(part: Any, lowered: Callable[..., ModuleOp]):
    def half(z: Out["N"], x: Ref["N"]):
        t = x.load_like(z)
        z.store(fh.exp(t, rounding=Rounding.APPROX))

    def flush(z: Out["N"], x: Ref["N"]):
        t = x.load_like(z)
        z.store(fh.add(t, t, flush_to_zero=True))

    def text(z: Out["N"], x: Ref["N"]):
        t = x.load_like(z)
        z.store(fh.add(t, t, rounding="down"))  # pyright: ignore[reportArgumentType, reportCallIssue, reportUnknownArgumentType] -- tested

    def integers(z: Out["N"], x: Ref["N"]):
        t = x.load_like(z)
        z.store(fh.add(t, t, rounding=Rounding.UP))

    def conversion(z: Out["N"], x: Ref["N"]):
        t = x.load_like(z)
        z.store(t.astype(f32, rounding=Rounding.FULL).astype(i32, rounding=Rounding.ZERO))

    half_text = refused(half, lowered, part, np.float16)
    assert "does not round `f16` by `Rounding.APPROX`" in half_text
    assert "round by `fh.Rounding.FULL`" in half_text
    assert "flushes `f32` only, not `f16`" in refused(flush, lowered, part, np.float16)
    assert "round by `fh.Rounding.NEAREST`, `fh.Rounding.ZERO`" in refused(text, lowered, part, np.float32)
    assert "leave out `rounding` and `flush_to_zero`" in refused(integers, lowered, part, np.int32)
    assert "does not round `f16` to `f32` by" in refused(conversion, lowered, part, np.float16)
