"""The launches that a model is made of: those of the library, on the engine's own buffers, with what room they need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import freehold as fh
from freehold.kernels.few import row_product_launch
from freehold.kernels.products import product_launches
from freehold.kernels.quantised import narrow_weight_launches
from freehold.kernels.schedules import cut, power_of_two
from freehold.kernels.serving import added_tiles
from freehold.kernels.tilings import Product, tiling

Steps = Iterator[Any]
"""Operations in the order in which they are to be run, or to be recorded in a graph."""


class Room:
    """Memory that steps use and that nobody needs after them, by name; allocated once, for the largest step."""

    def __init__(self, device: int | None):
        self.device = device
        self._made: dict[str, Any] = {}

    def reserve(self, name: str, shape: tuple[int, ...], dtype: Any) -> None:
        """Makes memory of that name, in front of all steps."""
        self._made[name] = fh.zeros(shape, dtype, device=self.device).sync()  # numbers, also where nothing was written

    def rows(self, name: str, count: int) -> Any:
        """The first `count` rows of a buffer."""
        return self._made[name][:count]

    def splits(self, count: int, m: int, n: int) -> Any:
        """Room for the parts of a product, (count, m, n)."""
        return self._made["splits"][: count * m * n].reshape(count, m, n)


def size_of(dtype: Any) -> int:
    """Bytes of an element of a model's."""
    return 4 if dtype == fh.f32 else 2


def most_split(rows: Iterable[int], n: int, k: int, size: int) -> int:
    """Elements that the parts of a product take at most, of any of these numbers of rows, `Narrow` or not."""
    splits = ((m, max(tiling(m, n, k, size, apart=narrow).splits for narrow in (False, True))) for m in rows)
    return max(m * n * count if count > 1 else 1 for m, count in splits)


class Narrow(NamedTuple):
    """Weights in 8 bits (N, K), and what each row is to be multiplied by (N,)."""

    values: Any
    scales: Any


def product(room: Room, y: Any, x: Any, weight: Any, residual: Any = None) -> Steps:
    """y = x @ weight.T + residual; x (M, K), weight (N, K), which may be `Narrow`."""
    way = tiling(*y.shape, x.shape[1], size_of(x.dtype), apart=isinstance(weight, Narrow))
    if x.shape[0] == 1:
        values, scales = weight if isinstance(weight, Narrow) else (weight, None)
        yield row_product_launch(y, x, values, None, residual, 0.0, scales)
        return
    if isinstance(weight, Narrow):
        yield from narrow_weight_launches(y, x, *weight, residual, way, lambda: room.splits(way.splits, *y.shape))
        return
    whole = Product(y, x, weight, residual=residual, transposed=(False, True))
    yield from product_launches(whole, way, lambda: room.splits(way.splits, *y.shape))


def added(y: Any, x: Any) -> Steps:
    """y += x."""
    yield added_tiles(cut(y, (1, min(1024, power_of_two(y.shape[1])))), x)
