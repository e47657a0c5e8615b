"""
Kernels of which the assembler (release 13.5) makes code that computes something else, as far as that is known.

**Columns** of a product whose tile is spread over the blocks of a cluster. On sm_90 four warps multiply 64 rows at
once. Where a tile has fewer rows than the warps of all blocks of its cluster multiply so, the assembler gives blocks
some of the columns each, and a part of the columns is then taken of the block's own. On an H200, 25 of 25 such kernels
were wrong, and none of more than 200 others that cut, join, turn or reshape tiles of products, or add up their rows and
columns, in clusters and without.

**Running results** (`scan`) of what was computed from a product. On an H200 all three kernels that assembled were
wrong, with eight warps and in clusters; others were refused by the assembler. So each is refused here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, IntegerType

from freehold.backend.errors import ColumnsMixed, ProductScanned

if TYPE_CHECKING:
    from xdsl.ir import Operation, SSAValue

    from freehold.dialects.cuda_tile.ops.module import EntryOp
    from freehold.dialects.cuda_tile.types import TileType

_CLUSTER: Final = "num_cta_in_cga"
WORKERS: Final = "num_worker_warps_per_cta"
_WARPS: Final = 4
"""Warps that multiply together, and as many as compute without a hint."""
_ROWS: Final = 64
"""Rows that they multiply at once."""


def wrong(bytecode: bytes, arch: str) -> list[ColumnsMixed | ProductScanned]:
    """The kernels in this bytecode that would compute something else when they are assembled for `arch`."""
    from freehold.backend.bytecode.reader import read_bytecode
    from freehold.dialects.cuda_tile.ops.module import EntryOp

    entries = [op for op in read_bytecode(bytecode).walk() if isinstance(op, EntryOp)]
    found = [(_mixes(entry, arch), _scans(entry, arch)) for entry in entries]
    return [error for errors in found for error in errors if error is not None]


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


def _scans(entry: EntryOp, arch: str) -> ProductScanned | None:
    from freehold.dialects.cuda_tile.ops.mma import Mma
    from freehold.dialects.cuda_tile.ops.reduce import ScanOp

    operations = [*entry.walk()]
    scans = [op for op in operations if isinstance(op, ScanOp)]
    if not scans:
        return None
    products: set[SSAValue] = {result for op in operations if isinstance(op, Mma) for result in op.results}
    before = -1
    while before < len(products):  # a loop carries what its body computes
        before = len(products)
        for op in operations:
            _spread(op, products)
    if not any(operand in products for op in scans for operand in op.operands):
        return None
    return ProductScanned(None, f"kernel `{entry.sym_name.data}`", arch)


def _spread(op: Operation, products: set[SSAValue]) -> None:
    """Adds what an operation computes to those values that products go into: not by way of memory."""
    from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, IfOp, YieldOp
    from freehold.dialects.cuda_tile.ops.views import Ordered

    if isinstance(op, Ordered) or products.isdisjoint(op.operands):
        return
    into: Operation | None = op
    if isinstance(op, (BreakOp, ContinueOp, YieldOp)):
        into = op.parent_op()
        while isinstance(into, IfOp) and not isinstance(op, YieldOp):  # a loop may be left from within
            into = into.parent_op()
    if into is not None:
        products.update(into.results, *(block.args for region in into.regions for block in region.blocks))


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
