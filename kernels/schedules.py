"""How the functions cut their tensors: schedules by shape, found by measuring on an H200."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

import freehold as fh

PROCESSORS: Final = 132
"""How many multiprocessors the schedules are made for; on other GPUs they are as right, and less even."""


class Rows(NamedTuple):
    """How a matrix is cut whose rows are worked on as a whole."""

    tile: tuple[int, int]
    tiles: int
    """How many tiles a row has, all kept in registers; 0: any number, and what is needed twice is loaded twice."""
    warps: int
    occupancy: int

    @property
    def hints(self) -> dict[str, int]:
        """The kernel's hints."""
        return {"num_worker_warps": self.warps, "occupancy": self.occupancy}


WIDEST: Final = 4096
"""Elements of a tile along a row, at most."""

MOST_TILES: Final = 8
"""Tiles of a row that are kept in registers, at most."""


def ceildiv(n: int, by: int) -> int:
    """n / by, rounded up."""
    return -(-n // by)


def power_of_two(n: int) -> int:
    """The smallest power of two that is at least `n`."""
    return 1 << max(0, n - 1).bit_length()


@cache
def rows(count: int, length: int, elements: int = 10240) -> Rows:
    """
    A schedule for `count` rows of `length` elements of which a block works on about `elements` at once.

    Rows of up to `MOST_TILES` tiles stay in registers, in tiles that leave at most an eighth of the last one empty.
    Short rows share a tile, as long as every multiprocessor has four blocks.
    """
    if length > WIDEST * MOST_TILES:
        return Rows((1, 2 * WIDEST), 0, 4, 4)
    elements = 4096 if length <= 1024 else elements
    width = min(WIDEST, power_of_two(length))
    while width > 256 and -length % width * 8 > length and ceildiv(length, width // 2) <= MOST_TILES:
        width //= 2
    tiles = ceildiv(length, width)
    held = width * tiles
    high = 1
    while high * 2 * held <= elements and count >= high * 2 * 4 * PROCESSORS:
        high *= 2
    size = held * high
    warps = 4 if size <= 10240 else 8 if size <= 16384 else 16
    return Rows((high, width), tiles, warps, 8 if size <= 4096 else max(1, 16 // warps))


class Cuts:
    """Partitions by what they say, each worked out once: the next array is cut the same way."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], Any] = {}

    def __call__(self, array: Any, tile: tuple[int, ...], **options: Any) -> Any:
        """`fh.partition(array, tile, **options)`."""
        key = tile, *options.items()
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = fh.partition(None, tile, **options)
        return found.of(array)


cut: Final = Cuts()


class Hinted:
    """Kernels with hints, each made once: it is their variants that take long to compile."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], Any] = {}

    def __call__(self, kernel: Any, hints: dict[str, int]) -> Any:
        """The kernel with these hints."""
        key = kernel, *hints.items()
        found = self._made.get(key)
        if found is None:
            found = self._made.setdefault(key, kernel.with_hints(**hints))
        return found


hinted: Final = Hinted()
