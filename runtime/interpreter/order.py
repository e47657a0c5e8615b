"""In which order the interpreter runs what a program may not order."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

Order = str | int | None
"""`"increasing"` (or None), `"decreasing"`, or the seed of a random order."""


def arrange(count: int, order: Order) -> Iterable[int]:
    """The numbers below `count` in an order. Raises `ValueError` for an order that is none."""
    match order:
        case None | "increasing":
            return range(count)
        case "decreasing":
            return range(count - 1, -1, -1)
        case int() as seed:
            return (int(n) for n in np.random.default_rng(seed).permutation(count))
        case _:
            raise ValueError(f'an order is "increasing", "decreasing" or a seed, not {order!r}')
