"""`canonicalize`: folds what is known, takes the branch that is taken, and removes what nobody uses.

One worklist: an operation is looked at again only when one of its operands has changed, so the cost is that of one
walk. Constants end up on the right of operations that commute, which gives `cse` more to merge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import MemoryEffectKind, get_effects

from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, AndIOp, MulIOp, OrIOp, XOrIOp
from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp, YieldOp
from freehold.dialects.cuda_tile.ops.misc import AssumeOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp
from freehold.dialects.cuda_tile.types import TileType
from freehold.passes.folding import RULES, fold, integer
from freehold.passes.rewriting import Effect, Inserter, effect

_COMMUTE: Final = (AddIOp, MulIOp, AndIOp, OrIOp, XOrIOp)


@dataclass(frozen=True)
class CanonicalizePass(ModulePass):
    """Folds constants, takes branches that are known, and removes what is not used."""

    name = "canonicalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Canonicalises everything in the module."""
        canonicalize(op)


def canonicalize(root: Operation) -> None:
    """Canonicalises everything inside `root`, in place."""
    _Canonicalizer(root).run()


def removable(op: Operation) -> bool:
    """Whether `op` does nothing but make its results. A promise about a value that nobody uses is one of these."""
    match effect(type(op)):
        case Effect.PURE | Effect.FREE:
            return True
        case Effect.KEPT:
            return False
        case Effect.UNKNOWN:
            effects = get_effects(op)
            read_only = effects is not None and all(e.kind is MemoryEffectKind.READ for e in effects)
            return read_only or isinstance(op, AssumeOp)


class _Canonicalizer:
    def __init__(self, root: Operation):
        self.root = root
        # Last in, first out; in reverse, so that definitions come before uses.
        self.worklist = [op for op in root.walk() if op is not root][::-1]
        self.waiting = set(self.worklist)

    def push(self, op: Operation) -> None:
        """Has `op` looked at (again)."""
        if op not in self.waiting and op is not self.root:
            self.waiting.add(op)
            self.worklist.append(op)

    def run(self) -> None:
        """Works until nothing is left to look at."""
        while self.worklist:
            op = self.worklist.pop()
            self.waiting.discard(op)
            if op.parent is None:
                continue  # erased
            if op.results and not any(r.first_use is not None for r in op.results) and removable(op):
                self.erase(op)
            elif type(op) in RULES:
                self.fold(op)
            elif isinstance(op, IfOp):
                self.take_branch(op)
            elif isinstance(op, ForOp):
                self.skip_loop(op)

    def erase(self, op: Operation) -> None:
        """Erases an operation; what it used may be unused now."""
        owners = [operand.owner for operand in op.operands]
        for inner in op.walk():
            self.waiting.add(inner)  # never looked at again, even if already on the list
            if inner is not op:
                owners.extend(operand.owner for operand in inner.operands)
        assert op.parent is not None
        inside = set(op.walk())
        op.parent.erase_op(op)
        for gone in inside:
            gone.parent = None
        for owner in owners:
            if isinstance(owner, Operation) and owner not in inside:
                self.push(owner)

    def replace(self, op: Operation, values: list[SSAValue]) -> None:
        """Replaces the results of an operation, which is erased."""
        for old, new in zip(op.results, values, strict=True):
            for use in old.uses:
                self.push(use.operation)
            old.replace_all_uses_with(new)
        self.erase(op)

    def fold(self, op: Operation) -> None:
        """Replaces the operation by what it is worth."""
        found = fold(op)
        if isinstance(found, SSAValue):
            self.replace(op, [found])
        elif found is not None:
            type_ = cast(TileType, op.results[0].type)
            value = found if isinstance(found, DenseElementsAttr) else DenseElementsAttr.splat(type_, found)
            self.replace(op, [Inserter(op).value(ConstantOp(value))])
        elif isinstance(op, _COMMUTE) and _is_constant(op.lhs) and not _is_constant(op.rhs):
            op.operands = (op.rhs, op.lhs)

    def take_branch(self, op: IfOp) -> None:
        """Puts the region that is taken in the place of an `if` whose condition is known."""
        condition = integer(op.condition)
        if condition is None:
            return
        taken = op.thenRegion if condition else op.elseRegion
        if not taken.blocks:
            self.erase(op)
            return
        end = taken.block.last_op
        if not isinstance(end, YieldOp):
            return  # leaves a loop or the kernel, which nothing but an `if` can do in the middle
        values = list(end.operands)
        assert op.parent is not None
        for moved in list(taken.block.ops):
            if moved is not end:
                taken.block.detach_op(moved)
                op.parent.insert_op_before(moved, op)
        end.operands = ()
        end.detach()
        end.erase()
        self.replace(op, values)

    def skip_loop(self, op: ForOp) -> None:
        """Removes a loop that is known to have no turn."""
        lower, upper = integer(op.lowerBound), integer(op.upperBound)
        if lower is None or upper is None:
            return
        if op.unsignedCmp is not None:
            bits = 1 << 64
            lower, upper = lower % bits, upper % bits
        if lower >= upper:
            self.replace(op, list(op.initValues))


def _is_constant(value: SSAValue[Attribute]) -> bool:
    return isinstance(value.owner, ConstantOp)
