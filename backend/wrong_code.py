"""
Kernels of which the assembler (release 13.5) makes code that computes something else, as far as that is known.

What is known of each, and on how many kernels it was seen, stands with its error (`backend.errors.wrong_code`):

- columns of a product that the blocks of a cluster share (O415, `_mixes`);
- running results of what was computed from a product, or that a product is added to (O416, `_scans`);
- unpacked tiles that a turn of a loop hands on to another variable (O418, `_hands_on`);
- tiles and numbers that a turn hands on so, and that are used behind the loop (O419, `_mistakes`);
- tiles that are stored twice as they were loaded (O420, `_misplaces`);
- tiles that a turn hands on with their axes permuted (O421, `_turns`);
- elements that threads load of a tile which is repeated behind its last axis (O423, `backend.wrong_loads`);
- whatever clusters do that is not known to be right (O422, `backend.wrong_clusters`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from freehold.backend.errors.wrong_code import (
    ClusterInDoubt,
    ColumnsMixed,
    ProductScanned,
    TileMisplaced,
    TileMisread,
    TileMistaken,
    TileTurned,
    UnpackedHandedOn,
)
from freehold.backend.flow import (
    CLUSTER,
    ROWS,
    WARPS,
    WORKERS,
    by_threads,
    hint_of,
    moves,
    reached,
    reached_from,
    yielded,
)
from freehold.backend.likeness import Likeness
from freehold.backend.wrong_clusters import in_doubt
from freehold.backend.wrong_loads import misread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Operation, SSAValue

    from freehold.dialects.cuda_tile.ops.control_flow import ContinueOp, ForOp, LoopOp
    from freehold.dialects.cuda_tile.ops.module import EntryOp
    from freehold.dialects.cuda_tile.types import TileType


Wrong = (
    ColumnsMixed | ProductScanned | UnpackedHandedOn | TileMistaken | TileTurned | TileMisplaced | TileMisread
    | ClusterInDoubt
)  # fmt: skip


def wrong(bytecode: bytes, arch: str) -> list[Wrong]:
    """The kernels in this bytecode that would compute something else when they are assembled for `arch`."""
    from freehold.backend.bytecode.reader import read_bytecode
    from freehold.dialects.cuda_tile.ops.module import EntryOp

    entries = [op for op in read_bytecode(bytecode).walk() if isinstance(op, EntryOp)]
    found: list[Wrong | None] = []
    for entry in entries:
        operations = [*entry.walk()]
        looks = (_mixes, _scans, _hands_on, _mistakes, _turns, _misplaces, misread, in_doubt)
        found += (look(entry, operations, arch) for look in looks)
    return [error for error in found if error is not None]


def in_clusters(bytecode: bytes, arch: str) -> bool:
    """Whether a kernel in this bytecode is for clusters of several blocks."""
    from freehold.backend.bytecode.reader import read_bytecode
    from freehold.dialects.cuda_tile.ops.module import EntryOp

    return any(isinstance(op, EntryOp) and hint_of(op, arch, CLUSTER, 1) > 1 for op in read_bytecode(bytecode).walk())


def _mixes(entry: EntryOp, operations: Sequence[Operation], arch: str) -> ColumnsMixed | None:
    from freehold.dialects.cuda_tile.ops.mma import Mma
    from freehold.dialects.cuda_tile.ops.shape import ExtractOp

    blocks, warps = hint_of(entry, arch, CLUSTER, 1), hint_of(entry, arch, WORKERS, WARPS)
    least = ROWS * max(1, warps // WARPS) * blocks
    rows, cut = least, False
    for op in operations:
        if isinstance(op, Mma):
            rows = min(rows, cast("TileType", op.operands[2].type).dims[-2])
        elif isinstance(op, ExtractOp):
            source, result = (cast("TileType", value.type).dims for value in (op.source, op.result))
            cut |= len(source) > 1 and result[-1] < source[-1]
    if blocks < 2 or rows >= least or not cut:
        return None
    return ColumnsMixed(None, f"kernel `{entry.sym_name.data}`", arch, rows, least, blocks, warps)


def _scans(entry: EntryOp, operations: Sequence[Operation], arch: str) -> ProductScanned | None:
    from freehold.dialects.cuda_tile.ops.mma import Mma
    from freehold.dialects.cuda_tile.ops.reduce import ScanOp

    scans = [op for op in operations if isinstance(op, ScanOp)]
    if not scans:
        return None
    products = reached(operations, Mma)
    scanned = reached_from({result for op in scans for result in op.results}, operations, (Mma,))
    added_to = any(isinstance(op, Mma) and op.operands[2] in scanned for op in operations)
    if not added_to and not any(operand in products for op in scans for operand in op.operands):
        return None
    return ProductScanned(None, f"kernel `{entry.sym_name.data}`", arch)


def _hands_on(entry: EntryOp, operations: Sequence[Operation], arch: str) -> UnpackedHandedOn | None:
    from freehold.dialects.cuda_tile.ops.control_flow import ContinueOp, ForOp, LoopOp, ends_of
    from freehold.dialects.cuda_tile.ops.shape import UnpackOp

    unpacked = reached(operations, UnpackOp)
    for loop in operations:
        if not isinstance(loop, ForOp | LoopOp):
            continue
        tiles = [n for n, value in enumerate(loop.carried) if value in unpacked and cast("TileType", value.type).dims]
        if len(tiles) < 2:
            continue
        likeness = Likeness(loop.block)
        given = likeness.carried(loop)
        for way in ends_of(loop, ContinueOp):
            if any(likeness.may_be(way.operands[n], [given[m] for m in tiles if m != n]) for n in tiles):
                return UnpackedHandedOn(None, f"kernel `{entry.sym_name.data}`", arch)
    return None


def _mistakes(entry: EntryOp, operations: Sequence[Operation], arch: str) -> TileMistaken | None:
    from freehold.dialects.cuda_tile.ops.control_flow import ContinueOp

    ends: dict[ForOp | LoopOp, list[ContinueOp]] = {}
    for op in operations:
        if isinstance(op, ContinueOp):
            ends.setdefault(op.loop, []).append(op)
    if any(_loop_mistakes(loop, ways) for loop, ways in ends.items()):
        return TileMistaken(None, f"kernel `{entry.sym_name.data}`", arch)
    return None


def _loop_mistakes(loop: ForOp | LoopOp, ways: Sequence[ContinueOp]) -> bool:
    """Whether one of a loop's values would be taken for another."""
    from freehold.dialects.cuda_tile.ops.control_flow import ForOp

    used = _taken(loop)
    tiles = [number for number, value in enumerate(loop.carried) if _is_tile(value)]
    if not used or len(tiles) < 2:
        return False
    likeness = Likeness(loop.block, loops=False)  # what loops inside hand on was right
    given = likeness.carried(loop)
    for way in ways:
        values = {number: likeness.of(way.operands[number]) for number in tiles}
        others = {n: [m for m in tiles if m != n and likeness.may_be(way.operands[n], [given[m]])] for n in tiles}
        if isinstance(loop, ForOp):
            sources = {n: found[0] for n, found in others.items() if found and len(values[n]) == 1}
            if any(n in used and (len(ways) > 1 or _is_path(sources, n)) for n in sources):
                return True
            if any(n in used and others[n] and n not in sources for n in tiles):  # by an `if`
                return True
        for n in used.intersection(tiles):
            for m in tiles:
                if loop.initValues[n] is not loop.initValues[m] and _alike(way.operands[n], way.operands[m], likeness):
                    return True
    return False


