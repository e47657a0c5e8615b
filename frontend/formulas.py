"""Functions that are formulas of others: `sigmoid`, `silu`, `gelu`, `erf`, `log1p` and `expm1`.

They are computed in f32, and rounded to the dtype of what they are given. Polynomials are least in their largest error,
found by exchanging weights at Chebyshev's points. With `math="fast"` their quotients and exponentials are fast, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from freehold.dialects.cuda_tile.ops import arith_float as fl
from freehold.dialects.cuda_tile.ops.shape import SelectOp
from freehold.frontend import arithmetic
from freehold.frontend.arguments import Arguments, misuse
from freehold.frontend.arithmetic import as_tile, convert
from freehold.frontend.context import Context
from freehold.frontend.types import computes
from freehold.frontend.values import POISON, Poison, TileValue, Value, describe, static_of
from freehold.support import dtypes


@dataclass(frozen=True)
class _Number:
    """A tile of f32 in a formula."""

    c: Context
    tile: TileValue

    def of(self, op: Any, *operands: _Number | float) -> _Number:
        """What an operation makes of this and of others."""
        tiles = (o.tile if isinstance(o, _Number) else self.constant(o) for o in operands)
        return _Number(self.c, self.c.tile(self.tile.dtype, self.tile.shape, op, self.tile, *tiles))

    def constant(self, value: float) -> TileValue:
        """A number, in the shape of this."""
        return self.c.constant(value, self.tile.dtype, self.tile.shape)

    def __add__(self, other: _Number | float) -> _Number:
        return self.of(fl.AddFOp, other)

    def __sub__(self, other: _Number | float) -> _Number:
        return self.of(fl.SubFOp, other)

    def __mul__(self, other: _Number | float) -> _Number:
        return self.of(fl.MulFOp, other)

    def __truediv__(self, other: _Number) -> _Number:
        return self.of(fl.DivFOp, other)

    def __neg__(self) -> _Number:
        return self.of(fl.NegFOp)

    def __abs__(self) -> _Number:
        return self.of(fl.AbsFOp)

    def number(self, value: float) -> _Number:
        """The same, as a part of a formula."""
        return _Number(self.c, self.constant(value))

    def below(self, bound: float) -> Value:
        """Where this is less than a bound."""
        return arithmetic.comparison(self.c, "<", self.tile, self.constant(bound))

    def chosen(self, condition: Value, other: _Number) -> _Number:
        """This where a condition holds, and another where not."""
        assert isinstance(condition, TileValue)
        tile = self.tile
        return _Number(self.c, self.c.tile(tile.dtype, tile.shape, SelectOp, condition, tile, other.tile))

    def polynomial(self, *coefficients: float) -> _Number:
        """A polynomial of this, the constant first."""
        found = self.number(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            found = found * self + coefficient
        return found


def _sigmoid(x: _Number) -> _Number:
    return x.number(1.0) / ((-x).of(fl.ExpOp) + 1.0)


def _silu(x: _Number) -> _Number:
    return x / ((-x).of(fl.ExpOp) + 1.0)


def _erf(x: _Number) -> _Number:
    """Near zero an odd polynomial; else 1 less the exponential of one, which is nothing from 4 on."""
    size, square = abs(x), x * x
    near = x * (square * square.polynomial(*_ERF_NEAR) + _TWO_BY_ROOT_PI)
    rest = -size.of(fl.MinFOp, 4.0).polynomial(*_ERF_FAR)
    far = x.number(1.0) - rest.of(fl.ExpOp)
    signed = (-far).chosen(x.below(0.0), far)
    found = near.chosen(size.below(1.0), signed)
    return x.chosen(arithmetic.comparison(x.c, "!=", x.tile, x.tile), found)


def _gelu(x: _Number) -> _Number:
    return x * 0.5 * (_erf(x * 0.7071067811865476) + 1.0)


def _gelu_by_tanh(x: _Number) -> _Number:
    inner = (x * x * x * 0.044715 + x) * 0.7978845608028654
    return x * 0.5 * (inner.of(fl.TanhOp) + 1.0)


def _log1p(x: _Number) -> _Number:
    """Near zero twice the area tangent of x / (2 + x)."""
    s = x / (x + 2.0)
    square = s * s
    near = s * (square * square.polynomial(*_LOG1P_NEAR) + 2.0)
    far = (x + 1.0).of(fl.LogOp)
    return near.chosen(abs(x - 0.125).below(0.375), far)


def _expm1(x: _Number) -> _Number:
    near = x * x * x.polynomial(*_EXPM1_NEAR) + x
    far = x.of(fl.ExpOp) - 1.0
    return near.chosen(abs(x).below(0.5), far)


_TWO_BY_ROOT_PI: Final = 1.1283791670955126
_ERF_NEAR: Final = (
    -0.37612638403606957, 0.11283755030872654, -0.026861809200680896, 0.005204884085823484, -0.0008165470819147362,
    8.393677393680327e-05,
)  # fmt: skip
"""Of x^2 up to 1: `(erf(x) / x - 2 / sqrt(pi)) / x^2`."""
_ERF_FAR: Final = (
    -0.0002043598885518941, 1.1296611570387964, 0.633039612518775, 0.1086389978987276, -0.025373555873880804,
    0.00428238269279625, -0.00046378804078529, 2.531481220125581e-05, -2.513268910023484e-07,
)  # fmt: skip
"""From 1 to 4: `-log(1 - erf(x))`."""
_LOG1P_NEAR: Final = (0.6666666626222179, 0.40000319185425376, 0.2853213651985045, 0.23758794850332676)
"""Of s^2 up to 0.04: `(log((1 + s) / (1 - s)) / s - 2) / s^2`."""
_EXPM1_NEAR: Final = (
    0.49999999998310435, 0.16666667139666635, 0.04166666835580146, 0.008333182043925864, 0.0013888607939607223,
    0.00019962185077546102, 2.4957045827722624e-05,
)  # fmt: skip
"""From -0.5 to 0.5: `(exp(x) - 1 - x) / x^2`."""


def sigmoid(c: Context, a: Arguments) -> Value:
    """`sigmoid`."""
    return _computed(c, a, _sigmoid)


def silu(c: Context, a: Arguments) -> Value:
    """`silu`."""
    return _computed(c, a, _silu)


def erf(c: Context, a: Arguments) -> Value:
    """`erf`."""
    return _computed(c, a, _erf)


def gelu(c: Context, a: Arguments) -> Value:
    """`gelu`, of either form."""
    form = static_of(a["approximate"])
    if form is None or form[0] not in ("none", "tanh"):
        return misuse(c, a, "approximate", 'is "none" or "tanh"', 'leave it out, or say `approximate="tanh"`')
    return _computed(c, a, _gelu if form[0] == "none" else _gelu_by_tanh)


def log1p(c: Context, a: Arguments) -> Value:
    """`log1p`."""
    return _computed(c, a, _log1p)


def expm1(c: Context, a: Arguments) -> Value:
    """`expm1`."""
    return _computed(c, a, _expm1)


def _computed(c: Context, a: Arguments, formula: Callable[[_Number], _Number]) -> Value:
    """A formula of an argument, in f32."""
    tile = as_tile(c, a["x"], a.place("x"), dtypes.f32)
    if isinstance(tile, Poison):
        return POISON
    dtype = tile.dtype if tile.dtype.is_float else dtypes.f32
    if not computes(dtype) or dtype is dtypes.f64:
        return misuse(c, a, "x", f"computes in f16, bf16 and f32, not in {describe(tile)}", "`.astype(f32)`")
    found = formula(_Number(c, convert(c, tile, dtypes.f32))).tile
    return convert(c, found, dtype)
