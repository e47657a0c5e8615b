"""
Sums of which it does not matter whether they are of a whole or of its parts: those that go to an accumulator, to which
all tile blocks add.
"""

from __future__ import annotations

from typing import Final

from xdsl.ir import Operation, SSAValue

from freehold.dialects.cuda_tile.integers import element_width
from freehold.dialects.cuda_tile.ops.arith_float import AddFOp, MaxFOp, MinFOp
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, AndIOp, MaxIOp, MinIOp, OrIOp
from freehold.dialects.cuda_tile.ops.conversion import ExtIOp, FToFOp, IToFOp
from freehold.dialects.cuda_tile.ops.reduce import ReduceOp, ScanOp
from freehold.dialects.cuda_tile.ops.shape import BroadcastOp, ReshapeOp
from freehold.dialects.cuda_tile.types import ELEMENT_BITS, MAX_TILE_ELEMENTS, TileType, element_name
from freehold.dialects.ownership import AccessOp, Update

_MOST_BITS: Final = MAX_TILE_ELEMENTS.bit_length() - 1
"""By how many bits a sum of a tile's elements may be longer than they are."""


def adds(op: ReduceOp | ScanOp) -> bool:
    """Whether it is a sum."""
    ops = [*op.regions[0].block.ops]
    return len(ops) == 2 and isinstance(ops[0], AddFOp | AddIOp)


def repeats(op: ReduceOp | ScanOp) -> bool:
    """Whether it gives what it is given many times, as an extremum does."""
    ops = [*op.regions[0].block.ops]
    return len(ops) == 2 and isinstance(ops[0], MaxFOp | MinFOp | MaxIOp | MinIOp | AndIOp | OrIOp)


def only_added(value: SSAValue) -> bool:
    """Whether a sum goes nowhere but to sums that all tile blocks share: then it may as well be of parts."""
    users = [use.operation for use in value.uses]
    return bool(users) and all(
        (isinstance(u, AccessOp) and u.commuting is Update.ADD and _only_updates(u, value))
        or (passes_sums(u) and only_added(u.results[0]))
        for u in users
    )


def _only_updates(op: AccessOp, value: SSAValue) -> bool:
    """Whether an update adds a value, and neither is at a place that it tells nor chosen by it."""
    return [operand for operand in op.operands if operand is value] == [op.value]


def passes_sums(op: Operation) -> bool:
    """Whether an operation gives a sum of what it makes of parts, where it is given their sum."""
    match op:
        case FToFOp():
            # A sum of many 16-bit floats may be infinite where those of their parts are not.
            return _is_wide(op.from_) and _stays_finite(op.results[0])
        case IToFOp():
            return _never_wraps(op.from_) and _stays_finite(op.results[0])
        case ReduceOp():
            return len(op.operands) == 1 and adds(op)
        case _:
            return isinstance(op, ReshapeOp | BroadcastOp)


def _is_wide(value: SSAValue) -> bool:
    """Whether a sum is of floats of 32 bits or more."""
    return isinstance(value.type, TileType) and ELEMENT_BITS[element_name(value.type.element_type)] >= 32


def _stays_finite(value: SSAValue) -> bool:
    """Whether a converted sum is no more often infinite than what it is added to: it is wide, or added as it is."""
    users = [use.operation for use in value.uses]
    return _is_wide(value) or all(
        isinstance(u, AccessOp) or (isinstance(u, ReshapeOp | BroadcastOp) and _stays_finite(u.results[0]))
        for u in users
    )


def _never_wraps(value: SSAValue) -> bool:
    """Whether sums within a tile are of integers that were narrower, so that they are exact."""
    owner = value.owner
    if isinstance(owner, ExtIOp):
        narrow, wide = element_width(owner.from_.type), element_width(owner.to.type)
        return narrow is not None and wide is not None and narrow + _MOST_BITS < wide
    if isinstance(owner, ReshapeOp) or (isinstance(owner, ReduceOp) and adds(owner)):
        return _never_wraps(owner.operands[0])
    return False
