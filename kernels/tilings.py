"""What a matrix product is, and how it is cut: tiles by shape, found by measuring on an H200."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

import freehold as fh
from freehold.kernels.schedules import PROCESSORS, ceildiv, filled, power_of_two


class Product(NamedTuple):
    """c = activate(a @ b + bias) + residual, each where it is given, of tensors of any library."""

    c: Any
    a: Any
    b: Any
    bias: Any = None
    residual: Any = None
    activation: str = ""
    transposed: tuple[bool, bool] = (False, False)
    """Whether a is (K, M), and b (N, K)."""
    tf32: bool = False

    def part(self, rows: slice, columns: slice) -> Product:
        """The same of some rows and columns of c."""
        bias = None if self.bias is None else self.bias[columns]
        residual = None if self.residual is None else self.residual[rows, columns]
        a = self.a[:, rows] if self.transposed[0] else self.a[rows]
        b = self.b[columns] if self.transposed[1] else self.b[:, columns]
        return self._replace(c=self.c[rows, columns], a=a, b=b, bias=bias, residual=residual)

    def exchanged(self) -> Product:
        """The same with rows and columns exchanged: c.T = b.T @ a.T. It has no bias."""
        ta, tb = self.transposed
        residual = None if self.residual is None else self.residual.t()
        return self._replace(c=self.c.t(), a=self.b, b=self.a, residual=residual, transposed=(not tb, not ta))


class Tiling(NamedTuple):
    """How a product is cut."""

    tile: tuple[int, int]
    step: int
    """Elements along K that a block multiplies at once."""
    splits: int
    """Parts of K; 1: no split."""
    warps: int
    occupancy: int
    persistent: bool = True
    ctas: int = 1
    ahead: int | None = None
    """The latency that loads are told to expect."""
    beside: int = 0
    """The width of a second tile beside each."""
    margins: tuple[int, int] = (0, 0)
    """How many of the last rows and columns are products of their own."""
    widened: bool = False
    """Whether they stand beside the last row and column of tiles, and are products with these."""
    early: bool = False
    """Whether it begins early in graphs of others, however much it reads: it gains where there is one row of tiles."""
    turned: bool = False
    """Whether tiles are added up as their transposes; see `matmul_tiles`."""
    strips: tuple[int, ...] = ()
    """The heights of tiles above one another, of which a block has all; see `matmul_strips`."""

    @property
    def hints(self) -> dict[str, int]:
        """The kernel's hints."""
        found = {"num_worker_warps": self.warps, "occupancy": self.occupancy}
        if self.early:
            found["begin_early"] = True
        return found if self.ctas == 1 else {**found, "num_cta_in_cga": self.ctas}

    @property
    def blocks(self) -> Any:
        """Which blocks the launch has."""
        return fh.PERSISTENT if self.persistent else fh.EACH


class Way(NamedTuple):
    """A tile of 16-bit floats that is worth a try, and how fast a multiprocessor works on such tiles."""

    tile: tuple[int, int]
    step: int
    """Bytes along K."""
    warps: int
    persistent: bool
    rate: float
    """As a share of the fastest."""
    uneven: float
    """The same where rows do not begin at 32 bytes."""
    ends: int
    """How many elements along K could be multiplied while a block begins, and while its last tile is stored."""
    occupancy: int = 1
    ctas: int = 1
    ahead: int | None = None
    beside: int = 0


