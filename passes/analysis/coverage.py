"""Whether every region of an output is taken: by counting, for regions that are all different and in bounds.

The verifiers show that no two takings are of one region, that each is in bounds, and that each region that is taken is
stored. So an output is covered where there are at least as many takings as regions. Those are counted that every point
comes to: a place outside of loops once, and one in loops as often as they turn. Where none is in a loop, every path
through the kernel stores one, so there is one a point at least. Where a map's points are left out by a condition, they
are shown to be those that would go beyond the regions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from freehold.dialects.cuda_tile.ops.control_flow import ForOp
from freehold.dialects.ownership import DistributeOp, PartitionOp, RegionOp
from freehold.passes.analysis.certain import reached_in_every_turn
from freehold.passes.analysis.extremes import greatest
from freehold.passes.analysis.facts import KernelFacts
from freehold.passes.analysis.injectivity import recovers
from freehold.passes.prover import rules
from freehold.passes.prover.hypotheses import Hypotheses
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
    if len(turns) < 2 and by_paths(partition, facts):
        return [points]
    # Takings at different places are of different regions, so they add up.
    together = [reduce(terms.add, (reduce(terms.mul, t, terms.const(1)) for t in turns))] if len(turns) > 1 else []
    return [*([*points, total] for total in together), *([*points, *t] for t in turns)]


def by_paths(partition: PartitionOp, facts: KernelFacts) -> bool:
    """Whether `verify-borrows` sees to it that every point stores a region, whatever its path: not where regions are
    taken in loops, nor where a partition's map leaves points out."""
    return not any(
        facts.places[op].loops or (op.mapped is not None and facts.places[op].branches)
        for op in facts.places
        if isinstance(op, RegionOp) and op.partition is partition.result
    )


def onto(partition: PartitionOp, distribution: DistributeOp, facts: KernelFacts) -> bool:
    """Whether the points that a condition leaves take every region.

    Without the condition, the map takes the domain to a box, one to one, and into as many places as there are: so onto
    it. The box holds all regions, and what is taken to one of them satisfies the condition.
    """
    taken = [op for op in facts.places if isinstance(op, RegionOp) and op.partition is partition.result]
    if len(taken) != 1 or facts.places[taken[0]].loops:
        return False
    coordinates, conditions = facts.coordinates(taken[0]), facts.places[taken[0]].conditions
    points, grid = facts.points[distribution], regions(partition)
    if any(not t.symbols() <= {*points, *facts.launch} for t in (*coordinates, *conditions)):
        return False
    everywhere = facts.base
    for name, extent in zip(points, distribution.extents, strict=True):
        symbol = terms.sym(name)
        everywhere = everywhere.extended([terms.const(1).le(extent), terms.const(0).le(symbol), symbol.lt(extent)])
    if not recovers(coordinates, points, everywhere, facts.uniform):
        return False
    box: list[Term] = []
    for coordinate, count in zip(coordinates, grid, strict=True):
        last = greatest(coordinate, everywhere, facts.launch)
        if last is None or not all(
            rules.holds(fact, everywhere) for fact in (terms.const(0).le(coordinate), count.le(last + 1))
        ):
            return False
        box.append(last + 1)
    inside = everywhere.extended([c.lt(count) for c, count in zip(coordinates, grid, strict=True)])
    full = as_many(distribution.extents, box, everywhere)
    return rules.holds(full, everywhere) and all(rules.holds(condition, inside) for condition in conditions)


def as_many(taken: Sequence[Term], wanted: Sequence[Term], given: Hypotheses) -> Term:
    """That two products are equal, without the factors that they are shown to share; true where they share all."""
    left, right = ([t for t in side if t != terms.TRUE] for side in (taken, wanted))
    for factor in list(left):
        for other in right:
            if factor == other or rules.holds(factor.eq(other), given):
                left.remove(factor)
                right.remove(other)
                break
    one = terms.const(1)
    left = [t for t in left if not rules.holds(t.eq(one), given)]
    right = [t for t in right if not rules.holds(t.eq(one), given)]
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
        turns = loop in facts.repeated or rules.holds(low.le(high), facts.base)
        found.append(count if turns else terms.maximum(count, terms.const(0)))
    return found
