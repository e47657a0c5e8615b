"""
Kernels for clusters of blocks that are not of a kind which is known to be right (O422).

Elsewhere what is known to be wrong is refused, and here what is not known to be right: what decides was looked for, and
not found. How a tile lies in the blocks of a cluster is the assembler's choice, and where it moves parts of one from
block to block for tiles to lie alike, it leaves some out. So tiles that are reduced may meet those alone that should
lie as they do: loaded in the same way, or computed from products.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final, cast

from xdsl.ir import Operation

from freehold.backend.errors.wrong_code import ClusterInDoubt
from freehold.backend.flow import (
    CLUSTER,
    ROWS,
    WARPS,
    WORKERS,
    by_threads,
    elements,
    goes_into,
    hint_of,
    moves,
    reached,
    reached_from,
    yielded,
)
from freehold.backend.likeness import Likeness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Block, SSAValue

    from freehold.dialects.cuda_tile.ops.control_flow import ForOp, LoopOp
    from freehold.dialects.cuda_tile.ops.module import EntryOp
    from freehold.dialects.cuda_tile.types import TileType

_ROW: Final = 4096
"""Elements of a tile of a row that is reduced, at least."""
_OF_A_BLOCK: Final = 1024
"""Elements of it that each block has, at least."""
_NEIGHBOURS: Final = 8
"""Elements of a row that one thread has."""


def in_doubt(entry: EntryOp, operations: Sequence[Operation], arch: str) -> ClusterInDoubt | None:
    """Whether a kernel is for clusters of blocks, and not of the kinds that are known to be right there."""
    from freehold.dialects.cuda_tile.ops.control_flow import ForOp, LoopOp
    from freehold.dialects.cuda_tile.ops.mma import Mma

    blocks, warps = hint_of(entry, arch, CLUSTER, 1), hint_of(entry, arch, WORKERS, WARPS)
    if blocks < 2:
        return None
    least = ROWS * max(1, warps // WARPS) * blocks
    rows = min((cast("TileType", op.operands[2].type).dims[-2] for op in operations if isinstance(op, Mma)), default=0)
    if 0 < rows < (least if _multiplies_products(operations) else ROWS):
        what = f"it has a product of {rows} rows, and the {blocks} blocks together multiply {least} at once"
    elif not _reduces_rows(operations, arch, blocks, warps, products=rows >= least):
        what = "it reduces tiles that are neither long rows, one at a time, nor rows of a product"
    elif any(isinstance(op, ForOp | LoopOp) and _hands_others_on(op) for op in operations):
        what = "a loop hands a tile on that its turn did not compute of what the variable had"
    else:
        return None
    return ClusterInDoubt(None, f"kernel `{entry.sym_name.data}`", arch, what)


def _multiplies_products(operations: Sequence[Operation]) -> bool:
    """Whether what was computed of a product is a factor of another one."""
    from freehold.dialects.cuda_tile.ops.mma import Mma

    products = reached(operations, Mma)
    return any(isinstance(op, Mma) and not products.isdisjoint(op.operands[:2]) for op in operations)


def _hands_others_on(loop: ForOp | LoopOp) -> bool:
    """Whether a turn gives a tile's variable anything but what it has, or is computed of that with no part moved."""
    from freehold.dialects.cuda_tile.ops.control_flow import ContinueOp, ends_of
    from freehold.dialects.cuda_tile.ops.shape import CatOp, ExtractOp, PermuteOp, ReshapeOp

    likeness = Likeness(loop.block)
    given = dict(zip(loop.carried, likeness.carried(loop), strict=True))
    for number, place in enumerate(loop.carried):
        if elements(place) < 2:
            continue
        of_it: set[SSAValue] = {place}
        _add_computed(loop.block, of_it)
        others = likeness.outside | {guess for other, guess in given.items() if other is not place}
        for end in ends_of(loop, ContinueOp):
            value = end.operands[number]
            if value is place:
                continue
            reshaped = any(isinstance(one.owner, ReshapeOp) for one in (value, *yielded(value)))
            if reshaped or value not in of_it or likeness.may_be(value, others):
                return True
    return moves(loop, (CatOp, ExtractOp, PermuteOp))


