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
    length: int | None = None
    """The length of a row, where it is compiled in."""
    held: int = 0
    """Tiles of a row that is loaded again that stay in registers all the same, as they are in memory."""

    @property
    def constants(self) -> tuple[int, int | None]:
        """The kernel's `K` and `N`; `held` is its `H`."""
        return self.tiles, self.length

    @property
    def hints(self) -> dict[str, int]:
        """The kernel's hints."""
        return {"num_worker_warps": self.warps, "occupancy": self.occupancy}


WIDEST: Final = 4096
"""Elements of a tile along a row that is walked, at most."""

LONGEST: Final = 16384
"""Elements of a row that is kept in registers, at most; longer ones are loaded again, from the L2 cache."""


def ceildiv(n: int, by: int) -> int:
    """n / by, rounded up."""
    return -(-n // by)


def power_of_two(n: int) -> int:
    """The smallest power of two that is at least `n`."""
    return 1 << max(0, n - 1).bit_length()


def filled(blocks: int, occupancy: int) -> float:
    """How much of the GPU has work while so many blocks run, `occupancy` at a time on each multiprocessor."""
    return blocks / (ceildiv(blocks, occupancy * PROCESSORS) * occupancy * PROCESSORS)


def compiled_in(length: int) -> int | None:
    """
    The length of a row, if kernels are compiled for it, and else None: nothing has to be compared with it then.

    Whole multiples of 256 are, as those of models, so that rows which grow do not need a variant each.
    """
    return length if length % 256 == 0 else None


@cache
def rows(count: int, length: int) -> Rows:
    """
    A schedule for `count` rows of `length` elements, of which a thread has 16 in registers, or up to 64 of long ones;
    or 8 where there are few rows, and a multiprocessor has one of them.

    A thread loads 16 bytes at once of a tile. Where a length is compiled in, what overhangs leaves nothing behind.
    """
    known = compiled_in(length)
    if length > LONGEST:
        return Rows((1, WIDEST), 0, 16, 1, known)
    if count <= 2 * PROCESSORS:
        warps = min(32, power_of_two(length) // 256)
    else:
        warps = min(4, power_of_two(length) // 512) if length <= 5120 else 8
    warps = max(1, warps)
    width = min(256 * warps, power_of_two(length))
    high = 1
    while width * high < 256 * warps and count >= high * 2 * 8 * PROCESSORS:
        high *= 2
    held = length * high // (32 * warps)
    occupancy = max(1, min(16, 32 // warps, 2048 // (warps * (28 + held))))
    return Rows((high, width), ceildiv(length, width), warps, occupancy, known)


def tile_of_rows(matrix: Any, most: int = 2048) -> tuple[int, int]:
    """A tile of a matrix whose rows are copied or added up: of `most` elements, 1024 of a row."""
    width = min(1024, power_of_two(matrix.shape[1]))
    return min(most // width, power_of_two(matrix.shape[0])), width


class ByRow(NamedTuple):
    """How a matrix is cut that is multiplied by one vector, a row at a time."""

    rows: int
    """Rows that a block multiplies."""
    step: int
    """Elements along a row that it multiplies at once."""
    occupancy: int
    extents: tuple[int | None, int | None]
    """The extents of the matrix, where they are compiled in."""

    @property
    def constants(self) -> tuple[int, int | None, int | None]:
        """The kernel's `BK`, `N` and `K`."""
        return self.step, *self.extents

    @property
    def hints(self) -> dict[str, int]:
        """The kernel's hints."""
        return {"num_worker_warps": 4, "occupancy": self.occupancy}


@cache
def by_row(count: int, length: int, alone: bool = True) -> ByRow:
    """
    A schedule for a matrix of 16-bit numbers of `count` rows of `length` elements, times a vector. Unless `alone`, more
    is computed of the vector, which two rows share.

    Where the length is compiled in, a thread has 16 bytes of one or of two rows in registers, and a multiprocessor has
    eight blocks. Else tiles are loaded by TMA, of which as many are on their way as fit.
    """
    known = compiled_in(length)
    if known is None:
        rows, step = (32, 128) if count >= 4096 > length else (16, 256)
        return ByRow(rows, max(16, min(step, power_of_two(length))), 3, (None, None))
    rows, step = 1 if alone and length >= 3072 else 2, min(1024, power_of_two(length))
    return ByRow(rows, step, 8, (count if count % rows == 0 else None, known))


class Cuts:
    """Partitions by what they say, each worked out once: the next array is cut the same way."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], Any] = {}

    def __call__(self, array: Any, tile: tuple[int, ...], **options: Any) -> Any:
        """`fh.partition(array, tile, **options)`; None where there is no array, which a call leaves out."""
        if array is None:
            return None
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
