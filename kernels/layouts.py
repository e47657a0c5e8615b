"""Matrices transposed in memory."""

from __future__ import annotations

from math import prod
from typing import Any, Final

import freehold as fh
from freehold import Out, Ref
from freehold.kernels.arguments import Tensor, function
from freehold.kernels.operators import operator
from freehold.kernels.schedules import PROCESSORS, ceildiv, hinted, power_of_two
from freehold.kernels.tiles import safe


@safe
def transpose_tiles(y: Out["B", "N", "M"], x: Ref["B", "M", "N"]):
    """y[b] = x[b].T, tile by tile."""
    b, n, m = y.index
    _, TN, TM = y.tile
    y.store(x.load((b, m, n), (1, TM, TN)).transpose(0, 2, 1))


_WHOLE: Final = {"num_worker_warps": 16, "occupancy": 2}
"""
Hints for tiles of 64 x 64 numbers of 4 bytes, and of 128 x 128 of 2: with 16 bytes of two places a thread they take
0.99 and 0.98 of the time of 64 x 64 by 4 warps on an H200.
"""


@function()
def transpose(x: Tensor) -> Tensor:
    """
    `x` (..., M, N) with its last two axes exchanged, in memory of its own: as `x.mT.contiguous()`; differentiable.

    Of all dtypes that kernels have. Raises `ValueError` for fewer axes.
    """
    if x.dim() < 2:
        raise ValueError(f"what is transposed has two axes or more, not {x.dim()}")
    return _transpose(x.reshape(prod(x.shape[:-2]), *x.shape[-2:])).view(*x.shape[:-2], x.shape[-1], x.shape[-2])


@operator("transpose(Tensor x) -> Tensor", results=lambda x: x.new_empty((x.shape[0], x.shape[2], x.shape[1])))
def _transpose(y: Any, x: Any) -> None:
    B, N, M = y.shape
    size = x.element_size()
    most = 64 if size <= 4 else 32
    if size == 2 and min(N, M) >= 128 and B * ceildiv(N, 128) * ceildiv(M, 128) >= 16 * PROCESSORS:
        most = 128
    tile = 1, min(most, power_of_two(N)), min(most, power_of_two(M))
    whole = tile == (1, most, most) and size in (2, 4) and size * most == 256
    kernel = hinted(transpose_tiles, _WHOLE) if whole else transpose_tiles
    kernel(fh.partition(y, tile), x).on()


@_transpose.backward(keeps=lambda inputs, output: ())
def _gradient(ctx: Any, dy: Any) -> tuple[Any, ...]:
    return (_transpose(dy.contiguous()),)