_WAYS: Final = (
    Way((256, 256), 128, 8, True, 1.02, 0.96, 260, ctas=2),
    Way((128, 256), 128, 8, True, 0.985, 0.66, 250),
    Way((128, 256), 64, 8, False, 1.0, 0.68, 160, ahead=8),
    Way((256, 128), 128, 4, True, 0.83, 0.72, 200, ctas=2),
    Way((128, 128), 128, 4, True, 0.955, 0.5, 160),
    Way((64, 256), 128, 4, True, 0.89, 0.5, 160),
    Way((64, 128), 128, 4, False, 0.65, 0.42, 160),
    Way((64, 64), 256, 4, False, 0.5, 0.35, 160, occupancy=3),
    Way((128, 128), 128, 4, False, 0.985, 0.72, 200, beside=64),
    Way((256, 128), 128, 8, False, 0.945, 0.88, 200, ctas=2, beside=64),
    Way((256, 256), 128, 8, False, 0.9, 0.82, 200, ctas=2, beside=32),
    Way((256, 256), 128, 8, False, 0.94, 0.9, 200, ctas=2, beside=64),
    Way((128, 64), 256, 8, False, 0.75, 0.45, 160, beside=32),
)
"""Fitted to what 17 products took on an H200 in 30 to 48 tiles each."""
_THIN: Final = 32
"""The most rows or columns at an end that may be a product of their own."""
_WIDENED: Final = 8
"""Rows and columns that stand beside the last tiles: of 16 (4112 cubed) both ends took 1 % longer so."""
_LARGE: Final = 1 << 35
"""Products of elements (100 us) that this takes: several launches on streams cost the host more than one."""
_TURNS: Final = 3
"""Turns of the others that this takes: with one turn it was slower (2056 cubed: 0.68 of cuBLAS, and 0.73 without)."""
_READ: Final = 0.5
"""Products that could be computed while a byte is read for these, beside the last turn of the others."""
_PART: Final = 24
"""Products that could be computed while an element of a part is stored, and added up."""


