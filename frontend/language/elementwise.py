"""Functions of each element by itself: of tiles, and of scalars, which give scalars."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal, overload

from freehold.frontend.intrinsics import Rounding, intrinsic
from freehold.frontend.language.tile import Number, Operand, Scalar, Tile
from freehold.support.lazy import Lazy

if TYPE_CHECKING:
    from freehold.dialects.cuda_tile.ops import arith_float
    from freehold.frontend import elementwise, formulas, rounded
else:
    arith_float = Lazy("freehold.dialects.cuda_tile.ops.arith_float")
    elementwise = Lazy("freehold.frontend.elementwise")
    formulas = Lazy("freehold.frontend.formulas")
    rounded = Lazy("freehold.frontend.rounded")

__all__ = [
    "abs",
    "add",
    "atan2",
    "ceil",
    "clip",
    "cos",
    "cosh",
    "divide",
    "erf",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "fma",
    "fmod",
    "gelu",
    "isfinite",
    "isinf",
    "isnan",
    "log",
    "log1p",
    "log2",
    "maximum",
    "minimum",
    "mulhi",
    "multiply",
    "powi",
    "round",
    "rsqrt",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "sinh",
    "sqrt",
    "subtract",
    "tan",
    "tanh",
    "where",
]


@overload
def exp(x: Number, *, rounding: Rounding = Rounding.FULL) -> Scalar: ...
@overload
def exp(x: Operand, *, rounding: Rounding = Rounding.FULL) -> Tile: ...
@intrinsic(lambda: partial(elementwise.unary, op=arith_float.ExpOp))
def exp(x: Operand, *, rounding: Rounding = Rounding.FULL) -> Tile:
    """e to the power of each element. `Rounding.APPROX`, for f32, is faster and less exact."""
    ...


@overload
def exp2(x: Number, *, flush_to_zero: bool = False) -> Scalar: ...
@overload
def exp2(x: Operand, *, flush_to_zero: bool = False) -> Tile: ...
@intrinsic(lambda: partial(elementwise.unary, op=arith_float.Exp2Op))
def exp2(x: Operand, *, flush_to_zero: bool = False) -> Tile:
    """2 to the power of each element."""
    ...


@overload
def log(x: Number) -> Scalar: ...
@overload
def log(x: Operand) -> Tile: ...
@intrinsic(lambda: partial(elementwise.unary, op=arith_float.LogOp))
def log(x: Operand) -> Tile:
    """The natural logarithm."""
    ...


@overload
def log2(x: Number) -> Scalar: ...
@overload
def log2(x: Operand) -> Tile: ...
@intrinsic(lambda: partial(elementwise.unary, op=arith_float.Log2Op))
def log2(x: Operand) -> Tile:
    """The logarithm to base 2."""
    ...


@overload
def sqrt(x: Number, *, rounding: Rounding = Rounding.NEAREST, flush_to_zero: bool = False) -> Scalar: ...
@overload
def sqrt(x: Operand, *, rounding: Rounding = Rounding.NEAREST, flush_to_zero: bool = False) -> Tile: ...
@intrinsic(lambda: partial(elementwise.unary, op=arith_float.SqrtOp))
def sqrt(x: Operand, *, rounding: Rounding = Rounding.NEAREST, flush_to_zero: bool = False) -> Tile:
    """The square root. `Rounding.APPROX`, for f32, is faster and less exact."""
    ...


@overload
def rsqrt(x: Number, *, flush_to_zero: bool = False) -> Scalar: ...
@overload
def rsqrt(x: Operand, *, flush_to_zero: bool = False) -> Tile: ...
@intrinsic(lambda: partial(elementwise.unary, op=arith_float.RsqrtOp))
def rsqrt(x: Operand, *, flush_to_zero: bool = False) -> Tile:
    """One over the square root."""
    ...


@overload
def sin(x: Number) -> Scalar: ...
@overload
def sin(x: Operand) -> Tile: ...
@intrinsic(lambda: partial(elementwise.unary, op=arith_float.SinOp))
def sin(x: Operand) -> Tile:
    """The sine of radians."""
    ...


@overload
def cos(x: Number) -> Scalar: ...
@overload
def cos(x: Operand) -> Tile: ...
@intrinsic(lambda: partial(elementwise.unary, op=arith_float.CosOp))
def cos(x: Operand) -> Tile:
    """The cosine of radians."""
    ...


@overload
def tan(x: Number) -> Scalar: ...
@overload
def tan(x: Operand) -> Tile: ...
@intrinsic(lambda: partial(elementwise.unary, op=arith_float.TanOp))
def tan(x: Operand) -> Tile:
    """The tangent of radians."""
    ...


@overload
def sinh(x: Number) -> Scalar: ...
@overload
def sinh(x: Operand) -> Tile: ...
@intrinsic(lambda: partial(elementwise.unary, op=arith_float.SinhOp))
def sinh(x: Operand) -> Tile:
    """The hyperbolic sine."""
    ...


@overload
def cosh(x: Number) -> Scalar: ...
@overload
def cosh(x: Operand) -> Tile: ...
@intrinsic(lambda: partial(elementwise.unary, op=arith_float.CoshOp))
def cosh(x: Operand) -> Tile:
    """The hyperbolic cosine."""
    ...


@overload
def tanh(x: Number, *, rounding: Rounding = Rounding.FULL) -> Scalar: ...
@overload
def tanh(x: Operand, *, rounding: Rounding = Rounding.FULL) -> Tile: ...
@intrinsic(lambda: partial(elementwise.unary, op=arith_float.TanhOp))
def tanh(x: Operand, *, rounding: Rounding = Rounding.FULL) -> Tile:
    """The hyperbolic tangent. `Rounding.APPROX`, for f32, is faster and less exact."""
    ...


@overload
def atan2(y: Number, x: Number) -> Scalar: ...
@overload
def atan2(y: Operand, x: Operand) -> Tile: ...
@intrinsic(lambda: elementwise.atan2)
def atan2(y: Operand, x: Operand) -> Tile:
    """The angle of the point `(x, y)`, in radians."""
    ...


@overload
def erf(x: Number) -> Scalar: ...
@overload
def erf(x: Operand) -> Tile: ...
@intrinsic(lambda: formulas.erf)
def erf(x: Operand) -> Tile:
    """The error function, of f16, bf16 and f32."""
    ...


@overload
def sigmoid(x: Number) -> Scalar: ...
@overload
def sigmoid(x: Operand) -> Tile: ...
@intrinsic(lambda: formulas.sigmoid)
def sigmoid(x: Operand) -> Tile:
    """`1 / (1 + exp(-x))`, of f16, bf16 and f32."""
    ...


@overload
def silu(x: Number) -> Scalar: ...
@overload
def silu(x: Operand) -> Tile: ...
@intrinsic(lambda: formulas.silu)
def silu(x: Operand) -> Tile:
    """`x * sigmoid(x)`, of f16, bf16 and f32: also called swish."""
    ...


@overload
def gelu(x: Number, *, approximate: Literal["none", "tanh"] = "none") -> Scalar: ...
@overload
def gelu(x: Operand, *, approximate: Literal["none", "tanh"] = "none") -> Tile: ...
@intrinsic(lambda: formulas.gelu)
def gelu(x: Operand, *, approximate: Literal["none", "tanh"] = "none") -> Tile:
    """`x` times the share of a normal distribution below it, by `erf` or nearly, by `tanh`; of f16, bf16 and f32."""
    ...


@overload
def log1p(x: Number) -> Scalar: ...
@overload
def log1p(x: Operand) -> Tile: ...
@intrinsic(lambda: formulas.log1p)
def log1p(x: Operand) -> Tile:
    """`log(1 + x)`, exact near 0, too; of f16, bf16 and f32."""
    ...


@overload
def expm1(x: Number) -> Scalar: ...
@overload
def expm1(x: Operand) -> Tile: ...
@intrinsic(lambda: formulas.expm1)
def expm1(x: Operand) -> Tile:
    """`exp(x) - 1`, exact near 0, too; of f16, bf16 and f32."""
    ...


@overload
def floor(x: Number) -> Scalar: ...
@overload
def floor(x: Operand) -> Tile: ...
@intrinsic(lambda: partial(elementwise.unary, op=arith_float.FloorOp))
def floor(x: Operand) -> Tile:
    """Rounded down, as a float."""
    ...


@overload
def ceil(x: Number) -> Scalar: ...
@overload
def ceil(x: Operand) -> Tile: ...
@intrinsic(lambda: partial(elementwise.unary, op=arith_float.CeilOp))
def ceil(x: Operand) -> Tile:
    """Rounded up, as a float."""
    ...


@overload
def abs(x: Number) -> Scalar: ...
@overload
def abs(x: Operand) -> Tile: ...
@intrinsic(lambda: elementwise.absolute)
def abs(x: Operand) -> Tile:
    """The absolute value."""
    ...


@overload
def maximum(x: Number, y: Number, *, propagate_nan: bool = True, flush_to_zero: bool = False) -> Scalar: ...
@overload
def maximum(x: Operand, y: Operand, *, propagate_nan: bool = True, flush_to_zero: bool = False) -> Tile: ...
@intrinsic(lambda: partial(elementwise.extremum, larger=True))
def maximum(x: Operand, y: Operand, *, propagate_nan: bool = True, flush_to_zero: bool = False) -> Tile:
    """The larger of two; NaN if either is, as in NumPy, unless `propagate_nan` is False."""
    ...


@overload
def minimum(x: Number, y: Number, *, propagate_nan: bool = True, flush_to_zero: bool = False) -> Scalar: ...
@overload
def minimum(x: Operand, y: Operand, *, propagate_nan: bool = True, flush_to_zero: bool = False) -> Tile: ...
@intrinsic(lambda: partial(elementwise.extremum, larger=False))
def minimum(x: Operand, y: Operand, *, propagate_nan: bool = True, flush_to_zero: bool = False) -> Tile:
    """The smaller of two; NaN if either is, as in NumPy, unless `propagate_nan` is False."""
    ...


@overload
def where(condition: Number, x: Number, y: Number) -> Scalar: ...
@overload
def where(condition: Operand, x: Operand, y: Operand) -> Tile: ...
@intrinsic(lambda: elementwise.where)
def where(condition: Operand, x: Operand, y: Operand) -> Tile:
    """`x` where the condition holds, else `y`."""
    ...


@overload
def fma(
    x: Number, y: Number, z: Number, *, rounding: Rounding = Rounding.NEAREST, flush_to_zero: bool = False
) -> Scalar: ...
@overload
def fma(
    x: Operand, y: Operand, z: Operand, *, rounding: Rounding = Rounding.NEAREST, flush_to_zero: bool = False
) -> Tile: ...
@intrinsic(lambda: elementwise.fma)
def fma(
    x: Operand, y: Operand, z: Operand, *, rounding: Rounding = Rounding.NEAREST, flush_to_zero: bool = False
) -> Tile:
    """`x * y + z`, rounded once."""
    ...


@overload
def isnan(x: Number) -> Scalar: ...
@overload
def isnan(x: Operand) -> Tile: ...
@intrinsic(lambda: elementwise.isnan)
def isnan(x: Operand) -> Tile:
    """Whether each element is NaN."""
    ...


@overload
def isinf(x: Number) -> Scalar: ...
@overload
def isinf(x: Operand) -> Tile: ...
@intrinsic(lambda: partial(elementwise.magnitude, symbol="=="))
def isinf(x: Operand) -> Tile:
    """Whether each element is an infinity."""
    ...


@overload
def isfinite(x: Number) -> Scalar: ...
@overload
def isfinite(x: Operand) -> Tile: ...
@intrinsic(lambda: partial(elementwise.magnitude, symbol="<"))
def isfinite(x: Operand) -> Tile:
    """Whether each element is neither NaN nor an infinity."""
    ...


@overload
def sign(x: Number) -> Scalar: ...
@overload
def sign(x: Operand) -> Tile: ...
@intrinsic(lambda: elementwise.sign)
def sign(x: Operand) -> Tile:
    """-1, 0 or 1 by the sign of each element, in its dtype; NaN of NaN."""
    ...


@overload
def clip(x: Number, low: Number, high: Number) -> Scalar: ...
@overload
def clip(x: Operand, low: Operand, high: Operand) -> Tile: ...
@intrinsic(lambda: elementwise.clip, method_of=Tile)
def clip(x: Operand, low: Operand, high: Operand) -> Tile:
    """`minimum(maximum(x, low), high)`; NaN if any of the three is."""
    ...


@overload
def round(x: Number) -> Scalar: ...
@overload
def round(x: Operand) -> Tile: ...
@intrinsic(lambda: elementwise.rounded_to_whole, method_of=Tile)
def round(x: Operand) -> Tile:
    """Rounded to the nearest whole number, as a float; halves go to the even one."""
    ...


@overload
def add(x: Number, y: Number, *, rounding: Rounding | None = None, flush_to_zero: bool = False) -> Scalar: ...
@overload
def add(x: Operand, y: Operand, *, rounding: Rounding | None = None, flush_to_zero: bool = False) -> Tile: ...
@intrinsic(lambda: partial(rounded.binary, op=arith_float.AddFOp))
def add(x: Operand, y: Operand, *, rounding: Rounding | None = None, flush_to_zero: bool = False) -> Tile:
    """`x + y`, of floats rounded as asked. `flush_to_zero` takes subnormal f32 numbers for zero, going in and out."""
    ...


@overload
def subtract(x: Number, y: Number, *, rounding: Rounding | None = None, flush_to_zero: bool = False) -> Scalar: ...
@overload
def subtract(x: Operand, y: Operand, *, rounding: Rounding | None = None, flush_to_zero: bool = False) -> Tile: ...
@intrinsic(lambda: partial(rounded.binary, op=arith_float.SubFOp))
def subtract(x: Operand, y: Operand, *, rounding: Rounding | None = None, flush_to_zero: bool = False) -> Tile:
    """`x - y`, of floats rounded as asked."""
    ...


@overload
def multiply(x: Number, y: Number, *, rounding: Rounding | None = None, flush_to_zero: bool = False) -> Scalar: ...
@overload
def multiply(x: Operand, y: Operand, *, rounding: Rounding | None = None, flush_to_zero: bool = False) -> Tile: ...
@intrinsic(lambda: partial(rounded.binary, op=arith_float.MulFOp))
def multiply(x: Operand, y: Operand, *, rounding: Rounding | None = None, flush_to_zero: bool = False) -> Tile:
    """`x * y`, of floats rounded as asked."""
    ...


@overload
def divide(x: Number, y: Number, *, rounding: Rounding | None = None, flush_to_zero: bool = False) -> Scalar: ...
@overload
def divide(x: Operand, y: Operand, *, rounding: Rounding | None = None, flush_to_zero: bool = False) -> Tile: ...
@intrinsic(lambda: partial(rounded.binary, op=arith_float.DivFOp))
def divide(x: Operand, y: Operand, *, rounding: Rounding | None = None, flush_to_zero: bool = False) -> Tile:
    """`x / y`, rounded as asked: f32 also by `APPROX` and `FULL`; integers by `ZERO`, `DOWN` or `UP`, to integers."""
    ...


@overload
def fmod(x: Number, y: Number) -> Scalar: ...
@overload
def fmod(x: Operand, y: Operand) -> Tile: ...
@intrinsic(lambda: rounded.fmod)
def fmod(x: Operand, y: Operand) -> Tile:
    """What is left of `x` when `y` is taken from it a whole number of times, with the sign of `x`, as C's; `%` has
    the sign of `y`."""
    ...


@overload
def mulhi(x: Number, y: Number) -> Scalar: ...
@overload
def mulhi(x: Operand, y: Operand) -> Tile: ...
@intrinsic(lambda: rounded.mulhi)
def mulhi(x: Operand, y: Operand) -> Tile:
    """The upper half of the product of integers: `x * y >> bits`, as if nothing had wrapped."""
    ...


@overload
def powi(x: Number, n: Number) -> Scalar: ...
@overload
def powi(x: Operand, n: Operand) -> Tile: ...
@intrinsic(lambda: rounded.powi)
def powi(x: Operand, n: Operand) -> Tile:
    """Floats raised to whole numbers of up to 32 bits, which the kernel computes."""
    ...
