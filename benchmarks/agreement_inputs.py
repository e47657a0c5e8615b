"""Random arrays for benchmarks/agreement.py, edge values among them, within what an operation is defined for."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy

np: Any = numpy
"""Typed loosely: NumPy's own types do not know ml_dtypes, and most of what they say of arrays is that they are some."""
finfo: Any = ml_dtypes.finfo
Array = Any

DTYPES: dict[str, Any] = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "tf32": np.float32,
    "f64": np.float64,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
}
"""The dtype of each element in memory."""

_DTYPES: dict[str, Any] = {name: np.dtype(dtype) for name, dtype in DTYPES.items()}


def values(element: str, domain: str, count: int, rng: Any) -> Array:
    """`count` elements of a domain.

    | domain | what is in it |
    |---|---|
    | `any` | random bits, numbers of ordinary size, and edges: zeros, subnormals, the ends of the range, inf, NaN |
    | `finite` | as `any`, without inf and NaN |
    | `range:A:B` | uniform over A to B; for integers inclusive |
    | `normal` | the normal distribution |
    | `log:A:B` | log-uniform over 2**A to 2**B |
    | `positive:A:B` | the same, and the edge values that are positive |
    | `whole:A:B` | whole numbers, exact in the type |
    | `to:signed:8` | floats whose whole part fits in such an integer |
    | `divisor` | integers other than 0 and -1 |
    | `permutation` | 0 to count-1 in random order |
    | `zero`, `poison` | all zeros; a pattern that no result is likely to be |
    """
    dtype = _DTYPES[element]
    kind, *parameters = domain.split(":")
    with np.errstate(all="ignore"):
        made = _made(element, dtype, kind, parameters, count, rng)
    if element == "tf32" and kind != "poison":
        made = (made.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    assert made.dtype == dtype
    assert made.shape == (count,)
    return made


def _made(element: str, dtype: Any, kind: str, parameters: list[str], count: int, rng: Any) -> Array:
    is_float = element not in ("i1", "i8", "i16", "i32", "i64")
    match kind:
        case "poison":
            return (
                np.ones(count, np.bool_)
                if element == "i1"
                else np.full(count * dtype.itemsize, 0x5A, np.uint8).view(dtype)
            )
        case "zero":
            return np.zeros(count, dtype)
        case "permutation":
            return rng.permutation(count).astype(dtype)
        case "any" | "finite":
            found = _any_float(dtype, count, rng) if is_float else _any_integer(dtype, count, rng)
            if is_float and kind == "finite":
                found = np.where(np.isfinite(found.astype(np.float64)), found, dtype.type(1.5))
            return found.astype(dtype)
        case "divisor":
            found = _any_integer(dtype, count, rng)
            if element == "i1":
                return np.ones(count, np.bool_)
            return np.where((found == 0) | (found == -1), dtype.type(3), found).astype(dtype)
        case "normal":
            return rng.standard_normal(count).astype(dtype)
        case "range" | "whole" if not is_float or kind == "whole":
            low, high = (int(p) for p in parameters)
            return rng.integers(low, high, count, endpoint=True).astype(dtype)
        case "range":
            low, high = (float(p) for p in parameters)
            return rng.uniform(low, high, count).astype(dtype)
        case "positive" | "log":
            low, high = (float(p) for p in parameters)
            found = np.exp2(rng.uniform(low, high, count)).astype(dtype)
            if kind == "log":
                return found
            edges = np.abs(np.asarray(_edges(dtype)).astype(np.float64)).astype(dtype)
            return _mixed(found, edges, 0.125, rng)
        case "to":
            signed, bits = parameters[0] == "signed", int(parameters[1])
            top = bits - 1 if signed else bits
            size = np.exp2(rng.uniform(-3, top, count))
            found = size * rng.choice([-1.0, 1.0], count) if signed else size
            limit = min(2.0**top, float(_finite_max(dtype)))
            found = found.astype(dtype).astype(np.float64)
            inside = (np.trunc(found) < limit) & (np.abs(found) <= _finite_max(dtype)) & (np.trunc(found) >= -limit)
            # Whole parts of values between -1 and 1 fit in everything.
            return np.where(inside, found, 0.75).astype(dtype)
        case _:
            raise ValueError(f"no domain {kind}")


def _finite_max(dtype: Any) -> float:
    return float(finfo(dtype).max)


def _edges(dtype: Any) -> Array:
    info: Any = finfo(dtype)
    one = np.float64(1)
    ends = [float(info.max), float(info.smallest_normal), float(info.smallest_subnormal)]
    ends += [float(info.smallest_normal) - float(info.smallest_subnormal), float(info.max) / 2]
    near = [1.0, float(one + info.eps), 0.5, 1.5, 2.5, 3.0, 127.5, 255.5, 0.0]
    special = [float("nan")] if dtype == _DTYPES["f8E4M3FN"] else [float("nan"), float("inf")]
    found = np.asarray([*ends, *near, *special])
    return np.concatenate((found, -found)).astype(dtype)


def _mixed(found: Array, edges: Array, share: float, rng: Any) -> Array:
    return np.where(rng.random(found.shape) < share, rng.choice(edges, found.shape), found)


def _bits(dtype: Any, count: int, rng: Any) -> Array:
    return rng.integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype)


