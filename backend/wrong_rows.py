"""
Rows that the blocks of a cluster share, and for whose bytes their code waits wrongly (O414).

Where several blocks of a cluster need the same tile, for a product or with one, each of them has the tensor memory
accelerator load a part of it for all. A load brings at most 256 numbers of an axis, so the assembler cuts a longer row
first into pieces of 256 and then each piece into a part for each block. But the descriptor of the loads, which says how
much each brings, it makes for the whole row's part. So they bring more than the code waits for: of 512 numbers in a
cluster of four, which each block needs whole, 128 a load instead of 64. Tiles of several rows are cut otherwise.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final, cast

from freehold.backend.errors import NeverEnds
from freehold.backend.flow import CLUSTER, by_threads, hint_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Operation

    from freehold.dialects.cuda_tile.ops.module import EntryOp
    from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp
    from freehold.dialects.cuda_tile.types import TileType

_AT_ONCE: Final = 256
"""Numbers along an axis that one load by the tensor memory accelerator can bring."""


def overfull(entry: EntryOp, operations: Sequence[Operation], arch: str) -> NeverEnds | None:
    """The error for a kernel with such a row, or None."""
    loads = shared_rows(entry, operations, arch)
    if not loads:
        return None
    length = max(cast("TileType", load.results[0].type).dims[-1] for load in loads)
    error = NeverEnds(None, f"kernel `{entry.sym_name.data}`", arch)
    return error.add(error.Shared(hint_of(entry, arch, CLUSTER, 1), length), error.LoadOtherwise())


def shared_rows(entry: EntryOp, operations: Sequence[Operation], arch: str) -> list[LoadViewTkoOp]:
    """
    The loads of rows that blocks may share so. Whether they do is the assembler's choice: of products of `f32`, and of
    rows of bytes in large clusters, it has each block load what it needs itself.
    """
    from freehold.dialects.cuda_tile.ops.mma import Mma
    from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp

    if hint_of(entry, arch, CLUSTER, 1) < 2 or not any(isinstance(op, Mma) for op in operations):
        return []
    return [op for op in operations if isinstance(op, LoadViewTkoOp) and _is_long(op) and not by_threads(op, arch)]


def _is_long(load: LoadViewTkoOp) -> bool:
    """Whether a tile is one row, and more than a load can bring."""
    dims = cast("TileType", load.results[0].type).dims
    return max(dims, default=1) == prod(dims) > _AT_ONCE
