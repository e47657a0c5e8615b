"""
Tiles whose elements threads would load from wrong places (O423).

The assembler lays a tile out over the threads of a block. Where one of fewer axes meets it, repeated along an axis that
it lacks, each thread needs some elements of that one, and the assembler may load them once more as they are needed. If
the axis that it lacks is behind its last one, a thread has elements there that lie as many apart as there are warps;
with an axis in front of that one, it loads them as neighbours. What is known of it stands with the error.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final, cast

from freehold.backend.errors.wrong_code import TileMisread
from freehold.backend.flow import WARPS, WORKERS, hint_of, reached_from
from freehold.dialects.cuda_tile.types import element_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Operation, SSAValue

    from freehold.dialects.cuda_tile.ops.module import EntryOp
    from freehold.dialects.cuda_tile.ops.shape import BroadcastOp
    from freehold.dialects.cuda_tile.types import TileType

_LANES: Final = 32
_SIDE_BY_SIDE: Final = 4
"""The most elements that are loaded as neighbours."""
_LARGE: Final = frozenset(("f64", "i64", "ptr"))
"""Elements of which a thread has two side by side; of others it has four, or more."""


def misread(entry: EntryOp, operations: Sequence[Operation], arch: str) -> TileMisread | None:
    """The error for a kernel with such a tile, or None."""
    from freehold.dialects.cuda_tile.ops.memory import LoadPtrTkoOp
    from freehold.dialects.cuda_tile.ops.mma import Mma
    from freehold.dialects.cuda_tile.ops.reduce import ReduceOp, ScanOp
    from freehold.dialects.cuda_tile.ops.shape import BroadcastOp
    from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp

    warps = hint_of(entry, arch, WORKERS, WARPS)
    suspects = [op for op in operations if isinstance(op, BroadcastOp) and _is_apart(op, warps)]
    if not suspects:
        return None
    loads: set[SSAValue] = {op.results[0] for op in operations if isinstance(op, LoadViewTkoOp | LoadPtrTkoOp)}
    loaded = reached_from(loads, operations, (Mma, ReduceOp, ScanOp))
    for op in suspects:
        if op.source in loaded:
            source, result = (cast("TileType", value.type).dims for value in (op.source, op.result))
            one, other = (" x ".join(str(extent) for extent in dims) for dims in (source, result))
            return TileMisread(None, f"kernel `{entry.sym_name.data}`", arch, one, other, _held(op, warps))
    return None


def _is_apart(op: BroadcastOp, warps: int) -> bool:
    """Whether a thread may have elements of the source that are taken for neighbours."""
    source, result = (cast("TileType", value.type).dims for value in (op.source, op.result))
    longer = [axis for axis, extent in enumerate(source) if extent > 1]
    if len(longer) < 2:
        return False
    last, held = longer[-1], _held(op, warps)
    behind = prod(result[last + 1 :])
    if behind == 1 or behind >= held:  # then all threads have the same elements, which are neighbours
        return False
    together = min(_SIDE_BY_SIDE, *(source[axis] for axis in longer[:-1]))
    return result[last] * behind >= together * held


def _held(op: BroadcastOp, warps: int) -> int:
    """Elements of the larger tile that the threads have at once, each those that are side by side."""
    name = element_name(op.result.type.element_type)
    return _LANES * warps * (2 if name in _LARGE else 4)
