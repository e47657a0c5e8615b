"""
Kernels of which the assembler (release 13.5) makes code that computes something else, as far as that is known.

What is known of each, and on how many kernels it was seen, stands with its error (`backend.errors`):

- columns of a product that the blocks of a cluster share (O415, `_mixes`);
- running results of what was computed from a product (O416, `_scans`);
- unpacked tiles that a turn of a loop hands on to another variable (O418, `_hands_on`);
- tiles and numbers that a turn hands on so, and that are used behind the loop (O419, `_mistakes`);
- tiles that are stored twice as they were loaded (O420, `_misplaces`);
- tiles that a turn hands on with their axes permuted (O421, `_turns`);
- whatever clusters do that is not known to be right (O422, `backend.wrong_clusters`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from freehold.backend.errors import (
    ClusterInDoubt,
    ColumnsMixed,
    ProductScanned,
    TileMisplaced,
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
from freehold.backend.wrong_clusters import in_doubt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Operation, SSAValue

    from freehold.dialects.cuda_tile.ops.control_flow import ContinueOp, ForOp, LoopOp
    from freehold.dialects.cuda_tile.ops.module import EntryOp
    from freehold.dialects.cuda_tile.types import TileType


Wrong = ColumnsMixed | ProductScanned | UnpackedHandedOn | TileMistaken | TileTurned | TileMisplaced | ClusterInDoubt


def wrong(bytecode: bytes, arch: str) -> list[Wrong]:
    """The kernels in this bytecode that would compute something else when they are assembled for `arch`."""
    from freehold.backend.bytecode.reader import read_bytecode
    from freehold.dialects.cuda_tile.ops.module import EntryOp

    entries = [op for op in read_bytecode(bytecode).walk() if isinstance(op, EntryOp)]
    found: list[Wrong | None] = []
    for entry in entries:
        operations = [*entry.walk()]
        looks = (_mixes, _scans, _hands_on, _mistakes, _turns, _misplaces, in_doubt)
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
    if not any(operand in products for op in scans for operand in op.operands):
        return None
    return ProductScanned(None, f"kernel `{entry.sym_name.data}`", arch)


def _hands_on(entry: EntryOp, operations: Sequence[Operation], arch: str) -> UnpackedHandedOn | None:
    from freehold.dialects.cuda_tile.ops.control_flow import ContinueOp
    from freehold.dialects.cuda_tile.ops.shape import UnpackOp

    unpacked = reached(operations, UnpackOp)
    for op in operations:
        if not isinstance(op, ContinueOp):
            continue
        carried = op.loop.carried
        for place, value in zip(carried, op.operands, strict=True):
            if value is not place and value in carried and value in unpacked and cast("TileType", value.type).dims:
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

    carried: list[SSAValue] = [*loop.carried]
    used = _taken(loop)
    for way in ways:
        values = list(way.operands)
        sources = {
            number: carried.index(value)
            for number, value in enumerate(values)
            if value in carried and value is not carried[number] and _is_tile(value)
        }
        if isinstance(loop, ForOp) and any(n in used and (len(ways) > 1 or _is_path(sources, n)) for n in sources):
            return True
        if isinstance(loop, ForOp) and any(_is_by_an_if(values[n], {*carried} - {carried[n]}) for n in used):
            return True
        for number in used:
            for other in range(len(values)):
                began_alike = loop.initValues[number] is loop.initValues[other]
                if values[number] is values[other] and not began_alike and _is_tile(values[number]):
                    return True
    return False


def _is_by_an_if(value: SSAValue, others: set[SSAValue]) -> bool:
    """Whether an `if`, or one within it, yields one of these tiles as a value."""
    return any(_is_tile(given) and (given in others or _is_by_an_if(given, others)) for given in yielded(value))


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
    from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, ForOp, LoopOp, YieldOp
    from freehold.dialects.cuda_tile.ops.conversion import BitcastOp
    from freehold.dialects.cuda_tile.ops.mma import Mma
    from freehold.dialects.cuda_tile.ops.reduce import ReduceOp, ScanOp
    from freehold.dialects.cuda_tile.ops.shape import ReshapeOp
    from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp, StoreViewTkoOp

    hand_on = (ReshapeOp, BitcastOp, ForOp, LoopOp, ContinueOp, BreakOp, YieldOp)
    if not any(isinstance(op, ReduceOp | ScanOp | Mma) for op in operations):
        return None

    others = tuple({type(op) for op in operations if not isinstance(op, hand_on)})
    stores = [op for op in operations if isinstance(op, StoreViewTkoOp)]
    for op in operations:
        if isinstance(op, LoadViewTkoOp) and not by_threads(op, arch):
            same = reached_from({op.results[0]}, operations, others)
            count = sum(store.tile in same for store in stores)
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
