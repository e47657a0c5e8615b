"""Element types as kernel authors name them: `freehold.f32`, `freehold.bf16`, and so on.

One table for the whole project. The compiler's own element types (xDSL) and NumPy's are looked up from
these names where they are needed, so that naming a dtype costs no import.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import copysign, frexp, isfinite, isinf, isnan
from typing import TYPE_CHECKING, Any, Final, Literal

Kind = Literal["bool", "int", "float"]


@dataclass(frozen=True, slots=True)
class DType:
    """The type of one element.

    `bits` is its width in a tile; `storage_bits` its width in memory: a `bool` takes a byte; `tf32`, 4-bit elements and
    `f8e5m3fnu`, for which no library has arrays, exist in tiles only and have none.
    """

    name: str
    """What it is called in `freehold`: "bf16"."""
    kind: Kind
    """ "float", "int" or "bool"."""
    bits: int
    """Its width in a tile."""
    storage_bits: int
    """Its width in memory; 0 where it has none."""
    signed: bool = True
    """Whether an integer has a sign."""

    @property
    def itemsize(self) -> int:
        """Bytes an element takes in memory; at least one."""
        return max(1, self.storage_bits // 8)

    @property
    def is_float(self) -> bool:
        """Whether arithmetic on it is floating point."""
        return self.kind == "float"

    def __str__(self) -> str:
        return self.name

    if not TYPE_CHECKING:  # an editor says at once that it is no annotation

        def __getitem__(self, axes: object) -> ElementsOf:
            """What Numba annotates arrays with, `f32[:]`: kept, so that its author is told what is written here."""
            return ElementsOf(self, axes if isinstance(axes, tuple) else (axes,))

        __iter__ = None  # which Python would make of `__getitem__`

    def __reduce__(self) -> str:
        """Copies of it, and what is unpickled, are it: `t.dtype is f32` holds in every process."""
        return self.name

    def __repr__(self) -> str:
        return f"freehold.{self.name}"


@dataclass(frozen=True)
class ElementsOf:
    """`f32[:]`: no annotation of a kernel's parameter, and nothing else either."""

    dtype: DType
    axes: tuple[object, ...]
    optional: bool = False

    def __or__(self, other: object) -> ElementsOf:
        """`f32[:] | None` is as little of an annotation."""
        return replace(self, optional=self.optional or other is None)

    __ror__ = __or__

    def __call__(self, *_: object) -> Any:
        """Annotations must be callable for `typing.get_type_hints`."""
        raise TypeError(f"{self!r} is nothing that can be called")

    def __repr__(self) -> str:
        return f"{self.dtype}[{', '.join(':' if isinstance(axis, slice) else repr(axis) for axis in self.axes)}]"


bool_: Final = DType("bool_", "bool", 1, 8, signed=False)
i8: Final = DType("i8", "int", 8, 8)
i16: Final = DType("i16", "int", 16, 16)
i32: Final = DType("i32", "int", 32, 32)
i64: Final = DType("i64", "int", 64, 64)
u8: Final = DType("u8", "int", 8, 8, signed=False)
u16: Final = DType("u16", "int", 16, 16, signed=False)
u32: Final = DType("u32", "int", 32, 32, signed=False)
u64: Final = DType("u64", "int", 64, 64, signed=False)
f16: Final = DType("f16", "float", 16, 16)
bf16: Final = DType("bf16", "float", 16, 16)
f32: Final = DType("f32", "float", 32, 32)
f64: Final = DType("f64", "float", 64, 64)
tf32: Final = DType("tf32", "float", 19, 0)
f8e4m3fn: Final = DType("f8e4m3fn", "float", 8, 8)
f8e5m2: Final = DType("f8e5m2", "float", 8, 8)
f8e8m0fnu: Final = DType("f8e8m0fnu", "float", 8, 8, signed=False)
f8e5m3fnu: Final = DType("f8e5m3fnu", "float", 8, 0, signed=False)
f4e2m1fn: Final = DType("f4e2m1fn", "float", 4, 0)
i4: Final = DType("i4", "int", 4, 0)
u4: Final = DType("u4", "int", 4, 0, signed=False)

ALL: Final[tuple[DType, ...]] = (
    bool_, i4, i8, i16, i32, i64, u4, u8, u16, u32, u64, f16, bf16, f32, f64, tf32, f8e4m3fn, f8e5m2, f8e8m0fnu,
    f8e5m3fnu, f4e2m1fn,
)  # fmt: skip

LARGEST: Final[dict[DType, float]] = {
    f16: 65504.0,
    bf16: 2.0**127 * (2 - 2.0**-7),
    f32: 2.0**127 * (2 - 2.0**-23),
    f64: 2.0**1023 * (2 - 2.0**-52),
    tf32: 2.0**127 * (2 - 2.0**-10),
    f8e4m3fn: 448.0,
    f8e5m2: 57344.0,
    f8e8m0fnu: 2.0**127,
    f8e5m3fnu: 2.0**16 * 1.75,
    f4e2m1fn: 6.0,
}
"""The largest finite number of each float dtype."""

