"""On what it depends whether an operation is reached."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import BlockArgument, Operation, SSAValue

from freehold.dialects.classes import ops_of
from freehold.dialects.cuda_tile.ops.arith_int import DivIOp, RemIOp
from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, IfOp, LoopOp, ReturnOp
from freehold.dialects.ownership import DistributeOp, KernelOp
from freehold.passes.analysis.facts import KernelFacts
from freehold.passes.rewriting import in_front
from freehold.support.terms import Term


def leaving(op: IfOp, ends: tuple[type[Operation], ...] = (ContinueOp, BreakOp, ReturnOp)) -> list[SSAValue]:
    """The conditions that decide whether an `if` leaves for an outer block by one of `ends`; none where it cannot."""
    inside = [inner for region in op.regions for block in region.blocks for inner in ops_of(block)]
    found = [condition for inner in inside if isinstance(inner, IfOp) for condition in leaving(inner, ends)]
    return [op.condition, *found] if found or any(isinstance(inner, ends) for inner in inside) else []


def unknown_in(coordinates: Sequence[Term], facts: KernelFacts) -> list[str]:
    """The symbols in coordinates that are neither extents nor coordinates of a point nor counters."""
    known = {*facts.launch, *facts.counters.values(), *(n for names in facts.points.values() for n in names)}
    return sorted({n for c in coordinates for n in c.symbols()} - known)


def conditions_of(op: Operation, facts: KernelFacts) -> list[Term]:
    """What has to hold for an operation to be reached: of branches and loops around it, and of the ways out."""
    found = facts.conditions.get(op)
    if found is None:
        found = facts.conditions[op] = [*facts.places[op].conditions, *leaving_in_front(op, facts)]
    return found


def leaving_in_front(op: Operation, facts: KernelFacts) -> list[Term]:
    """The conditions under which a branch leaves before an operation is reached: one in front of it, or one behind it
    in a loop around both, in an earlier turn."""
    found: list[Term] = []
    at: Operation | None = op
    while at is not None and not isinstance(at, DistributeOp):
        ends: tuple[type[Operation], ...] = (ContinueOp, BreakOp, ReturnOp)
        for other in () if at.parent is None else ops_of(at.parent):
            if other is at:
                ends = (BreakOp, ReturnOp) if isinstance(at.parent_op(), LoopOp) else (ReturnOp,)
            elif isinstance(other, IfOp):
                found += [facts.terms[condition] for condition in leaving(other, ends)]
        at = at.parent_op()
    return found


def divisors_before(op: Operation, facts: KernelFacts) -> list[Term]:
    """What is divided by on every way to an operation."""
    divisions = (earlier for earlier in in_front(op) if isinstance(earlier, DivIOp | RemIOp))
    return [facts.terms[division.rhs] for division in divisions if division.rhs in facts.terms]


def computed(conditions: Sequence[Term], facts: KernelFacts) -> list[str]:
    """The symbols in conditions that are computed or carried by loops: no value of them may be chosen freely."""
    return [n for n in unknown_in(conditions, facts) if n in facts.symbols and not _is_argument(facts.symbols[n])]


def _is_argument(value: SSAValue) -> bool:
    return isinstance(value, BlockArgument) and isinstance(value.owner.parent_op(), KernelOp)
