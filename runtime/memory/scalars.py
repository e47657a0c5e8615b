"""
Scalars as launches pass them: plain numbers of Python, made once of whatever was given.

What `__index__` or `__float__` of an object says may be another thing each time. So it is asked once. All that comes
after, checks and keys and the parameters' bytes, sees the number that it gave.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from operator import index
from typing import TYPE_CHECKING, Any, Final

from freehold.runtime.memory.arguments import is_array
from freehold.support import dtypes
from freehold.support.dtypes import DType

if TYPE_CHECKING:
    from freehold.frontend.signature import KernelSignature, Parameter

_OF_TYPE: Final[Mapping[type, DType]] = {int: dtypes.i32, float: dtypes.f32, bool: dtypes.bool_}


def scalar_dtype(parameter: Parameter) -> DType:
    """The dtype of a scalar parameter; `int` is i32, `float` f32 and `bool` bool_."""
    return parameter.dtype or _OF_TYPE[parameter.type or float]


def plain_number(dtype: DType, value: Any) -> bool | int | float | None:
    """
    The number that a value is as a scalar of a dtype; None where it cannot be passed as one, or the dtype does not hold
    it. A number that it rounds to an infinity is not held, as in kernels (`dtypes.held`); an infinity is.
    """
    number = any_number(dtype, value)
    if number is None or isinstance(number, bool):
        return number
    if dtypes.held(dtype, number) is not None:
        return None
    return float(number) if dtype.is_float else number


def held_instead(dtype: DType, value: Any) -> str | None:
    """What a dtype holds, where a value is a number of its kind and not among it; None otherwise."""
    number = any_number(dtype, value)
    return None if number is None else dtypes.held(dtype, number)


def any_number(dtype: DType, value: Any) -> bool | int | float | None:
    """The number of a dtype's kind that a value is, also where it is none of the dtype's; None where it is no such."""
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):  # Python's, NumPy's
        return bool(value) if dtype.kind == "bool" else None
    if dtype.kind == "bool" or is_array(value) or isinstance(value, str):  # one of one element, too: it may be a GPU's
        return None
    try:
        if hasattr(value, "__index__"):
            return index(value)
        return float(value) if dtype.is_float and hasattr(value, "__float__") else None
    except (TypeError, ValueError, OverflowError):
        return None


def with_plain_numbers(signature: KernelSignature, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a call, one for each parameter, with their scalars as plain numbers where they are any."""
    return tuple(
        value
        if parameter.mode != "scalar" or (number := plain_number(scalar_dtype(parameter), value)) is None
        else number
        for parameter, value in zip(signature.parameters, arguments, strict=True)
    )


def is_plain(kind: type) -> bool:
    """Whether objects of a class are numbers that give the same one whenever and however they are asked."""
    return kind in _PLAIN or kind in _numpy_numbers()


_PLAIN: Final = frozenset((bool, int, float))


def _numpy_numbers() -> frozenset[type]:
    numpy: Any = sys.modules.get("numpy")
    return frozenset() if numpy is None else frozenset(numpy.sctypeDict.values())
