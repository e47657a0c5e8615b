"""`verify-dominance`: every operand is defined before it is used, on every path.

xDSL's own verifier does not look at this, and everything the other verifiers conclude rests on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.irdl.dominance import DominanceInfo
from xdsl.passes import ModulePass
from xdsl.traits import IsolatedFromAbove

from freehold.dialects.classes import has_trait, operands_of, ops_of
from freehold.dialects.location import span_of
from freehold.dialects.ownership import KernelOp, kernels_of
from freehold.passes.errors.partition import NotDominated
from freehold.support.diagnostic import Error, Rejected


@dataclass(frozen=True)
class VerifyDominancePass(ModulePass):
    """Refuses values that are used where they may not be defined. Changes nothing."""

    name = "verify-dominance"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Raises `Rejected` with an error (O120) for each such use."""
        refuse(op, lambda kernel: ())


def refuse(module: ModuleOp, verify: Callable[[KernelOp], Sequence[Error]]) -> None:
    """Raises `Rejected` with all that a verifier finds wrong with the kernels of a module, whose definitions have to
    dominate their uses: everything that it concludes rests on that."""
    errors = verify_dominance(module) or [error for kernel in kernels_of(module) for error in verify(kernel)]
    if errors:
        raise Rejected(errors)


def verify_dominance(root: Operation) -> list[Error]:
    """The uses in `root` that are not dominated by their definition."""
    errors: list[Error] = []
    for region in root.regions:
        _region(region, set(), errors)
    return errors


def _region(region: Region, visible: set[int], errors: list[Error]) -> None:
    """A value is visible from its definition to the end of its block, in blocks that its own dominates, and inside.

    Those that are `visible` are there by their identity: that takes no call in Python."""
    if len(region.blocks) == 1:
        _block(region.block, visible, errors)
        return
    dominance = DominanceInfo(region) if region.blocks else None
    defined = {b: [*map(id, b.args), *(id(r) for op in b.ops for r in op.results)] for b in region.blocks}
    for block in region.blocks:
        inherited = set(visible)
        for other in region.blocks:
            if dominance is not None and dominance.strictly_dominates(other, block):
                inherited.update(defined[other])
        _block(block, inherited, errors)


def _block(block: Block, visible: set[int], errors: list[Error]) -> None:
    added = [*map(id, block.args)]
    visible.update(added)
    for op in ops_of(block):
        operands = operands_of(op)
        if not visible.issuperset(map(id, operands)):
            errors += [_error(op, n, operand) for n, operand in enumerate(operands) if id(operand) not in visible]
        if op.regions:
            isolated = has_trait(type(op), IsolatedFromAbove, unregistered=True)
            for region in op.regions:
                _region(region, set() if isolated else visible, errors)
        made = [*map(id, op.results)]
        visible.update(made)
        added += made
    visible.difference_update(added)


def _error(op: Operation, number: int, operand: SSAValue) -> Error:
    error = NotDominated(span_of(op), op.name, number)
    definition = span_of(operand)
    return error if definition is None else error.add(NotDominated.Defined(definition))