WITH_INFINITY: Final = frozenset((f16, bf16, f32, f64, tf32, f8e5m2))
"""The float dtypes that have infinities."""

BY_NAME: Final[dict[str, DType]] = {d.name: d for d in ALL}

SPELLINGS: Final[dict[str, DType]] = {
    **BY_NAME,
    "bool": bool_,
    "int8": i8,
    "int16": i16,
    "int32": i32,
    "int64": i64,
    "uint8": u8,
    "uint16": u16,
    "uint32": u32,
    "uint64": u64,
    "float16": f16,
    "fp16": f16,
    "half": f16,
    "bfloat16": bf16,
    "float32": f32,
    "fp32": f32,
    "float": f32,
    "float64": f64,
    "fp64": f64,
    "double": f64,
    "float8_e4m3fn": f8e4m3fn,
    "float8_e5m2": f8e5m2,
    "float8_e8m0fnu": f8e8m0fnu,
    "float8_e5m3fnu": f8e5m3fnu,
    "float4_e2m1fn": f4e2m1fn,
    "tfloat32": tf32,
    "int4": i4,
    "uint4": u4,
}
"""Dtypes by what we and other libraries call them."""


def from_name(name: str) -> DType | None:
    """The dtype that NumPy, torch, CuPy, JAX or this project call `name` ("float32", "torch.bfloat16", "bf16")."""
    return SPELLINGS.get(name.rpartition(".")[2])


def is_name(text: str) -> bool:
    """Whether a text names a dtype, as "torch.float32" and "f32[N]" do, and nothing else that one may have meant: half
    and double are lengths, too."""
    name = text.partition("[")[0].strip().rpartition(".")[2]
    return name in SPELLINGS and name not in ("half", "double")


def default_dtype(value: bool | float) -> DType:
    """The dtype of a Python number that meets no tile."""
    if isinstance(value, bool):
        return bool_
    return i32 if isinstance(value, int) else f32


def understood(given: object) -> DType | None:
    """The dtype that an object names: one of ours, of another library's, or Python's `int`, `float`, `bool`."""
    if isinstance(given, DType):
        return given
    for python, dtype in ((int, i32), (float, f32), (bool, bool_)):
        if given is python:
            return dtype
    kind = given if isinstance(given, type) else type(given)
    if kind.__module__.partition(".")[0] not in ("numpy", "torch", "ml_dtypes", "jax", "triton", "cuda", "numba"):
        return None
    return from_name(given.__name__ if isinstance(given, type) else str(given))


def bounds(dtype: DType) -> tuple[int, int]:
    """The least and the greatest value of an integer dtype, or of bool."""
    if dtype.kind == "bool":
        return 0, 1
    return (-(1 << dtype.bits - 1), (1 << dtype.bits - 1) - 1) if dtype.signed else (0, (1 << dtype.bits) - 1)


def held(dtype: DType, value: float) -> str | None:
    """
    What a dtype holds, where a number is not among it; None where it is, or rounds to a number that is.

    An infinity, or NaN, is held where the dtype has one; a number that would round to infinity is not. Integers drop
    the fraction of a number first.
    """
    if not dtype.is_float:
        low, high = bounds(dtype)
        whole = isinstance(value, int) or isfinite(value)
        return None if whole and low <= int(value) <= high else f"{low} to {high}"
    try:
        number = float(value)
    except OverflowError:  # of an integer past what any float holds
        return _range(dtype)
    if dtype is f8e8m0fnu:
        power = isfinite(number) and number > 0 and frexp(number)[0] == 0.5 and 2.0**-127 <= number <= LARGEST[dtype]
        return None if power or isnan(number) else _range(dtype)
    if not dtype.signed and copysign(1, number) < 0:
        return "no negative numbers"
    if isnan(number):
        return "no NaN" if dtype is f4e2m1fn else None
    if isinf(number):
        return None if dtype in WITH_INFINITY else _range(dtype)
    return _range(dtype) if abs(number) > LARGEST[dtype] and abs(number) >= _limit(dtype) else None


def _limit(dtype: DType) -> float:
    """The least number above all that a float dtype holds that does not round to one of them."""
    next_power = 2.0 ** frexp(LARGEST[dtype])[1]
    follows_nan = dtype in (f8e4m3fn, f8e5m3fnu)  # which would be rounded to, from the middle on
    return LARGEST[dtype] if follows_nan else (LARGEST[dtype] + next_power) / 2


def _range(dtype: DType) -> str:
    if dtype is f8e8m0fnu:
        return "powers of two from 2**-127 to 2**127"
    if dtype is f64:
        return "numbers below 2**1024"
    return f"{-LARGEST[dtype]:.8g} to {LARGEST[dtype]:.8g}" if dtype.signed else f"0 to {LARGEST[dtype]:.8g}"
