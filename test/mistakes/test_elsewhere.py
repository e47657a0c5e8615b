"""What users of other libraries are told to write instead computes what they asked for: the edits are made, and run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from edits import HEADER, followed
from numpy.typing import NDArray

import freehold as fh
from freehold.frontend.elsewhere import EDITS
from freehold.support.dtypes import from_name

Array = NDArray[Any]
RNG = np.random.default_rng(7)
N = 16
BF16, FP8 = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn
NUMBERS = RNG.uniform(-0.9, 0.9, (2, N, N)).astype(np.float32)
POSITIVE = np.abs(NUMBERS) + np.float32(0.01)
WIDE = (NUMBERS * np.exp(RNG.uniform(-20, 4.4, (2, N, N)))).astype(np.float32)
WIDE[0, 0, :6] = 0, -0.0, 1e-30, 88, -88, 0.5
WIDE[1, 1] = WIDE[0, 1]  # some are equal
STRANGE = WIDE.copy()
STRANGE[0, 2, :4] = np.nan, np.inf, -np.inf, 2.5
INTEGERS = np.stack((RNG.integers(-99, 99, (N, N)), RNG.integers(1, 9, (N, N)))).astype(np.int32)
INTEGERS[0, 0] = 0
LARGE = RNG.integers(-(2**31), 2**31, (2, N, N)).astype(np.int32)
TRUTHS = (NUMBERS > 0).astype(np.float32)

PROGRAM = """
@fh.kernel
def kernel(out: fh.Out, p: fh.Ref["A", "B"], q: fh.Ref["A", "B"]):
    x, y = p.load((0, 0), (16, 16)), q.load((0, 0), (16, 16))
    row, other = x[0], y[0]
    r = {call}
    out.store(r.astype(f32) if isinstance(r, fh.Tile) else r)
