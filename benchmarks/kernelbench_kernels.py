"""Kernels that KernelBench asks for and the library does not have: scaled matrices, products of triangular ones."""

from __future__ import annotations

from typing import Any, Final

import freehold as fh
from freehold import Const, Out, Ref, f32
from freehold.kernels.activations import as_matrices, tile_of
from freehold.kernels.pieces import multiplied, torn_all
from freehold.kernels.schedules import compiled_in, hinted, power_of_two
from freehold.kernels.tiles import part


@fh.kernel(deny_kernel_checks=True, deny_unsafe=True)
def times_number(y: Out["M", "N"], x: Ref["M", "N"], s: f32, N: Const[Any] = None):
    """y = x * s. With `N` rows have that length."""
    y.store(part(x, y.index, y.tile) * s, allow_tma=False)


@fh.kernel(deny_kernel_checks=True, deny_unsafe=True)
def times_diagonal(y: Out["M", "N"], d: Ref["M"], x: Ref["M", "N"], N: Const[Any] = None):
    """y = diag(d) @ x. With `N` rows have that length."""
    y.store(part(x, y.index, y.tile) * d.load((y.index[0],), (y.tile[0],))[:, None], allow_tma=False)


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


_HINTS: Final = {"num_worker_warps": 4, "occupancy": 12}


def scaled(x: Any, s: float) -> Any:
    """A matrix times a number."""
    y = x.new_empty(x.shape)
    out, given = as_matrices(y, x)
    hinted(times_number, _HINTS)(fh.partition(out, tile_of(out)), given, s, compiled_in(out.shape[1])).on()
    return y


def diagonal_product(d: Any, x: Any) -> Any:
    """A diagonal matrix, by its diagonal, times a matrix."""
    y = x.new_empty(x.shape)
    tile = 1, min(1024, power_of_two(y.shape[1]))
    hinted(times_diagonal, _HINTS)(fh.partition(y, tile), d, x, compiled_in(y.shape[1])).on()
    return y


def triangular(a: Any, b: Any, upper: bool) -> Any:
    """The product of two upper, or two lower, triangular matrices."""
    c = a.new_empty(a.shape)
    tile = min(64, power_of_two(max(16, c.shape[0])))
    triangular_product(fh.partition(c, (tile, tile), order=fh.grouped(8)), a, b, min(32, tile), upper).on()
    return c
