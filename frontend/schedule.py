"""How the work of a launch is cut and ordered: data that the host builds and the frontend writes into the IR."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Order:
    """In which order the regions of a partition are handed to tile blocks. Results never depend on it."""

    kind: Literal["row", "column", "grouped"]
    size: int = 1
    """Rows of a band, where `kind` is `grouped`."""

    def __str__(self) -> str:
        return f"grouped({self.size})" if self.kind == "grouped" else self.kind.upper()

    def __repr__(self) -> str:
        return f"freehold.{self}"


ROW: Final = Order("row")
"""The last axis runs fastest."""

COLUMN: Final = Order("column")
"""The first axis runs fastest."""


def grouped(size: int) -> Order:
    """
    Bands of `size` rows of the last two axes, each walked column by column, so that blocks that run at the same time
    share operands in the L2 cache.

    Raises `ValueError` unless `size` is at least 1.
    """
    if size < 1:
        raise ValueError(f"a band has at least one row, not {size}")
    return Order("grouped", size)


class Blocks(Enum):
    """How many tile blocks a launch has."""

    EACH = "each"
    """One block a region."""
    PERSISTENT = "persistent"
    """As many as the GPU holds at once; each takes regions in turn."""

    def __repr__(self) -> str:
        return f"freehold.{self.name}"


EACH: Final = Blocks.EACH
PERSISTENT: Final = Blocks.PERSISTENT


@dataclass(frozen=True, slots=True)
class PartitionSpec:
    """
    A partition without its tensor: what a kernel is specialised to.

    Region `(i, j)` begins at element `(i * step[0], j * step[1])` and has `tile` elements, less what overhangs.
    """

    tile: tuple[int, ...]
    step: tuple[int, ...]
    order: Order = ROW
    blocks: Blocks = EACH
