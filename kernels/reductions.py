"""Sums over the rows of a matrix."""

from __future__ import annotations

from typing import Any

import freehold as fh
from freehold import Const, Out, Ref
from freehold.kernels.tiles import accumulator, safe, wide


@safe
def sum_of_rows(y: Out["N"], x: Ref["M", "N"], R: Const[int] = 32):
    """y = x.sum(axis=0), in the same order every time."""
    acc = fh.zeros((R, y.tile[0]), accumulator(x.dtype))
    for i in fh.tiles(x, axis=0, size=R):
        acc += wide(x.load((i, y.index[0]), (R, y.tile[0])))
    y.store(acc.sum(axis=0).astype(y.dtype))


def sum_rows(y: Any, x: Any) -> None:
    """Writes the sums over the rows of the matrix `x` to `y`."""
    sum_of_rows(fh.partition(y, 64), x, 32).on()
