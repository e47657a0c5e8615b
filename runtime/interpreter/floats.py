"""Floating-point arithmetic, comparisons and mathematics.

Sums, products, quotients, roots and fused products are exact to the rounding mode. `f16` and `bf16` mathematics is done
in `f32` and then rounded; `f32` mathematics in `f64`, so that its error is at most half a unit of the last place.
`approx` and `full` results are the rounded exact ones, which is a permitted result.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from freehold.runtime.interpreter.access import element, flag, keyword
from freehold.runtime.interpreter.compile import binary
from freehold.runtime.interpreter.elements import Array, Element, Tile, choose
from freehold.runtime.interpreter.rounding import flush, rounded
from freehold.support.integers import RELATIONS

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from freehold.runtime.interpreter.compile import Compiler, Function, Pure


def _flushed(op: Operation, function: Function) -> Function:
    """The function with subnormal operands and results replaced by zeros, where the operation says so."""
    if not flag(op, "flush_to_zero"):
        return function

    def flushed(*operands: Tile) -> Tile:
        return flush(function(*(flush(x) for x in operands)))

    return flushed


def _rounded(name: str) -> Pure:
    def make(op: Operation, _: Compiler) -> Function:
        mode = keyword(op, "rounding_mode", "nearest_even")
        return _flushed(op, rounded(name, element(op.results[0]), mode))

    return make


def _wider(e: Element) -> np.dtype[Any]:
    """The dtype in which the mathematics of an element is done."""
    return np.dtype(np.float64 if e.bits >= 32 else np.float32)


def _mathematics(function: Callable[..., Array]) -> Pure:
    """An elementary function, done in a wider type and rounded."""

    def make(op: Operation, _: Compiler) -> Function:
        e = element(op.results[0])
        if e.name == "f64":
            return function
        wide, own = _wider(e), e.dtype

        def widened(*operands: Tile) -> Array:
            return np.asarray(function(*(np.asarray(x).astype(wide) for x in operands))).astype(own)

        return _flushed(op, widened)

    return make


def _in_kind(function: Callable[..., Array]) -> Pure:
    """A function whose result is exact in the element itself; 16-bit floats take the way over `f32`."""

    def make(op: Operation, _: Compiler) -> Function:
        e = element(op.results[0])
        if e.name in ("f32", "f64"):
            return function

        def widened(*operands: Tile) -> Array:
            return np.asarray(function(*(np.asarray(x).astype(np.float32) for x in operands))).astype(e.dtype)

        return widened

    return make


def _reciprocal_root(x: Array) -> Array:
    return 1 / np.sqrt(x)


def _extremum(larger: bool) -> Pure:
    """The larger or smaller element; -0 is below +0. NaN loses unless it propagates; a NaN result is canonical."""
    ignoring, propagating = (np.fmax, np.maximum) if larger else (np.fmin, np.minimum)

    def make(op: Operation, _: Compiler) -> Function:
        pick = propagating if flag(op, "propagate_nan") else ignoring
        e = element(op.results[0])
        nan = e.dtype.type(np.nan)

        def extremum(a: Tile, b: Tile) -> Tile:
            result: Any = pick(a, b)
            if not result.all():  # a zero: NumPy takes either
                zeros = a + b if larger else -(-a - b)
                result = choose((a == 0) & (b == 0), zeros, result)
            strange: Any = result != result
            return choose(strange, nan, result) if strange.any() else result

        return _flushed(op, extremum)

    return make


def _compare(op: Operation, _: Compiler) -> Function:
    predicate = keyword(op, "comparison_predicate")
    compare = RELATIONS[predicate]
    ordered = keyword(op, "comparison_ordering") == "ordered"
    if ordered and predicate == "not_equal":
        return binary(lambda a, b: (a != b) & (a == a) & (b == b))
    if ordered or predicate == "not_equal":
        return compare  # NumPy's comparisons are ordered, its != is not
    return binary(lambda a, b: compare(a, b) | (a != a) | (b != b))


def _integer_power(op: Operation, _: Compiler) -> Function:
    """The exponent is signed: a true `i1` is -1."""
    e = element(op.results[0])
    sign = -1 if element(op.operands[1]).bits == 1 else 1

    def power(a: Tile, n: Tile) -> Tile:
        return np.asarray(np.power(np.asarray(a).astype(np.float64), np.asarray(n).astype(np.float64) * sign)).astype(
            e.dtype
        )

    return power


def _plain(function: Function) -> Pure:
    def make(_op: Operation, _c: Compiler) -> Function:
        return function

    return make


PURE: Final[dict[str, Pure]] = {
    "cuda_tile.addf": _rounded("add"),
    "cuda_tile.subf": _rounded("sub"),
    "cuda_tile.mulf": _rounded("mul"),
    "cuda_tile.divf": _rounded("div"),
    "cuda_tile.sqrt": _rounded("sqrt"),
    "cuda_tile.fma": _rounded("fma"),
    "cuda_tile.negf": _plain(operator.neg),
    "cuda_tile.absf": _plain(np.abs),
    "cuda_tile.ceil": _plain(np.ceil),
    "cuda_tile.floor": _plain(np.floor),
    "cuda_tile.maxf": _extremum(larger=True),
    "cuda_tile.minf": _extremum(larger=False),
    "cuda_tile.remf": _in_kind(np.fmod),
    "cuda_tile.cmpf": _compare,
    "cuda_tile.fpowf": _mathematics(np.power),
    "cuda_tile.fpowi": _integer_power,
    "cuda_tile.atan2": _mathematics(np.arctan2),
    "cuda_tile.cos": _mathematics(np.cos),
    "cuda_tile.cosh": _mathematics(np.cosh),
    "cuda_tile.sin": _mathematics(np.sin),
    "cuda_tile.sinh": _mathematics(np.sinh),
    "cuda_tile.tan": _mathematics(np.tan),
    "cuda_tile.tanh": _mathematics(np.tanh),
    "cuda_tile.exp": _mathematics(np.exp),
    "cuda_tile.exp2": _mathematics(np.exp2),
    "cuda_tile.log": _mathematics(np.log),
    "cuda_tile.log2": _mathematics(np.log2),
    "cuda_tile.rsqrt": _mathematics(_reciprocal_root),
}
"""The definitions, by name."""
