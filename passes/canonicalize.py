"""`canonicalize`: folds what is known, takes the branch that is taken, and removes what nobody uses.

One worklist: an operation is looked at again only when one of its operands has changed, so the cost is that of one
walk. Constants end up on the right of operations that commute, which gives `cse` more to merge.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Final, cast

from xdsl.context import Context
from xdsl.dialects.builtin import UNKNOWN_LOC, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import HasCanonicalizationPatternsTrait, MemoryEffectKind, MemoryWriteEffect, get_effects

from freehold.dialects.classes import erase, has_trait, operands_of, replace_uses
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.folding import fold, literal
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, AndIOp, MulIOp, OrIOp, XOrIOp
from freehold.dialects.cuda_tile.ops.control_flow import IfOp
from freehold.dialects.cuda_tile.ops.misc import AssumeOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp
from freehold.passes.rewriting import Effect, Inserter, effect, walk

if TYPE_CHECKING:
    from xdsl.pattern_rewriter import RewritePattern

_use_of: Final = attrgetter("first_use")
_COMMUTE: Final = frozenset((AddIOp, MulIOp, AndIOp, OrIOp, XOrIOp))


@dataclass(frozen=True)
class CanonicalizePass(ModulePass):
    """Folds constants, makes conditions fewer and simpler, and removes what is not used."""

    name = "canonicalize"

    fold_integers: bool = True
    """Whether arithmetic on integers is computed; NVIDIA's `cuda-tile-opt --canonicalize` does not."""
    conditions: bool = True
    """Whether conditions are made fewer and constants gathered. Kernels are compiled without that, so that each can be
    followed from its source to what is emitted."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Canonicalises everything in the module."""
        from freehold.passes.conditions import simplify

        canonicalize(op, fold_integers=self.fold_integers)
        while self.conditions and simplify(op):
            canonicalize(op, fold_integers=self.fold_integers)


def canonicalize(root: Operation, *, fold_integers: bool = True) -> None:
    """Folds, takes branches that are known and removes what is not used inside `root`, in place. What is left of
    conditions stays as it was written; the pass goes further."""
    _Canonicalizer(root, fold_integers).run()


def removable(op: Operation) -> bool:
    """Whether `op` does nothing but make its results. A promise about a value that nobody uses is one of these."""
    match effect(type(op)):
        case Effect.PURE | Effect.FREE:
            return True
        case Effect.KEPT:
            return False
        case Effect.UNKNOWN:
            if has_trait(type(op), MemoryWriteEffect):
                return False
            effects = get_effects(op)
            read_only = effects is not None and all(e.kind is MemoryEffectKind.READ for e in effects)
            return read_only or isinstance(op, AssumeOp)


class _Canonicalizer:
    def __init__(self, root: Operation, fold_integers: bool):
        self.root = root
        self.fold_integers = fold_integers
        # Last in, first out; in reverse, so that definitions come before uses.
        self.worklist = walk(root)[:0:-1]
        self.waiting = set(map(id, self.worklist))

    def push(self, op: Operation) -> None:
        """Has `op` looked at (again)."""
        if id(op) not in self.waiting and op is not self.root:
            self.waiting.add(id(op))
            self.worklist.append(op)

    def run(self) -> None:
        """Works until nothing is left to look at."""
        while self.worklist:
            op = self.worklist.pop()
            self.waiting.discard(id(op))
            if op.parent is None:
                continue  # erased
            kind = type(op)
            made = op.results or kind is IfOp
            if made and not any(map(_use_of, op.results)) and removable(op):
                self.erase(op)
            elif (found := fold(op, integers=self.fold_integers)) is not None:
                self.replace(op, found)
            elif kind in _COMMUTE:
                commuting = cast(AddIOp, op)
                if literal(commuting.lhs) is not None and literal(commuting.rhs) is None:
                    op.operands = (commuting.rhs, commuting.lhs)
            elif patterns := _patterns(kind):
                self.rewrite(op, patterns)

    def erase(self, op: Operation) -> None:
        """Erases an operation; what it used may be unused now."""
        owners: list[Operation | Block] = [operand.owner for inner in walk(op) for operand in operands_of(inner)]
        if op.regions and (around := op.parent_op()) is not None:
            owners.append(around)  # which may be empty now
        assert op.parent is not None
        erase(op)
        self.push_all(owners)

    def push_all(self, owners: Iterable[Operation | Block]) -> None:
        """Has operations looked at that are still there."""
        for owner in owners:
            if isinstance(owner, Operation) and owner.parent is not None:
                self.push(owner)

    def replace(self, op: Operation, found: Sequence[SSAValue | Attribute]) -> None:
        """Replaces the results of an operation by values or literals, and erases it."""
        for old, new in zip(op.results, found, strict=True):
            for use in old.uses:
                self.push(use.operation)
            if not isinstance(new, SSAValue):
                assert isinstance(new, DenseElementsAttr)
                new = Inserter(op).value(ConstantOp(new))
            replace_uses(old, new)
        self.erase(op)

    def rewrite(self, op: Operation, patterns: tuple[RewritePattern, ...]) -> None:
        """Tries the patterns that an operation brings with it."""
        from xdsl.pattern_rewriter import PatternRewriter

        rewriter = PatternRewriter(op)
        inserted: list[Operation] = []
        rewriter.operation_insertion_handler.append(inserted.append)
        near = [use.operation for result in op.results for use in result.uses]
        near += [v.owner for inner in walk(op) for v in inner.operands if isinstance(v.owner, Operation)]
        if (around := op.parent_op()) is not None:
            near.append(around)  # what kept it may have been in the region that does not run
        location = op.location
        for pattern in patterns:
            pattern.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                break
        else:
            return
        for new in inserted:
            if new.location is UNKNOWN_LOC:
                new.location = location
        self.push_all([*inserted, op, *near])


@cache
def _patterns(kind: type[Operation]) -> tuple[RewritePattern, ...]:
    """The canonicalisation patterns of a class of operations."""
    traits = kind.get_traits_of_type(HasCanonicalizationPatternsTrait)
    return tuple(pattern for trait in traits for pattern in trait.get_patterns(kind))
