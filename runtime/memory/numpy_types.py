"""The dtypes of NumPy and `ml_dtypes` that elements and scalars of ours are kept in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from freehold.support.dtypes import BY_NAME, held

_NUMPY_NAMES: Final[Mapping[str, str]] = {
    "bool_": "bool_", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "f16": "float16", "f32": "float32",
    "f64": "float64",
}  # fmt: skip
_NARROW: Final[Mapping[str, str]] = {
    "bf16": "bfloat16", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "f8e8m0fnu": "float8_e8m0fnu",
}  # fmt: skip


def scalar_type(dtype: str) -> Callable[[Any], Any]:
    """
    What makes a NumPy scalar of a dtype from a value, in a form that a launch can pass.

    For floats that NumPy has not it raises `OverflowError` where the dtype does not hold the value, as `struct` does.
    """
    import numpy

    if dtype in _NUMPY_NAMES:
        return getattr(numpy, _NUMPY_NAMES[dtype])
    import ml_dtypes

    narrow: Any = getattr(ml_dtypes, _NARROW[dtype])
    bits: Any = numpy.uint16 if dtype == "bf16" else numpy.uint8

    def as_bits(value: Any) -> Any:  # cuda.core passes NumPy's own scalars; the others travel as these
        if (holds := held(BY_NAME[dtype], value)) is not None:
            raise OverflowError(f"{dtype} holds {holds}")
        return numpy.asarray(value, narrow).view(bits)[()]

    return as_bits


def numpy_dtype(dtype: str) -> Any:
    """NumPy's dtype, or ml_dtypes', of the name of one of ours."""
    import numpy

    if dtype in _NUMPY_NAMES:
        return numpy.dtype(_NUMPY_NAMES[dtype])
    import ml_dtypes

    return numpy.dtype(getattr(ml_dtypes, _NARROW[dtype]))
