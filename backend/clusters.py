"""
Code that mixes columns up: tiles of a product that are spread over the blocks of a cluster, and cut by columns.

On sm_90 four warps multiply 64 rows at once. Where a tile has fewer rows than the warps of all blocks of its cluster
multiply so, the assembler (release 13.5) gives blocks some of the columns each, and a part of the columns is then taken
of the block's own. On an H200, 25 of 25 such kernels were wrong, and none of more than 200 others that cut, join, turn
or reshape tiles of products, or add up their rows and columns, in clusters and without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, IntegerType

from freehold.backend.errors import ColumnsMixed

if TYPE_CHECKING:
    from freehold.dialects.cuda_tile.ops.module import EntryOp
    from freehold.dialects.cuda_tile.types import TileType

_CLUSTER: Final = "num_cta_in_cga"
WORKERS: Final = "num_worker_warps_per_cta"
_WARPS: Final = 4
"""Warps that multiply together, and as many as compute without a hint."""
_ROWS: Final = 64
"""Rows that they multiply at once."""


def mixing(bytecode: bytes, arch: str) -> list[ColumnsMixed]:
    """The kernels in this bytecode that would take the wrong columns of a product for `arch`."""
    if _CLUSTER.encode() not in bytecode:
        return []
    from freehold.backend.bytecode.reader import read_bytecode
    from freehold.dialects.cuda_tile.ops.module import EntryOp

    entries = [op for op in read_bytecode(bytecode).walk() if isinstance(op, EntryOp)]
    return [error for entry in entries if (error := _mixes(entry, arch)) is not None]


def _mixes(entry: EntryOp, arch: str) -> ColumnsMixed | None:
    from freehold.dialects.cuda_tile.ops.mma import Mma
    from freehold.dialects.cuda_tile.ops.shape import ExtractOp

    blocks, warps = hint_of(entry, arch, _CLUSTER, 1), hint_of(entry, arch, WORKERS, _WARPS)
    least = _ROWS * max(1, warps // _WARPS) * blocks
    rows, cut = least, False
    for op in entry.walk():
        if isinstance(op, Mma):
            rows = min(rows, cast("TileType", op.operands[2].type).dims[-2])
        elif isinstance(op, ExtractOp):
            source, result = (cast("TileType", value.type).dims for value in (op.source, op.result))
            cut |= len(source) > 1 and result[-1] < source[-1]
    if blocks < 2 or rows >= least or not cut:
        return None
    return ColumnsMixed(None, f"kernel `{entry.sym_name.data}`", arch, rows, least, blocks, warps)


def hint_of(entry: EntryOp, arch: str, name: str, otherwise: int) -> int:
    """A hint of a kernel for an architecture, or for all, or what is so without it."""
    if entry.optimization_hints is None:
        return otherwise
    by_arch = entry.optimization_hints.hints.data
    for place in (arch, "default"):
        said = cast("DictionaryAttr", by_arch.get(place, DictionaryAttr({}))).data.get(name)
        if isinstance(said, IntegerAttr):
            return cast("IntegerAttr[IntegerType]", said).value.data
    return otherwise
