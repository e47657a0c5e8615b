"""Functions of each element by itself."""

from __future__ import annotations

from freehold.frontend.intrinsics import Rounding, intrinsic
from freehold.frontend.language.tile import Operand, Tile


@intrinsic
def exp(x: Operand) -> Tile:
    """e to the power of each element."""
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
def sqrt(x: Operand, *, rounding: Rounding = "nearest", flush_to_zero: bool = False) -> Tile:
    """The square root."""
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
def tanh(x: Operand) -> Tile:
    """The hyperbolic tangent."""
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
def maximum(x: Operand, y: Operand, *, propagate_nan: bool = True) -> Tile:
    """The larger of two; NaN if either is, as in NumPy, unless `propagate_nan` is False."""
    ...


@intrinsic
def minimum(x: Operand, y: Operand, *, propagate_nan: bool = True) -> Tile:
    """The smaller of two; NaN if either is, as in NumPy, unless `propagate_nan` is False."""
    ...


@intrinsic
def where(condition: Operand, x: Operand, y: Operand) -> Tile:
    """`x` where the condition holds, else `y`."""
    ...


@intrinsic
def fma(x: Operand, y: Operand, z: Operand) -> Tile:
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
