"""Kernels that KernelBench asks for and the library does not have: scaled matrices, products of triangular ones."""

from __future__ import annotations

from typing import Any

import freehold as fh
from freehold import Const, Out, Ref, f32
from freehold.kernels.pieces import multiplied, torn_all
from freehold.kernels.schedules import power_of_two


@fh.kernel(deny_kernel_checks=True, deny_unsafe=True)
def times_number(y: Out["M", "N"], x: Ref["M", "N"], s: f32):
    """y = x * s."""
    y.store(x.load_like(y) * s)


@fh.kernel(deny_kernel_checks=True, deny_unsafe=True)
def times_diagonal(y: Out["M", "N"], d: Ref["M"], x: Ref["M", "N"]):
    """y = diag(d) @ x."""
    y.store(x.load_like(y) * d.load((y.index[0],), (y.tile[0],))[:, None])


@fh.kernel(deny_kernel_checks=True, deny_unsafe=True)
def triangular_product(c: Out["N", "N"], a: Ref["N", "N"], b: Ref["N", "N"], BK: Const[int], UPPER: Const[bool]):
    """c = a @ b of matrices that are zero below the diagonal, or above it: only what may not be zero is multiplied."""
    fh.require("N <= 536870912", "no place wraps around")
    m, n = c.index
    TM, TN = c.tile
    first = (m * TM if UPPER else n * TN) // BK
    last = fh.cdiv((n + 1) * TN if UPPER else (m + 1) * TM, BK)
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK, start=first, stop=last):
        x, y = torn_all(a.load((m, k), (TM, BK)), 3), torn_all(b.load((k, n), (BK, TN)), 3)
        acc += multiplied(x, y, fh.zeros(c.tile, f32))
    c.store(acc)


def _out(x: Any) -> tuple[Any, Any]:
    y = x.new_empty(x.shape)
    width = min(2048, power_of_two(x.shape[1]))
    return y, fh.partition(y, (min(max(1, 2048 // width), power_of_two(x.shape[0])), width))


def scaled(x: Any, s: float) -> Any:
    """A matrix times a number."""
    y, part = _out(x)
    times_number(part, x, s).on()
    return y


def diagonal_product(d: Any, x: Any) -> Any:
    """A diagonal matrix, by its diagonal, times a matrix."""
    y, part = _out(x)
    times_diagonal(part, d, x).on()
    return y


def triangular(a: Any, b: Any, upper: bool) -> Any:
    """The product of two upper, or two lower, triangular matrices."""
    c = a.new_empty(a.shape)
    tile = min(64, power_of_two(max(16, c.shape[0])))
    triangular_product(fh.partition(c, (tile, tile), order=fh.grouped(8)), a, b, min(32, tile), upper).on()
    return c
