"""
Kernels of which the assembler (release 13.5) makes code that computes something else, as far as that is known.

**Columns** of a product whose tile is spread over the blocks of a cluster. On sm_90 four warps multiply 64 rows at
once. Where a tile has fewer rows than the warps of all blocks of its cluster multiply so, the assembler gives blocks
some of the columns each, and a part of the columns is then taken of the block's own. On an H200, 25 of 25 such kernels
were wrong, and none of more than 200 others that cut, join, turn or reshape tiles of products, or add up their rows and
columns, in clusters and without.

**Running results** (`scan`) of what was computed from a product. On an H200 all three kernels that assembled were
wrong, with eight warps and in clusters; others were refused by the assembler. So each is refused here.

**Tiles of unpacked numbers** that a turn of a loop hands on from one variable to another. On an H200 the loop was left
out of 12 of 16 such kernels, which computed with the tiles of the last turns alone; where nothing was unpacked all 44
were right, and so were the four that unpacked and handed nothing on.

**Tiles and numbers** that a turn of a `for` hands on from one variable to another, as `a, b = b, t` does: behind the
loop what is in the second is taken for what was in the first, whatever the number of turns. On an H200 162 of 186 such
kernels were wrong, of four dtypes, and 18 of 21 that hand numbers on which they load. All 48 that only exchange tiles
were right, and 24 whose tiles are used in the turns alone. So were loops that load nothing, but for 8 of 160. Where
two variables get one value in a turn, and began with others, one is taken for the other in loops of any kind.

**Tiles that are stored twice**, and reduced along an axis: the accelerator stores what it has loaded from where it
lies, where what is computed may lie by then. On an H200 23 of 43 such kernels were wrong, of tiles with 32 rows and
more, and none of 39 whose tiles threads move or that run in clusters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, IntegerType

from freehold.backend.errors import ColumnsMixed, ProductScanned, TileMistaken, TileOverwritten, UnpackedHandedOn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xdsl.ir import Operation, SSAValue

    from freehold.dialects.cuda_tile.attrs import OptimizationHintsAttr
    from freehold.dialects.cuda_tile.ops.control_flow import ContinueOp, ForOp, LoopOp
    from freehold.dialects.cuda_tile.ops.module import EntryOp
    from freehold.dialects.cuda_tile.types import TileType

_CLUSTER: Final = "num_cta_in_cga"
WORKERS: Final = "num_worker_warps_per_cta"
_WARPS: Final = 4
"""Warps that multiply together, and as many as compute without a hint."""
_ROWS: Final = 64
"""Rows that they multiply at once."""


Wrong = ColumnsMixed | ProductScanned | UnpackedHandedOn | TileMistaken | TileOverwritten


def wrong(bytecode: bytes, arch: str) -> list[Wrong]:
    """The kernels in this bytecode that would compute something else when they are assembled for `arch`."""
    from freehold.backend.bytecode.reader import read_bytecode
    from freehold.dialects.cuda_tile.ops.module import EntryOp

    entries = [op for op in read_bytecode(bytecode).walk() if isinstance(op, EntryOp)]
    found: list[Wrong | None] = []
    for entry in entries:
        operations = [*entry.walk()]
        found += (look(entry, operations, arch) for look in (_mixes, _scans, _hands_on, _mistakes, _overwrites))
    return [error for error in found if error is not None]


def _mixes(entry: EntryOp, operations: Sequence[Operation], arch: str) -> ColumnsMixed | None:
    from freehold.dialects.cuda_tile.ops.mma import Mma
    from freehold.dialects.cuda_tile.ops.shape import ExtractOp

    blocks, warps = hint_of(entry, arch, _CLUSTER, 1), hint_of(entry, arch, WORKERS, _WARPS)
    least = _ROWS * max(1, warps // _WARPS) * blocks
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
    products = _reached(operations, Mma)
    if not any(operand in products for op in scans for operand in op.operands):
        return None
    return ProductScanned(None, f"kernel `{entry.sym_name.data}`", arch)


def _hands_on(entry: EntryOp, operations: Sequence[Operation], arch: str) -> UnpackedHandedOn | None:
    from freehold.dialects.cuda_tile.ops.control_flow import ContinueOp
    from freehold.dialects.cuda_tile.ops.shape import UnpackOp

    unpacked = _reached(operations, UnpackOp)
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
        for number in used:
            for other in range(len(values)):
                began_alike = loop.initValues[number] is loop.initValues[other]
                if values[number] is values[other] and not began_alike and _is_tile(values[number]):
                    return True
    return False


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


def _overwrites(entry: EntryOp, operations: Sequence[Operation], arch: str) -> TileOverwritten | None:
    from freehold.dialects.cuda_tile.ops.reduce import ReduceOp, ScanOp
    from freehold.dialects.cuda_tile.ops.shape import ReshapeOp
    from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp, StoreViewTkoOp

    def by_threads(op: LoadViewTkoOp | StoreViewTkoOp) -> bool:
        return any(_said(op.optimization_hints, place, "allow_tma") == 0 for place in (arch, "default"))

    for op in operations:
        if not isinstance(op, LoadViewTkoOp):
            continue
        stores: list[StoreViewTkoOp] = []
        reduced, todo = False, [op.results[0]]
        while todo:
            for use in todo.pop().uses:
                user = use.operation
                if isinstance(user, ReshapeOp):
                    todo.append(user.result)
                elif isinstance(user, StoreViewTkoOp):
                    stores.append(user)
                reduced |= isinstance(user, ReduceOp | ScanOp)
        if reduced and len(stores) > 1 and not all(map(by_threads, (op, *stores))):
            return TileOverwritten(None, f"kernel `{entry.sym_name.data}`", arch, len(stores))
    return None


def _is_path(sources: dict[int, int], number: int) -> bool:
    """Whether what a variable gets from others comes, in the end, from one that gets a new value."""
    seen: set[int] = set()
    while number in sources and number not in seen:
        seen.add(number)
        number = sources[number]
    return number not in sources


def _reached(operations: Sequence[Operation], kind: type[Operation]) -> set[SSAValue]:
    """The values that results of operations of a kind go into: not by way of memory."""
    found: set[SSAValue] = {result for op in operations if isinstance(op, kind) for result in op.results}
    before = -1 if found else 0
    while before < len(found):  # a loop carries what its body computes
        before = len(found)
        for op in operations:
            if not found.isdisjoint(op.operands):
                found.update(into for value, into in _goes_into(op) if value in found)
    return found


def _goes_into(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The operands of an operation, each with the values that it goes into."""
    from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, ForOp, IfOp, LoopOp, YieldOp
    from freehold.dialects.cuda_tile.ops.views import Ordered

    if isinstance(op, (ForOp, LoopOp)):
        yield from zip(op.initValues, op.carried, strict=True)
        if isinstance(op, ForOp):  # without a turn
            yield from zip(op.initValues, op.results, strict=True)
            yield from ((bound, op.block.args[0]) for bound in op.operands[:3])
    elif isinstance(op, ContinueOp):
        yield from zip(op.operands, op.loop.carried, strict=True)
        if isinstance(op.loop, ForOp):
            yield from zip(op.operands, op.loop.results, strict=True)
    elif isinstance(op, BreakOp):
        yield from zip(op.operands, op.loop.results, strict=True)
    elif isinstance(op, YieldOp) and isinstance(op.parent_op(), IfOp):
        yield from zip(op.operands, cast("IfOp", op.parent_op()).results, strict=True)
    elif not isinstance(op, (Ordered, IfOp)):
        around = cast("Operation", op.parent_op()) if isinstance(op, YieldOp) else op
        for value in op.operands:
            yield from ((value, result) for result in around.results)
            yield from ((value, arg) for region in around.regions for block in region.blocks for arg in block.args)


def hint_of(entry: EntryOp, arch: str, name: str, otherwise: int) -> int:
    """A hint of a kernel for an architecture, or for all, or what is so without it."""
    for place in (arch, "default"):
        if (said := _said(entry.optimization_hints, place, name)) is not None:
            return said
    return otherwise


def _said(hints: OptimizationHintsAttr | None, arch: str, name: str) -> int | None:
    """What a hint says for an architecture; a truth value is 0 or 1."""
    if hints is None:
        return None
    said = cast("DictionaryAttr", hints.hints.data.get(arch, DictionaryAttr({}))).data.get(name)
    return cast("IntegerAttr[IntegerType]", said).value.data if isinstance(said, IntegerAttr) else None