def _alike(one: SSAValue, other: SSAValue, likeness: Likeness) -> bool:
    """Whether two values are the same, whichever way a turn goes."""
    if one.owner is other.owner and (ways := [*zip(yielded(one), yielded(other), strict=True)]):
        return all(_alike(a, b, likeness) for a, b in ways)
    return likeness.alike(one, other)


def _is_tile(value: SSAValue) -> bool:
    from freehold.dialects.cuda_tile.types import TileType

    return isinstance(value.type, TileType)


def _taken(loop: ForOp | LoopOp) -> set[int]:
    """Which of a loop's values are used behind it."""
    from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ForOp

    if isinstance(loop, ForOp):
        return {number for number in range(len(loop.carried)) if loop.results[number].first_use is not None}
    carried: list[SSAValue] = [*loop.carried]
    ways = [op for op in loop.walk() if isinstance(op, BreakOp) and op.loop is loop]
    return {
        carried.index(value)
        for way in ways
        for value, result in zip(way.operands, loop.results, strict=True)
        if value in carried and result.first_use is not None
    }


def _turns(entry: EntryOp, operations: Sequence[Operation], arch: str) -> TileTurned | None:
    from freehold.dialects.cuda_tile.ops.control_flow import ForOp
    from freehold.dialects.cuda_tile.ops.shape import PermuteOp

    if any(isinstance(loop, ForOp) and moves(loop, (PermuteOp,)) for loop in operations):
        return TileTurned(None, f"kernel `{entry.sym_name.data}`", arch)
    return None


def _misplaces(entry: EntryOp, operations: Sequence[Operation], arch: str) -> TileMisplaced | None:
    from freehold.dialects.cuda_tile.ops.mma import Mma
    from freehold.dialects.cuda_tile.ops.reduce import ReduceOp, ScanOp
    from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp, StoreViewTkoOp

    if not any(isinstance(op, ReduceOp | ScanOp | Mma) for op in operations):
        return None
    stores = [op for op in operations if isinstance(op, StoreViewTkoOp)]
    loads = [op for op in operations if isinstance(op, LoadViewTkoOp) and not by_threads(op, arch)]
    if len(stores) < 2 or not loads:
        return None
    likeness = Likeness(entry.body.block)
    for load in loads:
        count = sum(likeness.may_be(store.tile, likeness.of(load.results[0])) for store in stores)
        if count > 1:
            return TileMisplaced(None, f"kernel `{entry.sym_name.data}`", arch, count)
    return None


def _is_path(sources: dict[int, int], number: int) -> bool:
    """Whether what a variable gets from others comes, in the end, from one that gets a new value."""
    seen: set[int] = set()
    while number in sources and number not in seen:
        seen.add(number)
        number = sources[number]
    return number not in sources