@cache
def tiling(m: int, n: int, k: int, size: int, even: bool = True, pairs: bool = False, apart: bool = False) -> Tiling:
    """
    How (m, k) @ (k, n) of elements of `size` bytes is cut: the tile that keeps the multiprocessors busiest, and where
    it leaves most of them idle, a sum in parts. `even` rows begin at 32 bytes. With `pairs` tiles may have a second one
    beside them also where there are many rows, and the last rows and columns may be products of their own. Rows `apart`
    are those of several products, or meet other numbers than 16-bit floats.
    """
    if size > 2:
        tile = min(64, power_of_two(max(16, m))), min(64, power_of_two(max(16, n)))
        splits, blocks = 1, ceildiv(m, tile[0]) * ceildiv(n, tile[1])
        while splits < 64 and blocks * splits * 2 <= 2 * PROCESSORS and k >= 4096 * splits:
            splits *= 2
        return Tiling(tile, max(16, min(32, power_of_two(k))), splits, 4, 2)
    if not apart and size == 2 and n >= 64 and (few := _few_rows(m, n, k)) is not None:
        return few
    if size < 2 and not apart and (few := _few_rows_of_bytes(m, n, k)) is not None:
        return few
    if m <= 64:  # bound by reading what is multiplied: narrow tiles, so that all multiprocessors read
        width = 32 if m <= 16 or PROCESSORS < 2 * ceildiv(n, 32) <= 2 * PROCESSORS else 64
        tile = power_of_two(max(16, m)), min(width, power_of_two(max(16, n)))
        splits = 1
        while splits < 8 and ceildiv(n, tile[1]) * splits * 2 <= PROCESSORS and k >= 1024 * splits:
            splits *= 2
        return Tiling(tile, max(16, min(512 // size, power_of_two(k))), splits if size > 1 else 1, 4, 1, early=True)
    best: tuple[float, Tiling] | None = None
    for way in _WAYS:
        if (size < 2 and (way.ctas > 1 or way.ahead or way.beside)) or (way.beside and not pairs):
            continue
        high, width, step = way.tile[0], way.tile[1] + way.beside, max(16, min(way.step // size, power_of_two(k)))
        blocks, area = ceildiv(m, high) * ceildiv(n, width) * way.ctas, high * width // way.ctas
        kept = way.occupancy, way.persistent, way.ctas, way.ahead, way.beside
        below, right = (rest if rest <= _THIN else 0 for rest in (m % high, n % width))
        if pairs and size == 2 and way.persistent and way.ctas > 1 and (below or right) and min(m, n) > high:
            turns = ceildiv(ceildiv(m - below, high) * ceildiv(n - right, width) * way.ctas, PROCESSORS)
            full = below == right == _WIDENED and min(m // high, n // width) > 1
            read = size * k * ((below > 0) * n + (right > 0) * m)
            cost = area * (turns * k / (way.rate if even else way.uneven) + way.ends) + _READ * read
            if turns >= _TURNS and m * n * k >= _LARGE and (best is None or cost < best[0]):
                best = cost, Tiling(way.tile, step, 1, way.warps, *kept, margins=(below, right), widened=full)
        for splits in (1, 2, 4, 8):
            few = blocks * splits <= 2 * PROCESSORS and k // splits >= 512
            if splits > 1 and (size < 2 or way.ctas > 1 or way.beside or not few):
                continue
            turns = ceildiv(blocks * splits, PROCESSORS)
            along = turns * (k / splits) / (way.rate if even else way.uneven)
            begun = 1 if way.persistent else turns
            cost = area * (along + begun * way.ends) + (splits > 1) * splits * m * n * _PART
            if best is None or cost < best[0]:
                best = cost, Tiling(way.tile, step, splits, way.warps, *kept, early=m <= high)
    assert best is not None
    return best[1]


_MOST_SPLITS: Final = 8
"""Parts of a sum of few rows, at most."""
_STRIPS: Final = range(33, 57)
"""Rows that are faster in strips than in a tile of 64, of which 8 rows or more overhang."""
_NARROW: Final = ((32, 8), (64, 32))
"""Columns of two tiles side by side, for 64 rows."""


def strips_of(m: int) -> tuple[int, ...]:
    """The heights of tiles above one another that hold up to 128 rows, and of which less than 8 rows overhang."""
    found = list[int]()
    for high in (128, 64, 32, 16, 8):
        if m > high - 8:
            found.append(high)
            m -= high
    return tuple(found)


def _few_rows(m: int, n: int, k: int) -> Tiling | None:
    """
    How a product of 16-bit floats is cut that has one row of tiles and is bound by reading the other factor; None where
    it is not known better.
    """
    if m > 64:
        return _many_rows(m, n, k)
    high, blocks = power_of_two(max(16, m)), ceildiv(n, 64)
    strips = strips_of(m) if m in _STRIPS and blocks <= 3 * PROCESSORS else ()
    splits = min(_MOST_SPLITS, PROCESSORS // blocks, k // 256)
    if splits > 2:  # a launch of its own adds up the parts, which short sums are not worth
        if k > (6144 if high == 64 and splits == 3 else 2048):
            return _turned(high, 64, 128, 2, k, strips)._replace(splits=splits)
        if k <= 2048 and ceildiv(m, 16) * blocks <= PROCESSORS:
            return _turned(16, 64, 256, 1, k)
    if high == 64 and not strips:
        return _of_64_rows(n, k)
    if 2 * blocks <= PROCESSORS:
        return _turned(high, 64, 256, 1, k, strips)
    if blocks <= PROCESSORS:
        return _turned(high, 64, 128, 2, k, strips)
    if strips:  # all at once
        return _turned(high, 64, 64, 2 if len(strips) > 2 and blocks <= 2 * PROCESSORS else 3, k, strips)
    if ceildiv(n, 128) <= PROCESSORS:
        return _turned(high, 128, 64, 2, k)
    return _turned(high, 64, 128, 2 if k <= 2048 else 1, k)._replace(persistent=True)


def _turned(high: int, width: int, step: int, occupancy: int, k: int, strips: tuple[int, ...] = ()) -> Tiling:
    """
    A block a tile, or one a strip each, added up as its transpose. Two a multiprocessor leave room for one of the next
    launch, where most multiprocessors have one; where half of them have none, that begins there, and each block loads
    more at once.
    """
    step = min(step, max(16, power_of_two(k)))
    return Tiling((high, width), step, 1, 4, occupancy, False, early=True, turned=True, strips=strips)


def scaled_tiling(m: int, n: int, k: int, groups: bool) -> Tiling:
    """As `tiling`, of elements of 8 bits with scales: of rows, or of `groups` of 128 along K, of each 128 columns."""
    few = _few_rows_of_bytes(m, n, k)
    way = few or tiling(m, n, k, 1)._replace(step=max(32, min(128, power_of_two(k))))
    if not groups:
        return way
    high, width = way.tile
    if way.turned:  # two at a time, as one waits for its product in each step
        return way._replace(tile=(high, 64), step=128, occupancy=max(2, way.occupancy))
    if 64 < m <= 128:
        return Tiling((128, 32), 128, 1, 4, 2, False, early=True)
    return way._replace(tile=(min(high, 128), min(width, 128)), step=128)


def _few_rows_of_bytes(m: int, n: int, k: int) -> Tiling | None:
    """As `_few_rows`, of elements of 8 bits and up to 128 rows."""
    high, blocks = power_of_two(max(16, m)), ceildiv(n, 64)
    if n < 64:
        return None
    if m > 64:
        narrow = m <= 128 and k >= 256 and 2 * blocks <= PROCESSORS
        return Tiling((128, 64), 256, 1, 8, 1, False, early=True) if narrow else None
    k = max(32, k)  # as `mma` takes
    if 2 * blocks <= PROCESSORS:
        return _turned(high, 64, 512, 1, k)
    if blocks <= PROCESSORS:
        return _turned(high, 64, 256, 2, k)
    if ceildiv(n, 128) <= PROCESSORS:
        return _turned(high, 128, 128, 2, k)
    return _turned(high, 64, 128, 4, k)


def _of_64_rows(n: int, k: int) -> Tiling:
    """As `_few_rows`, of 57 to 64 rows, which tensor cores read from shared memory either way."""
    for width, beside in _NARROW if k >= 4096 else ():  # a block a multiprocessor, and nearly all have one
        if 0.95 * PROCESSORS < ceildiv(n, width + beside) <= PROCESSORS:
            return Tiling((64, width), 128, 1, 4, 1, False, beside=beside, early=True)
    blocks = ceildiv(n, 64)
    if k >= 4096 and 2 * PROCESSORS // blocks == 3:
        return _turned(64, 64, 128, 2, k)._replace(splits=3)
    width = 64 if filled(blocks, 1) >= filled(ceildiv(n, 32), 1) else 32
    if width == 64 and blocks <= PROCESSORS:
        return Tiling((64, 64), min(128, max(16, power_of_two(k))), 1, 4, 1, False, early=True)
    return Tiling((64, width), min(256, max(16, power_of_two(k))), 1, 4, 1, early=True)


def _many_rows(m: int, n: int, k: int) -> Tiling | None:
    """As `_few_rows`, of more than 64 rows: a sum in parts, or narrow tiles, so that most multiprocessors have one."""
    if m <= 80 and k >= 2048 and 0.7 * PROCESSORS < ceildiv(n, 128) <= PROCESSORS:
        return Tiling((128, 128), 64, 1, 8, 1, False, early=True, turned=True, strips=strips_of(m))
    if 80 < m < 128:
        splits = min(_MOST_SPLITS, PROCESSORS // ceildiv(n, 128), k // 512)
        if k >= (4096 if splits > 4 else 8192) and splits > 3:
            return Tiling((128, 128), 64, splits, 8, 1, False, early=True)
        if PROCESSORS < 4 * ceildiv(n, 256) <= 2 * PROCESSORS:
            return Tiling((128, 256), 64, 1, 8, 1, False, ctas=2, early=True)
    blocks = ceildiv(n, 64)
    if m != 128 or k < 1024 or 2 * blocks > PROCESSORS:
        return None
    splits = min(_MOST_SPLITS, PROCESSORS // blocks, k // 1024)
    if k >= 8192 or (splits > 2 and k >= 6144):
        return Tiling((128, 64), 128, splits, 8, 1, False, early=True)
    return None if 4 * blocks <= PROCESSORS else Tiling((128, 32), 64, 1, 4, 1, False, early=True)