def _add_computed(block: Block, values: set[SSAValue]) -> None:
    """Adds what a block computes of some values, whichever way it goes: with all branches, and in all turns."""
    from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, ForOp, IfOp, LoopOp, ends_of

    for op in block.ops:
        if isinstance(op, IfOp):
            for region in op.regions:
                for inner in region.blocks:
                    _add_computed(inner, values)
            values.update(result for result in op.results if values.issuperset(yielded(result)))
        elif isinstance(op, ForOp | LoopOp):
            kept = [n for n, value in enumerate(op.initValues) if value in values]
            turns = ends_of(op, ContinueOp)
            while True:  # until a turn keeps what is taken for kept
                computed = values | {op.carried[n] for n in kept}
                _add_computed(op.block, computed)
                left = [n for n in kept if all(end.operands[n] in computed for end in turns)]
                if left == kept:
                    break
                kept = left
            values |= computed
            if isinstance(op, ForOp):
                values.update(op.results[n] for n in kept)
            elif ends := ends_of(op, BreakOp):
                found = (all(end.operands[n] in values for end in ends) for n in range(len(op.results)))
                values.update(result for result, is_of in zip(op.results, found, strict=True) if is_of)
        elif not values.isdisjoint(op.operands):
            values.update(op.results)


def _reduces_rows(operations: Sequence[Operation], arch: str, blocks: int, warps: int, *, products: bool) -> bool:
    """
    Whether all that is reduced is a long row, or neighbours in one, or rows of products if there are some; and whether
    what is left of several elements meets only tiles of one origin.
    """
    from xdsl.dialects.builtin import Float32Type

    from freehold.dialects.cuda_tile.ops.mma import Mma
    from freehold.dialects.cuda_tile.ops.reduce import ReduceOp

    reduced: set[SSAValue] = set()
    comes_from = _origins(operations, arch)
    longest = max((elements(value) for op in operations for value in op.results), default=0)
    for op in operations:
        if not isinstance(op, ReduceOp):
            continue
        kind = cast("TileType", op.operands[0].type)
        if op.dim.value.data + 1 < len(kind.dims):
            return False
        long = longest >= max(_ROW, _OF_A_BLOCK * blocks)
        row = long and prod(kind.dims[:-1]) == 1
        neighbours = long and len(kind.dims) > 2 and prod(kind.dims[:-2]) == 1 and kind.dims[-1] == _NEIGHBOURS
        neighbours &= longest >= _NEIGHBOURS * 32 * warps * blocks and isinstance(kind.element_type, Float32Type)
        of_product = products and all(comes_from.get(value, frozenset()) <= {Mma} for value in op.operands)
        if not (row or neighbours or of_product):
            return False
        reduced.update(value for value in op.results if elements(value) > 1)
    reduced = reached_from(reduced, operations, (Mma,))
    for op in operations:
        if not isinstance(op, Mma) and op.results and not reduced.isdisjoint(op.operands):
            kinds = set[object]().union(*(comes_from.get(value, frozenset()) for value in op.operands))
            if len(kinds) > 1:
                return False
    return True


def _origins(operations: Sequence[Operation], arch: str) -> dict[SSAValue, frozenset[object]]:
    """Of which loads the tiles of several elements are computed; what products give comes of products."""
    from freehold.dialects.cuda_tile.ops.mma import Mma
    from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp, Ordered

    found: dict[SSAValue, frozenset[object]] = {}
    for op in operations:
        if isinstance(op, Mma):
            found[op.results[0]] = frozenset((Mma,))
        elif isinstance(op, Ordered) and op.results and elements(op.results[0]) > 1:
            found[op.results[0]] = frozenset(((type(op), isinstance(op, LoadViewTkoOp) and by_threads(op, arch)),))
    changes = True
    while changes:  # a loop carries what its body computes
        changes = False
        for op in operations:
            if isinstance(op, Mma):
                continue
            for value, into in goes_into(op):
                more = found.get(value)
                if more and elements(into) > 1 and not more <= found.get(into, frozenset()):
                    found[into] = found.get(into, frozenset()) | more
                    changes = True
    return found
