"""Functions of each element by itself."""

from __future__ import annotations

from freehold.frontend.intrinsics import Rounding, intrinsic
from freehold.frontend.language.tile import Operand, Tile


@intrinsic
def exp(x: Operand, *, rounding: Rounding = Rounding.FULL) -> Tile:
    """e to the power of each element. `Rounding.APPROX`, for f32, is faster and less exact."""
    ...


@intrinsic
def exp2(x: Operand, *, flush_to_zero: bool = False) -> Tile:
    """2 to the power of each element."""
    ...


@intrinsic
def log(x: Operand) -> Tile:
    """The natural logarithm."""
    ...


@intrinsic
def log2(x: Operand) -> Tile:
    """The logarithm to base 2."""
    ...


@intrinsic
def sqrt(x: Operand, *, rounding: Rounding = Rounding.NEAREST, flush_to_zero: bool = False) -> Tile:
    """The square root. `Rounding.APPROX`, for f32, is faster and less exact."""
    ...


@intrinsic
def rsqrt(x: Operand, *, flush_to_zero: bool = False) -> Tile:
    """One over the square root."""
    ...


@intrinsic
def sin(x: Operand) -> Tile:
    """The sine of radians."""
    ...


@intrinsic
def cos(x: Operand) -> Tile:
    """The cosine of radians."""
    ...


@intrinsic
def tan(x: Operand) -> Tile:
    """The tangent of radians."""
    ...


@intrinsic
def sinh(x: Operand) -> Tile:
    """The hyperbolic sine."""
    ...


@intrinsic
def cosh(x: Operand) -> Tile:
    """The hyperbolic cosine."""
    ...


@intrinsic
def tanh(x: Operand, *, rounding: Rounding = Rounding.FULL) -> Tile:
    """The hyperbolic tangent. `Rounding.APPROX`, for f32, is faster and less exact."""
    ...


@intrinsic
def atan2(y: Operand, x: Operand) -> Tile:
    """The angle of the point `(x, y)`, in radians."""
    ...


@intrinsic
def floor(x: Operand) -> Tile:
    """Rounded down, as a float."""
    ...


@intrinsic
def ceil(x: Operand) -> Tile:
    """Rounded up, as a float."""
    ...


@intrinsic
def abs(x: Operand) -> Tile:
    """The absolute value."""
    ...


@intrinsic
def maximum(x: Operand, y: Operand, *, propagate_nan: bool = True, flush_to_zero: bool = False) -> Tile:
    """The larger of two; NaN if either is, as in NumPy, unless `propagate_nan` is False."""
    ...


@intrinsic
def minimum(x: Operand, y: Operand, *, propagate_nan: bool = True, flush_to_zero: bool = False) -> Tile:
    """The smaller of two; NaN if either is, as in NumPy, unless `propagate_nan` is False."""
    ...


@intrinsic
def where(condition: Operand, x: Operand, y: Operand) -> Tile:
    """`x` where the condition holds, else `y`."""
    ...


@intrinsic
def fma(
    x: Operand, y: Operand, z: Operand, *, rounding: Rounding = Rounding.NEAREST, flush_to_zero: bool = False
) -> Tile:
    """`x * y + z`, rounded once."""
    ...


@intrinsic
def isnan(x: Operand) -> Tile:
    """Whether each element is NaN."""
    ...


@intrinsic
def isinf(x: Operand) -> Tile:
    """Whether each element is an infinity."""
    ...


@intrinsic
def isfinite(x: Operand) -> Tile:
    """Whether each element is neither NaN nor an infinity."""
    ...


@intrinsic
def sign(x: Operand) -> Tile:
    """-1, 0 or 1 by the sign of each element, in its dtype; NaN of NaN."""
    ...


@intrinsic
def clip(x: Operand, low: Operand, high: Operand) -> Tile:
    """`minimum(maximum(x, low), high)`; NaN if any of the three is."""
    ...


@intrinsic
def round(x: Operand) -> Tile:
    """Rounded to the nearest whole number, as a float; halves go to the even one."""
    ...


@intrinsic
def add(x: Operand, y: Operand, *, rounding: Rounding | None = None, flush_to_zero: bool = False) -> Tile:
    """`x + y`, of floats rounded as asked. `flush_to_zero` takes subnormal f32 numbers for zero, going in and out."""
    ...


@intrinsic
def subtract(x: Operand, y: Operand, *, rounding: Rounding | None = None, flush_to_zero: bool = False) -> Tile:
    """`x - y`, of floats rounded as asked."""
    ...


@intrinsic
def multiply(x: Operand, y: Operand, *, rounding: Rounding | None = None, flush_to_zero: bool = False) -> Tile:
    """`x * y`, of floats rounded as asked."""
    ...


@intrinsic
def divide(x: Operand, y: Operand, *, rounding: Rounding | None = None, flush_to_zero: bool = False) -> Tile:
    """`x / y`, rounded as asked: f32 also by `APPROX` and `FULL`; integers by `ZERO`, `DOWN` or `UP`, to integers."""
    ...


@intrinsic
def fmod(x: Operand, y: Operand) -> Tile:
    """What is left of `x` when `y` is taken from it a whole number of times, with the sign of `x`, as C's; `%` has
    the sign of `y`."""
    ...


@intrinsic
def mulhi(x: Operand, y: Operand) -> Tile:
    """The upper half of the product of integers: `x * y >> bits`, as if nothing had wrapped."""
    ...


@intrinsic
def powi(x: Operand, n: Operand) -> Tile:
    """Floats raised to whole numbers of up to 32 bits, which the kernel computes."""
    ...
