"""The launches that a model is made of, on the engine's own buffers: products, norms, and what stands between them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import freehold as fh
from freehold.kernels.activations import gated_tiles
from freehold.kernels.embeddings import embedding_rows
from freehold.kernels.norms import rms_norm_rows
from freehold.kernels.products import matmul_splits, matmul_tiles, sum_of_splits, tiling
from freehold.kernels.schedules import cut, hinted, power_of_two, rows
from freehold.kernels.serving import added_tiles

Steps = Iterator[Any]
"""Operations in the order in which they are to be run, or to be recorded in a graph."""

_BANDS: Final = fh.grouped(8)
_FEW: Final = 64
"""Rows up to which a product is bound by reading weights, and its sum is cut into parts."""


class Room:
    """Memory that steps use and that nobody needs after them, by name; allocated once, for the largest step."""

    def __init__(self, device: int | None):
        self.device = device
        self._made: dict[str, Any] = {}

    def reserve(self, name: str, shape: tuple[int, ...], dtype: Any) -> None:
        """Makes memory of that name, in front of all steps."""
        self._made[name] = fh.empty(shape, dtype, device=self.device).sync()

    def rows(self, name: str, count: int) -> Any:
        """The first `count` rows of a buffer."""
        return self._made[name][:count]

    def splits(self, count: int, m: int, n: int) -> Any:
        """Room for the parts of a product, (count, m, n)."""
        return self._made["splits"][: count * m * n].reshape(count, m, n)


@cache
def _way(m: int, n: int, k: int, size: int) -> Any:
    return tiling(m, n, k, size)


def widest_split(m: int, n: int, k: int, size: int) -> int:
    """Elements that the parts of a product take, over all numbers of rows up to `m`."""
    few = [_way(r, n, k, size).splits * r * n for r in {1, min(16, m), min(32, m), min(_FEW, m)}]
    return max(few) if m <= _FEW else max(*few, 8 * min(m, 2048) * n)


def product(room: Room, y: Any, x: Any, weight: Any, residual: Any = None) -> Steps:
    """y = x @ weight.T + residual; x (M, K), weight (N, K)."""
    (m, n), k = y.shape, x.shape[1]
    size = 4 if x.dtype == fh.f32 else 2
    way = _way(m, n, k, size)
    hints = {"num_worker_warps": way.warps, "occupancy": way.occupancy}
    given = "", False, residual is not None
    extra = x[0], x if residual is None else residual
    if way.splits > 1:
        parts = room.splits(way.splits, m, n)
        yield hinted(matmul_splits, hints)(cut(parts, (1, *way.tile)), x, weight, way.step, False, True)
        yield sum_of_splits(cut(y, (4, min(512, power_of_two(n)))), parts, *extra, *given)
        return
    part = cut(y, way.tile, order=_BANDS, blocks=fh.PERSISTENT)
    yield hinted(matmul_tiles, hints)(part, x, weight, *extra, way.step, False, True, *given)


def norm(room: Room, y: Any, x: Any, weight: Any, eps: float) -> Steps:
    """y = x / sqrt(mean(x ** 2) + eps) * weight, along rows."""
    way = rows(*x.shape)
    scale = room.rows("scale", x.shape[0])
    outs = cut(y, way.tile, owned=1), cut(scale, (way.tile[0],))
    yield hinted(rms_norm_rows, way.hints)(*outs, x, weight, eps, way.tiles)


def picked(y: Any, table: Any, ids: Any) -> Steps:
    """y = table[ids]."""
    width = min(1024, power_of_two(y.shape[1]))
    high = min(max(1, 1024 // width), power_of_two(y.shape[0]))
    yield embedding_rows(cut(y, (high, width)), table, ids)


def gated(y: Any, both: Any) -> Steps:
    """y = silu(gate) * up, where `both` is (M, 2 * N): gates, then the others."""
    n = y.shape[1]
    width = min(1024, power_of_two(n))
    tile = min(max(1, 2048 // width), power_of_two(y.shape[0])), width
    yield gated_tiles(cut(y, tile), both[:, :n], both[:, n:], "silu")


def added(y: Any, x: Any) -> Steps:
    """y += x."""
    width = min(1024, power_of_two(y.shape[1]))
    yield added_tiles(cut(y, (1, width)), x)