def _any_float(dtype: Any, count: int, rng: Any) -> Array:
    found = np.where(rng.random(count) < 0.5, _bits(dtype, count, rng), (rng.standard_normal(count) * 4).astype(dtype))
    return _mixed(found, _edges(dtype), 0.4, rng)


def _any_integer(dtype: Any, count: int, rng: Any) -> Array:
    if dtype == np.bool_:
        return rng.integers(0, 2, count).astype(np.bool_)
    info = np.iinfo(dtype)
    edges = np.asarray([info.min, info.min + 1, info.max, info.max - 1, 0, 1, -1, 2, 3, 7, 8, -8], dtype)
    found = np.where(rng.random(count) < 0.5, _bits(dtype, count, rng), rng.integers(-20, 20, count).astype(dtype))
    return _mixed(found, edges, 0.3, rng)


def distance(element: str, got: Array, expected: Array, kind: str) -> Array:
    """How far each element is from what was expected, in the measure of a bound; NaN against NaN is 0."""
    with np.errstate(all="ignore"):
        return _distance(element, got, expected, kind)


def _distance(element: str, got: Array, expected: Array, kind: str) -> Array:
    if element == "tf32":
        got, expected = ((x.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32) for x in (got, expected))
    if element in ("i1", "i8", "i16", "i32", "i64"):
        # A bool of GPU memory may be any byte; only 0 and 1 are canonical.
        as_bytes = (got.view(np.uint8), expected.view(np.uint8)) if element == "i1" else (got, expected)
        return (as_bytes[0] != as_bytes[1]).astype(np.float64)
    dtype = _DTYPES[element]
    word = np.dtype(f"i{dtype.itemsize}")
    wide_got, wide_expected = got.astype(np.float64), expected.astype(np.float64)
    both_nan = np.isnan(wide_got) & np.isnan(wide_expected)
    if kind == "exact":
        found = (got.view(word) != expected.view(word)).astype(np.float64)
    elif kind == "ulp":
        found = np.abs(_position(got.view(word)) - _position(expected.view(word)))
        found /= 2.0**13 if element == "tf32" else 1.0
        found = np.where(np.isnan(wide_got) != np.isnan(wide_expected), np.inf, found)
    else:
        same = wide_got == wide_expected
        sizes = np.abs(wide_expected[np.isfinite(wide_expected)])
        scale = float(sizes.max(initial=0.0)) or 1.0
        found = np.where(same, 0.0, np.abs(wide_got - wide_expected) / scale)
        found = np.where(np.isnan(found), np.inf, found)
    return np.where(both_nan, 0.0, found)


def _position(words: Array) -> Array:
    """Where floats stand in the order of all floats of their type: neighbours differ by 1, both zeros are 0."""
    top = np.iinfo(words.dtype).min
    magnitude = (words & ~top).astype(np.int64)
    # Long double holds differences of 64-bit positions.
    return np.where(words < 0, -magnitude, magnitude).astype(np.longdouble)
