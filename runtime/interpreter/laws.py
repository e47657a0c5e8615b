"""
Laws of folds: what is asked of a function that folds, tried on the values that a run meets.

A GPU joins elements in any grouping, those of a reduction in any order, and the identity with any of them. So the
identity is neutral on both sides, the function associative, and commutative where it reduces; floats up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from typing import Any, Final, cast

import ml_dtypes
import numpy as np

from freehold.runtime.interpreter.elements import Array

Join = Callable[[Sequence[Array], Sequence[Array]], list[Array]]
"""What the function makes of pairs: for each tile that is folded, left and right elements."""

Broken = tuple[str, str, str]
"""A law, two spellings that it makes equal, and what they are, in words."""

MOST: Final = 32
"""Elements along the axis of a fold, and folds side by side, on which laws are tried."""


def broken(join: Join, tiles: Sequence[Array], identity: Sequence[Array], *, commutes: bool) -> Broken | None:
    """A law that does not hold for some elements of tiles, which are folded along their first axis; None if all do."""
    x = [_some(tile) for tile in tiles]
    e = [np.broadcast_to(start, tile.shape) for start, tile in zip(identity, x, strict=True)]
    for law, spelled, one, other, involved in _cases(join, x, e, commutes):
        place = _differ(one, other, involved)
        if place is None:
            continue
        values = ", ".join(f"{name} = {_shown(value, place)}" for name, value in zip("abc", involved, strict=False))
        left, right = spelled
        return law, f"{left} = {_shown(one, place)}, and {right} = {_shown(other, place)}", values
    return None


def _cases(
    join: Join, x: list[Array], e: list[Array], commutes: bool
) -> Iterator[tuple[str, tuple[str, str], list[Array], list[Array], list[list[Array]]]]:
    yield "the identity is not neutral", ("f(identity, a)", "a"), join(e, x), x, [x]
    yield "the identity is not neutral", ("f(a, identity)", "a"), join(x, e), x, [x]
    if len(x[0]) > 1 and commutes:
        a, b = [t[:-1] for t in x], [t[1:] for t in x]
        yield "the function is not commutative", ("f(a, b)", "f(b, a)"), join(a, b), join(b, a), [a, b]
    if len(x[0]) > 2:
        a, b, c = [t[:-2] for t in x], [t[1:-1] for t in x], [t[2:] for t in x]
        one, other = join(join(a, b), c), join(a, join(b, c))
        yield "the function is not associative", ("f(f(a, b), c)", "f(a, f(b, c))"), one, other, [a, b, c]


def _some(tile: Array) -> Array:
    """Elements of a tile, spread over it."""
    flat = tile.reshape(len(tile), -1)
    return flat[:: -(-flat.shape[0] // MOST), :: -(-flat.shape[1] // MOST)]


def _differ(one: list[Array], other: list[Array], involved: list[list[Array]]) -> tuple[int, int] | None:
    """Where two results differ by more than rounding."""
    for n, (left, right) in enumerate(zip(one, other, strict=True)):
        wrong = _apart(left, right, [values[n] for values in involved])
        if wrong.any():
            row, column = np.unravel_index(int(wrong.argmax()), wrong.shape)
            return int(row), int(column)
    return None


def _apart(left: Array, right: Array, involved: list[Array]) -> Array:
    if left.dtype.kind in "biu":
        return np.asarray(left != right)
    limits = cast(Any, ml_dtypes.finfo)(left.dtype)
    a, b = left.astype(np.float64), right.astype(np.float64)
    size = np.zeros_like(a)
    for values in (a, b, *involved):
        sizes = np.abs(values.astype(np.float64))
        size = np.maximum(size, np.where(np.isinf(sizes), 0, sizes))
    equal = (a == b) | (np.isnan(a) & np.isnan(b))
    # What one grouping takes beyond the largest number, another may not.
    overflow = (np.isinf(a) != np.isinf(b)) & (size > float(limits.max) / 8)
    near = np.abs(a - b) <= sqrt(float(limits.eps)) * size
    return ~(equal | overflow | near)


def _shown(values: list[Array], place: tuple[int, int]) -> str:
    parts = [str(value[place].item() if value.dtype.kind != "V" else value[place]) for value in values]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
