"""In which order the interpreter runs what a program may not order."""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd
from typing import Final

import numpy as np

Order = str | int | None
"""`"increasing"` (or None), `"decreasing"`, or the seed of a random order."""


_LISTED: Final = 1 << 22
"""Of how many numbers a permutation is made at once."""


def arrange(count: int, order: Order) -> Iterable[int]:
    """The numbers below `count` in an order. Raises `ValueError` for an order that is none."""
    match order:
        case None | "increasing":
            return range(count)
        case "decreasing":
            return range(count - 1, -1, -1)
        case int() as seed:
            return _mixed(count, np.random.default_rng(seed))
        case _:
            raise ValueError(f'an order is "increasing", "decreasing" or a seed, not {order!r}')


def _mixed(count: int, chosen: np.random.Generator) -> Iterable[int]:
    """A random order; of very many numbers one of those in which neighbours lie the same distance apart."""
    if count <= _LISTED:
        return map(int, chosen.permutation(count))
    first, distance = (int(n) for n in chosen.integers(count, size=2))
    while gcd(distance, count) != 1:
        distance += 1
    return ((first + n * distance) % count for n in range(count))
