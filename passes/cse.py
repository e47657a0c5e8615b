"""`cse`: merges operations that compute the same, keeping the first.

Scalar arithmetic, constants, views and promises are merged wherever the first dominates the second. Loads are too,
inside one block: a weak load is ordered by its token alone, so of two with the same view, index and token the second
may as well happen when the first does. Everything that writes, orders or stops is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import is_
from typing import Final

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.traits import IsolatedFromAbove, MemoryWriteEffect, is_side_effect_free

from freehold.dialects.classes import Kinds, blocks_in, erase, has_trait, operands_of, ops_of, replace_uses, type_of
from freehold.dialects.cuda_tile.attrs import WEAK
from freehold.dialects.cuda_tile.ops.misc import AssumeOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp
from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp
from freehold.dialects.ownership import AccessOp
from freehold.passes.rewriting import Effect, effect


@dataclass(frozen=True)
class CommonSubexpressionsPass(ModulePass):
    """Merges operations that compute the same."""

    name = "cse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Merges everything in the module."""
        merge_common_subexpressions(op)


def merge_common_subexpressions(root: Operation) -> None:
    """Merges what is computed twice inside `root`, in place."""
    for block in blocks_in(root):
        _block(block, {})


_READS: Final = Kinds(LoadViewTkoOp, AccessOp)
_Known = dict[tuple[object, ...], list[Operation]]


def _block(block: Block, known: _Known) -> None:
    """Merges inside a block what is known from around it; in the end `known` is as it was."""
    added: list[tuple[object, ...]] = []
    for op in ops_of(block):
        if op.regions:
            inner = {} if has_trait(type(op), IsolatedFromAbove, unregistered=True) else known
            for nested in blocks_in(op):  # those of a region with several do not dominate each other as they stand
                _block(nested, inner)
        elif _mergeable(op):
            key = _key(op)
            same = known.get(key)
            if same is None:
                known[key] = [op]
                added.append(key)
            elif (first := next((o for o in same if _equal(o, op)), None)) is not None:
                for old, new in zip(op.results, first.results, strict=True):
                    replace_uses(old, new)
                erase(op)
            else:
                same.append(op)
                added.append(key)
    for key in reversed(added):
        same = known[key]
        same.pop()
        if not same:
            del known[key]


def _mergeable(op: Operation) -> bool:
    match effect(type(op)):
        case Effect.PURE | Effect.FREE:
            return True
        case Effect.KEPT:
            return False
        case Effect.UNKNOWN:
            if isinstance(op, LoadViewTkoOp):
                return op.memory_ordering_semantics == WEAK
            if has_trait(type(op), MemoryWriteEffect):
                return False
            return isinstance(op, AssumeOp) or is_side_effect_free(op)  # as a read of what nobody writes


def _key(op: Operation) -> tuple[object, ...]:
    """What equal operations share and others rarely do. Attributes are compared, not hashed: that is cheaper."""
    kind = type(op)
    if isinstance(op, ConstantOp):
        return (ConstantOp, op.value.data.data)
    if _READS[kind]:
        return (kind, id(op.parent), *map(id, operands_of(op)))
    return (kind, *map(id, operands_of(op)))


def _equal(a: Operation, b: Operation) -> bool:
    """Whether two operations of one key are the same."""
    return (
        a.properties == b.properties
        and a.attributes == b.attributes
        and all(map(is_, operands_of(a), operands_of(b)))
        and [*map(type_of, a.results)] == [*map(type_of, b.results)]
    )
