"""Whether every region of an output is taken: by counting, for regions that are all different and in bounds.

The verifiers show that no two takings are of one region, that each is in bounds, and that each region that is taken is
stored. So an output is covered where there are at least as many takings as regions. Those are counted that every point
comes to: a place outside of loops once, and one in loops as often as they turn. Where none is in a loop, every path
through the kernel stores one, so there is one a point at least.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from freehold.dialects.cuda_tile.ops.control_flow import ForOp
from freehold.dialects.ownership import DistributeOp, PartitionOp, RegionOp
from freehold.passes.analysis.certain import reached_in_every_turn
from freehold.passes.analysis.facts import KernelFacts
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.passes.prover.prove import prove
from freehold.support import terms
from freehold.support.terms import Term


def regions(op: PartitionOp) -> list[Term]:
    """The numbers of regions of a partition, by axis."""
    partition = op.result.type
    return [partition.grid(axis) for axis in range(partition.tensor.rank)]


def takings(partition: PartitionOp, distribution: DistributeOp, facts: KernelFacts) -> list[list[Term]]:
    """Numbers of regions that are taken for certain, each as a product: the most telling first."""
    points = list(distribution.extents)
    taken = [op for op in facts.places if isinstance(op, RegionOp) and op.partition is partition.result]
    turns = [found for op in taken if (found := _turns(op, facts)) is not None]
    if len(turns) < 2 and not walks(partition, facts):
        return [points]
    # Takings at different places are of different regions, so they add up.
    together = [reduce(terms.add, (reduce(terms.mul, t, terms.const(1)) for t in turns))] if len(turns) > 1 else []
    return [*([*points, total] for total in together), *([*points, *t] for t in turns)]


def walks(op: PartitionOp, facts: KernelFacts) -> bool:
    """Whether regions are taken in a loop."""
    return any(u.operation in facts.places and facts.places[u.operation].loops for u in op.result.uses)


def as_many(taken: Sequence[Term], wanted: Sequence[Term], given: Hypotheses) -> Term:
    """That two products are equal, without the factors that they are shown to share; true where they share all."""
    left, right = ([t for t in side if t != terms.TRUE] for side in (taken, wanted))
    for factor in list(left):
        for other in right:
            if factor == other or prove(factor.eq(other), given, solver=False).proved:
                left.remove(factor)
                right.remove(other)
                break
    one = terms.const(1)
    left = [t for t in left if not prove(t.eq(one), given, solver=False).proved]
    right = [t for t in right if not prove(t.eq(one), given, solver=False).proved]
    # All factors are positive: a product is 1 where each of them is.
    if not left or not right:
        return terms.all_of(*(t.eq(one) for t in left or right))
    return reduce(terms.mul, left).eq(reduce(terms.mul, right))


def _turns(op: RegionOp, facts: KernelFacts) -> list[Term] | None:
    """How often each loop around an operation turns, where every point and turn comes to it; None where not."""
    if not reached_in_every_turn(op):
        return None
    found: list[Term] = []
    for loop in facts.places[op].loops:
        if not isinstance(loop, ForOp) or loop not in facts.counters:
            return None
        low, high, step = (facts.terms[v] for v in (loop.lowerBound, loop.upperBound, loop.step))
        count = terms.ceildiv(high - low, step)
        if not count.symbols() <= facts.launch:
            return None
        turns = loop in facts.repeated or prove(low.le(high), facts.base, solver=False).proved
        found.append(count if turns else terms.maximum(count, terms.const(0)))
    return found