"""


def softmax(x: Array, axis: int = -1) -> Array:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def gelu(x: Array) -> Array:
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))


def erf(x: Array) -> Array:
    import math

    return np.vectorize(math.erf)(x)


def logsumexp(x: Array, axis: int | None = None) -> Array:
    return np.log(np.exp(x.astype(np.float64)).sum(axis))


def searched(x: Array, y: Array) -> Any:
    return np.searchsorted(np.sort(x), y)


def xored(x: Array) -> Any:
    return np.bitwise_xor.reduce(x, 1)


OF_TWO: dict[str, Callable[[Array, Array], Any]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "fdiv": np.divide,
    "div": np.divide,
    "copysign": np.copysign,
    "isclose": np.isclose,
}
OF_ONE: dict[str, Callable[[Array], Any]] = {
    "neg": np.negative,
    "sgn": np.sign,
    "frac": lambda x: x - np.trunc(x),
    "deg2rad": np.deg2rad,
    "radians": np.radians,
    "rad2deg": np.rad2deg,
    "degrees": np.degrees,
    "cbrt": np.cbrt,
    "sinc": np.sinc,
    "relu6": lambda x: np.clip(x, 0, 6),
    "hardtanh": lambda x: np.clip(x, -1, 1),
    "hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "elu": lambda x: np.where(x < 0, np.expm1(x), x),
    "hardswish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "leaky_relu": lambda x: np.where(x < 0, 0.01 * x, x),
    "logsigmoid": lambda x: -np.logaddexp(-x, 0),
    "mish": lambda x: x * np.tanh(np.logaddexp(x, 0)),
}

CASES: dict[str, tuple[Callable[[Array, Array], Any], Array]] = {
    **{
        f"fh.{name}(x)": (lambda x, y, name=name: getattr(np, name)(x), WIDE)
        for name in (
            "absolute",
            "fabs",
            "negative",
            "square",
            "arctan",
            "rint",
            "trunc",
            "ravel",
            "tril",
            "triu",
            "trace",
        )
    },
    **{
        f"fh.{name}(x)": (lambda x, y, name=name: getattr(np, name)(x), NUMBERS)
        for name in (
            "arcsin",
            "arccos",
            "mean",
            "average",
            "var",
            "std",
            "ptp",
            "amax",
            "amin",
            "zeros_like",
            "ones_like",
        )
    },
    **{
        f"fh.{name}(x, y)": (lambda x, y, name=name: getattr(np, name)(x, y), WIDE)
        for name in ("hypot", "logaddexp", "arctan2", "true_divide", "equal", "not_equal", "less", "less_equal")
    },
    **{
        f"fh.{name}(x, y)": (lambda x, y, name=name: getattr(np, name)(x, y), WIDE)
        for name in ("greater", "greater_equal", "logical_and", "logical_or", "logical_xor")
    },
    **{f"fh.{name}(x, y)": (lambda x, y, name=name: getattr(np, name)(x, y), STRANGE) for name in ("fmax", "fmin")},
    **{
        f"fh.{name}(x, y)": (lambda x, y, name=name: getattr(np, name)(x, y), INTEGERS)
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "floor_divide")
    },
    **{
        f"fh.{name}(x)": (lambda x, y, name=name: getattr(np, name)(x), INTEGERS)
        for name in ("bitwise_not", "invert", "logical_not", "count_nonzero")
    },
    **{f"fh.{name}(x, y)": (lambda x, y: np.power(x, y), POSITIVE) for name in ("pow", "power", "float_power")},
    **{f"fh.{name}(x, y)": (lambda x, y, name=name: OF_TWO[name](x, y), WIDE) for name in OF_TWO},
    **{f"fh.{name}(x)": (lambda x, y, name=name: OF_ONE[name](x), NUMBERS * np.float32(9)) for name in OF_ONE},
    "fh.select(x > y, x, y)": (lambda x, y: np.where(x > y, x, y), NUMBERS),
    "fh.iff(x > y, y, x)": (lambda x, y: np.where(x > y, y, x), NUMBERS),
    "fh.ldexp(x, 3)": (lambda x, y: np.ldexp(x, 3), NUMBERS),
    "fh.erfc(x)": (lambda x, y: 1 - erf(x), NUMBERS),
    **{
        f"fh.{name}(x)": (lambda x, y: np.bitwise_count(x.view(np.uint32)), LARGE)
        for name in ("popcount", "popc", "bitwise_count", "bit_count", "population_count")
    },
    "fh.one_hot(row, 8)": (lambda x, y: x[0][:, None] == np.arange(8), INTEGERS % 8),
    "fh.swiglu(x, y)": (lambda x, y: x / (1 + np.exp(-x)) * y, NUMBERS),
    "fh.silu_and_mul(x, y + 1)": (lambda x, y: x / (1 + np.exp(-x)) * (y + 1), NUMBERS),
    "fh.geglu(x, y)": (lambda x, y: x * (1 + erf(x / np.sqrt(2))) / 2 * y, NUMBERS),
    "fh.logit(x)": (lambda x, y: np.log(x / (1 - x)), POSITIVE),
    "fh.xlogy(x, y)": (lambda x, y: x * np.log(y), POSITIVE),
    "fh.lerp(x, y, 0.25)": (lambda x, y: x + 0.25 * (y - x), NUMBERS),
    "fh.addcmul(x, y, x + 1)": (lambda x, y: x + y * (x + 1), NUMBERS),
    "fh.addcmul(x, y, x, value=2)": (lambda x, y: x + 2 * y * x, NUMBERS),
    "fh.addcdiv(x, y, x)": (lambda x, y: x + y / x, POSITIVE),
    "fh.masked_fill(x, x > y, 7.0)": (lambda x, y: np.where(x > y, 7, x), NUMBERS),
    "fh.bitwise_left_shift(x, y)": (lambda x, y: x << y, INTEGERS),
    "fh.bitwise_right_shift(x, y)": (lambda x, y: x >> y, INTEGERS),
    "fh.mm(x, y)": (lambda x, y: x @ y, NUMBERS),
    "fh.bmm(x[None], y[None])": (lambda x, y: (x @ y)[None], NUMBERS),
    "fh.addmm(x, x, y)": (lambda x, y: x + x @ y, NUMBERS),
    "fh.baddbmm(x[None], x[None], y[None])": (lambda x, y: (x + x @ y)[None], NUMBERS),
    "fh.searchsorted(fh.sort(row), other)": (lambda x, y: searched(x[0], y[0]), NUMBERS),
    "fh.xor_sum(x, 1)": (lambda x, y: xored(x), INTEGERS),
    "fh.interleave(row, other)": (lambda x, y: np.stack((x[0], y[0]), -1).ravel(), NUMBERS),
    "fh.repeat_interleave(row, 2)": (lambda x, y: np.repeat(x[0], 2), NUMBERS),
    "fh.max_constancy(x, 4)": (lambda x, y: x, NUMBERS),
    "fh.sorted(row)": (lambda x, y: np.sort(x[0]), NUMBERS),
    "pow(x, 2)": (lambda x, y: x**2, WIDE),
    "fh.pow(x, 2)": (lambda x, y: x**2, WIDE),
    "fh.logical_and(x, y > 2)": (lambda x, y: np.logical_and(x, y > 2), INTEGERS),
    "fh.logical_not(x > 0)": (lambda x, y: ~(x > 0), WIDE),
    "fh.mod(x, y) + fh.remainder(x, y)": (lambda x, y: 2 * np.mod(x, y), INTEGERS),
    "fh.mul(x, y)": (lambda x, y: x * y, WIDE),
    "fh.sub(x, y + 1)": (lambda x, y: x - (y + 1), WIDE),
    "fh.mul(x - 1, y + 1)": (lambda x, y: (x - 1) * (y + 1), NUMBERS),
    "fh.truediv(x, y)": (lambda x, y: x / y, POSITIVE),
    "fh.floordiv(x, y)": (lambda x, y: x // y, INTEGERS),
    "fh.divmod(x, y)[0]": (lambda x, y: x // y, INTEGERS),
    "fh.bitwise_lshift(x, y)": (lambda x, y: x << y, INTEGERS),
    "fh.bitwise_rshift(x, y)": (lambda x, y: x >> y, INTEGERS),
    "fh.astype(x, i32)": (lambda x, y: x.astype(np.int32), NUMBERS * np.float32(99)),
    "fh.unpack_from_bytes(fh.pack(x), f32)": (lambda x, y: x, WIDE),
    "fh.unpack(fh.pack_to_bytes(x), f32)": (lambda x, y: x, WIDE),
    "fh.num_tiles(p, 0, (4, 8)) + x": (lambda x, y: x + 4, NUMBERS),
    "fh.assume_divisible_by(x, 8)": (lambda x, y: x, WIDE),
    "fh.static_eval(2 + 3) + x": (lambda x, y: x + 5, NUMBERS),
    "fh.mod(x, y)": (lambda x, y: np.mod(x, y), POSITIVE),
    "fh.floor_div(x, 3)": (lambda x, y: x // 3, INTEGERS),
    "fh.reciprocal(x)": (lambda x, y: 1 / x, POSITIVE),
    "fh.exp10(x)": (lambda x, y: 10**x, NUMBERS),
    "fh.log10(x)": (lambda x, y: np.log10(x), POSITIVE),
    "fh.atan(x)": (lambda x, y: np.arctan(x), WIDE),
    "fh.asin(x)": (lambda x, y: np.arcsin(x), NUMBERS),
    "fh.acos(x)": (lambda x, y: np.arccos(x), NUMBERS),
    "fh.swish(x)": (lambda x, y: x / (1 + np.exp(-x.astype(np.float64))), WIDE),
    "fh.relu(x)": (lambda x, y: np.maximum(x, 0), STRANGE),
    "fh.softplus(x)": (lambda x, y: np.logaddexp(x, 0), NUMBERS),
    "fh.clamp(x, -0.5, 0.5)": (lambda x, y: np.clip(x, -0.5, 0.5), NUMBERS),
    "fh.clamp(x, min=0.25)": (lambda x, y: np.maximum(x, 0.25), NUMBERS),
    "fh.nan_to_num(x)": (lambda x, y: np.nan_to_num(x), STRANGE),
    "fh.div_rn(x, y)": (lambda x, y: x / y, POSITIVE),
    "fh.sqrt_rn(x)": (lambda x, y: np.sqrt(x), POSITIVE),
    "fh.umulhi(x, y)": (
        lambda x, y: (x.astype(np.uint32).astype(np.uint64) * y.astype(np.uint32)) >> np.uint64(32),
        LARGE,
    ),
    "fh.cast(x, i32)": (lambda x, y: x.astype(np.int32), NUMBERS * np.float32(99)),
    "fh.cast(x, np.float32)": (lambda x, y: x.astype(np.float32), INTEGERS),
    # Reductions and scans.
    "fh.mean(x, axis=1)": (lambda x, y: x.mean(1), NUMBERS),
    "fh.mean(x, 0, keepdims=True)": (lambda x, y: x.mean(0, keepdims=True), NUMBERS),
    "fh.mean(x, axis=(0, 1))": (lambda x, y: x.mean(), NUMBERS),
    "x - fh.mean(x, dim=-1, keepdim=True)": (lambda x, y: x - x.mean(-1, keepdims=True), NUMBERS),
    "fh.var(x, axis=1)": (lambda x, y: x.var(1), NUMBERS),
    "fh.std(x, axis=0, keepdims=True)": (lambda x, y: x.std(0, keepdims=True), NUMBERS),
    "x / fh.std(x, axis=0)": (lambda x, y: x / x.std(0), NUMBERS),
    "fh.norm(x)": (lambda x, y: np.linalg.norm(x), NUMBERS),
    "fh.softmax(x)": (lambda x, y: softmax(x), WIDE),
    "fh.softmax(x, dim=0)": (lambda x, y: softmax(x, 0), WIDE),
    "fh.softmax(x + y, axis=-1) * 2": (lambda x, y: softmax(x + y) * 2, NUMBERS),
    "fh.log_softmax(x, -1)": (lambda x, y: np.log(softmax(x)), NUMBERS),
    "fh.logsumexp(x)": (lambda x, y: logsumexp(x), WIDE),
    "fh.logsumexp(x, axis=1)": (lambda x, y: logsumexp(x, 1), NUMBERS),
    "fh.count_nonzero(x, axis=1)": (lambda x, y: np.count_nonzero(x, 1), INTEGERS),
    "fh.amax(x, dim=1, keepdim=True)": (lambda x, y: x.max(1, keepdims=True), NUMBERS),
    "fh.amin(x, 0)": (lambda x, y: x.min(0), NUMBERS),
    "fh.ptp(x, axis=1)": (lambda x, y: np.ptp(x, axis=1), NUMBERS),
    "fh.cummax(row)": (lambda x, y: np.maximum.accumulate(x[0]), NUMBERS),
    "fh.cummin(x, dim=1)": (lambda x, y: np.minimum.accumulate(x, 1), NUMBERS),
    "fh.median(row)": (lambda x, y: np.median(x[0]), NUMBERS),
    "fh.topk(row, 4)[0]": (lambda x, y: np.sort(x[0])[::-1][:4], NUMBERS),
    "fh.topk(x, 4, dim=0)[1]": (lambda x, y: np.argsort(-x, 0)[:4], NUMBERS),
    # Products.
    "fh.dot(x, y)": (lambda x, y: x @ y, NUMBERS),
    "fh.dot(x, y, x + y)": (lambda x, y: x @ y + (x + y), NUMBERS),
    "fh.dot(x, y, acc=y)": (lambda x, y: x @ y + y, NUMBERS),
    "fh.matmul(x, y + 1)": (lambda x, y: x @ (y + 1), NUMBERS),
    "2 * fh.matmul(x, y)": (lambda x, y: 2 * (x @ y), NUMBERS),
    "fh.outer(row, other)": (lambda x, y: np.outer(x[0], y[0]), NUMBERS),
    "fh.inner(row, other)": (lambda x, y: x[0] @ y[0], NUMBERS),
    "fh.vdot(row, other + 1)": (lambda x, y: x[0] @ (y[0] + 1), NUMBERS),
    "fh.diag(x)": (lambda x, y: np.diag(x), NUMBERS),
    "fh.diagonal(x + y)": (lambda x, y: np.diag(x + y), NUMBERS),
    "fh.tril(x, -1)": (lambda x, y: np.tril(x, -1), NUMBERS),
    "fh.triu(x, 2)": (lambda x, y: np.triu(x, 2), NUMBERS),
    # Making tiles, and their shapes.
    "fh.zeros_like(x, dtype=i32)": (lambda x, y: np.zeros_like(x, dtype=np.int32), NUMBERS),
    "fh.full_like(x, 3)": (lambda x, y: np.full_like(x, 3), NUMBERS),
    "fh.empty((16, 16)) + x": (lambda x, y: x, NUMBERS),
    "fh.empty((16, 16), dtype=f32) + x": (lambda x, y: x, NUMBERS),
    "fh.empty_like(x) * 0": (lambda x, y: x * 0, NUMBERS),
    "fh.eye(16)": (lambda x, y: np.eye(16), NUMBERS),
    "fh.eye(8, 16, dtype=i32)": (lambda x, y: np.eye(8, 16), NUMBERS),
    "fh.identity(16) * x": (lambda x, y: np.eye(16) * x, NUMBERS),
    "fh.linspace(-0.5, 0.5, 16)": (lambda x, y: np.linspace(-0.5, 0.5, 16), NUMBERS),
    "fh.linspace(0, 3, 4)": (lambda x, y: np.linspace(0, 3, 4), NUMBERS),
    "fh.cat((x, y))": (lambda x, y: np.concatenate((x, y)), NUMBERS),
    "fh.cat((x, y), dim=1)": (lambda x, y: np.concatenate((x, y), 1), NUMBERS),
    "fh.concat((x, y), -1)": (lambda x, y: np.concatenate((x, y), 1), NUMBERS),
    "fh.hstack((x, y))": (lambda x, y: np.hstack((x, y)), NUMBERS),
    "fh.hstack((row, other))": (lambda x, y: np.hstack((x[0], y[0])), NUMBERS),
    "fh.vstack((x, y))": (lambda x, y: np.vstack((x, y)), NUMBERS),
    "fh.stack((x, y))": (lambda x, y: np.stack((x, y)), NUMBERS),
    "fh.join(x, y)": (lambda x, y: np.stack((x, y), -1), NUMBERS),
    "fh.tile(row, 2)": (lambda x, y: np.tile(x[0], 2), NUMBERS),
    "fh.repeat(row, 4)": (lambda x, y: np.repeat(x[0], 4), NUMBERS),
    "fh.swapaxes(x, 0, 1)": (lambda x, y: x.T, NUMBERS),
    "fh.moveaxis(x, 0, 1)": (lambda x, y: x.T, NUMBERS),
    "fh.permute_dims(x, (1, 0))": (lambda x, y: x.T, NUMBERS),
    "fh.trans(x + y)": (lambda x, y: (x + y).T, NUMBERS),
    "fh.unsqueeze(x, 1)": (lambda x, y: x[:, None], NUMBERS),
    "fh.view(x, (8, 32))": (lambda x, y: x.reshape(8, 32), NUMBERS),
    "fh.expand(x[:1], (16, 16))": (lambda x, y: np.broadcast_to(x[:1], (16, 16)), NUMBERS),
    "x + fh.numel(x)": (lambda x, y: x + x.size, NUMBERS),
    "fh.multiple_of(x, 16)": (lambda x, y: x, NUMBERS),
    "fh.max_contiguous(x, 16)": (lambda x, y: x, NUMBERS),
    # Where a block is.
    "fh.program_id(0) + fh.program_id(axis=1) * 3 + x": (lambda x, y: x, NUMBERS),
    "fh.bid(1) + x": (lambda x, y: x, NUMBERS),
    "fh.num_programs(0) + x": (lambda x, y: x + 1, NUMBERS),
    "fh.num_blocks(0) * 1 + x": (lambda x, y: x + 1, NUMBERS),
    "fh.load(p, index=(0, 0), shape=(16, 16))": (lambda x, y: x, NUMBERS),
    # Methods of tiles, and functions of the host.
    "x.log1p()": (lambda x, y: np.log1p(x), POSITIVE),
    "np.log1p(x)": (lambda x, y: np.log1p(x), POSITIVE),
    "x.square()": (lambda x, y: x * x, NUMBERS),
    "np.square(x - y)": (lambda x, y: (x - y) ** 2, NUMBERS),
    "np.sqrt(x)": (lambda x, y: np.sqrt(x), POSITIVE),
    "math.exp(x)": (lambda x, y: np.exp(x), NUMBERS),
    "x.exp()": (lambda x, y: np.exp(x), NUMBERS),
    "(x - y).exp()": (lambda x, y: np.exp(x - y), NUMBERS),
    "x.fma(y, y)": (lambda x, y: x * y + y, NUMBERS),
    "x.maximum(y)": (lambda x, y: np.maximum(x, y), NUMBERS),
    "x.mean()": (lambda x, y: x.mean(), NUMBERS),
    "2 ** x.mean(1)": (lambda x, y: 2 ** x.mean(1), NUMBERS),
    "x.mean(axis=0, keepdims=True)": (lambda x, y: x.mean(0, keepdims=True), NUMBERS),
    "x.mean((0, 1))": (lambda x, y: x.mean(), NUMBERS),
    "x.mean(dim=-1)": (lambda x, y: x.mean(-1), NUMBERS),
    "x.to(f16)": (lambda x, y: x.astype(np.float16), NUMBERS),
    "x.float()": (lambda x, y: x, INTEGERS),
    "x.half()": (lambda x, y: x.astype(np.float16), NUMBERS),
    "x.view(8, 32)": (lambda x, y: x.reshape(8, 32), NUMBERS),
    "x.view((8, 32))": (lambda x, y: x.reshape(8, 32), NUMBERS),
    "x[0].expand(16, 16)": (lambda x, y: np.broadcast_to(x[0], (16, 16)), NUMBERS),
    "x.t()": (lambda x, y: x.T, NUMBERS),
    "x.mT": (lambda x, y: x.T, NUMBERS),
    "x.reshape(4, 4, 16).swapaxes(0, 2)": (lambda x, y: x.reshape(4, 4, 16).swapaxes(0, 2), NUMBERS),
    "x.reshape(4, 4, 16).moveaxis(0, -1)": (lambda x, y: np.moveaxis(x.reshape(4, 4, 16), 0, -1), NUMBERS),
    "x.unsqueeze(1)": (lambda x, y: x[:, None], NUMBERS),
    "x.std()": (lambda x, y: x.std(), NUMBERS),
    "x.clamp(0, 1)": (lambda x, y: x.clip(0, 1), NUMBERS),
    "x.astyp(f32)": (lambda x, y: x, INTEGERS),
    "fh.sqrtt(x)": (lambda x, y: np.sqrt(x), POSITIVE),
    "fh.float32(x)": (lambda x, y: x, INTEGERS),
    "x.astype(fh.float16)": (lambda x, y: x.astype(np.float16), NUMBERS),
}
"""Calls that are refused, what their author wants of `x` and `y`, and what `x` and `y` are."""


@pytest.mark.parametrize("call", CASES)
def test_the_edit_computes_it(call: str) -> None:
    meant, (x, y) = CASES[call]
    with np.errstate(all="ignore"):
        wanted = np.asarray(np.asarray(meant(x, y)), np.float32)

    out = np.zeros(())

    def run(names: dict[str, Any]) -> None:
        nonlocal out
        out = np.full(wanted.shape or (1,), np.nan, np.float32)
        names["kernel"](fh.partition(out, out.shape), x, y).sync()

    for program, made in followed(HEADER + PROGRAM.format(call=call), run):
        assert made, f"{call} is accepted"
        np.testing.assert_allclose(out.reshape(wanted.shape), wanted, rtol=1e-5, atol=1e-6, err_msg=program)


SMALL: dict[str, Callable[[Array], Array]] = {
    "softplus(x)": np.exp,
    "logsigmoid(-x)": lambda x: -np.exp(x),
    "mish(x)": lambda x: x * np.exp(x),
}


@pytest.mark.parametrize("call", SMALL)
def test_small_results_keep_their_digits(call: str) -> None:
    """`log(1 + exp(x))` of f32 is 0 from -17 on, and `exp(x)` up to a last place."""
    x = np.full((N, N), -20.0, np.float32)
    out = np.zeros((N, N), np.float32)
    for program, _ in followed(
        HEADER + PROGRAM.format(call=f"fh.{call}"),
        lambda names: names["kernel"](fh.partition(out, (N, N)), x, x).sync(),
    ):
        np.testing.assert_allclose(out, SMALL[call](x), rtol=1e-5, err_msg=program)


WORDS = {name: foreign for name, foreign in EDITS.items() if not foreign.edit}


def test_every_edit_is_tried() -> None:
    called = {name for name in EDITS for call in CASES if f"fh.{name}(" in call}
    others = {
        "store",
        "device_print",
        "rand",
        "randint",
        "randn",
        "take",
        "gather",
        "torch.var",
        "torch.std",
        "torch.median",
    }
    assert EDITS.keys() - called - WORDS.keys() - others == set()


CUTILE = """
abs add arange argmax argmin assert_ assume_divisible_by astile astype atan2 atomic_add atomic_and atomic_cas
atomic_max atomic_min atomic_or atomic_xchg atomic_xor bid bitcast bitwise_and bitwise_lshift bitwise_not bitwise_or
bitwise_rshift bitwise_xor broadcast_to cat cdiv ceil compiler_timeout cos cosh cumprod cumsum divmod ensure_constant
equal exp exp2 expand_dims extract floor floordiv foreign_pointer_dtype full function gather greater greater_equal
grid_dependency_control_launch_dependents grid_dependency_control_wait insert isnan launch less less_equal load
load_advanced_indexing log log2 matmul max maximum min minimum mma mma_scaled mod mul negative not_equal num_blocks
num_tiles ones pack_to_bytes permute pow print printf prod reduce reshape rsqrt scan scatter sin sinh sqrt
static_assert static_eval static_exception static_iter store store_advanced_indexing sub sum tan tanh transpose
truediv tune unpack_from_bytes where zeros
""".split()  # noqa: SIM905 -- short
"""The functions of cuTile Python 1.7."""

METHODS = {"gather"}
"""Those that are methods here, under the same name."""


@pytest.mark.parametrize("name", CUTILE)
def test_every_function_of_cutile_is_here_or_has_an_answer(name: str) -> None:
    assert hasattr(fh, name) or name in EDITS or name in METHODS or name in PYTHON_TOO


CUTILE_DTYPES = """
bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 tfloat32 float8_e4m3fn
float8_e5m2 float8_e5m3fnu float8_e8m0fnu float4_e2m1fn
""".split()  # noqa: SIM905 -- short


@pytest.mark.parametrize("name", CUTILE_DTYPES)
def test_every_dtype_of_cutile_has_its_name_here(name: str) -> None:
    known = from_name(name)
    assert known is not None
    assert hasattr(fh, known.name)


PYTHON_TOO = {"abs", "max", "min", "sum", "print"}
"""Those that Python has, too."""


@pytest.mark.parametrize("name", ["mul", "static_iter", "exp", "load"])
def test_functions_of_other_languages_are_not_looked_into(name: str) -> None:
    def stands_for(*_: Any) -> Any:
        raise AssertionError("it says nothing of what it does")

    stands_for.__name__, stands_for.__module__ = name, "cuda.tile._stub"
    program = HEADER + PROGRAM.format(call="theirs(x, y)")
    fh.register_source("theirs.py", program)
    names: dict[str, Any] = {"theirs": stands_for}
    exec(compile(program, "theirs.py", "exec"), names)
    out = np.zeros((16, 16), np.float32)
    with pytest.raises(fh.Rejected) as caught:
        names["kernel"](fh.partition(out, (16, 16)), *NUMBERS).sync()
    assert caught.value.codes[0] == "O014"
    assert "it is a function of `cuda.tile`" in str(caught.value)
    assert "= help: " in str(caught.value)
