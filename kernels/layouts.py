"""Matrices transposed in memory."""

from __future__ import annotations

from typing import Any

import freehold as fh
from freehold import Out, Ref
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.operators import operator
from freehold.kernels.schedules import power_of_two
from freehold.kernels.tiles import safe


@safe
def transpose_tiles(y: Out["B", "N", "M"], x: Ref["B", "M", "N"]):
    """y[b] = x[b].T, tile by tile."""
    b, n, m = y.index
    _, TN, TM = y.tile
    y.store(x.load((b, m, n), (1, TM, TN)).transpose(0, 2, 1))


@function()
def transpose(x: Tensor) -> Tensor:
    """
    `x` (..., M, N) with its last two axes exchanged, in memory of its own: as `x.mT.contiguous()`; differentiable.

    Of all dtypes that kernels have. Raises `ValueError` for fewer axes.
    """
    if x.dim() < 2:
        raise ValueError(f"what is transposed has two axes or more, not {x.dim()}")
    return _transpose(x.reshape(-1, *x.shape[-2:])).view(*x.shape[:-2], x.shape[-1], x.shape[-2])


@operator("transpose(Tensor x) -> Tensor", results=lambda x: x.new_empty((x.shape[0], x.shape[2], x.shape[1])))
def _transpose(y: Any, x: Any) -> None:
    most = 64 if x.element_size() <= 4 else 32
    transpose_tiles(fh.partition(y, (1, *(min(most, power_of_two(n)) for n in y.shape[1:]))), x).on()


@_transpose.backward(keeps=lambda inputs, output: ())
def _gradient(ctx: Any, dy: Any) -> tuple[Any, ...]:
    return (_transpose(dy.contiguous()),)
