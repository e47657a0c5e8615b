"""Whether every region of an output is taken: by counting, for regions that are all different and in bounds.

The verifiers show that no two takings are of one region, that each is in bounds, and that each region that is taken is
stored. So an output is covered where there are at least as many takings as regions. Those are counted that every way
through a point's work comes to: what is in a loop as often as it turns, and of two branches the fewer. Where none is in
a loop, every path through the kernel stores one, so there is one a point at least. Where a map's points are left out by
a condition, they are shown to be those that would go beyond the regions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final

from xdsl.ir import Block

from freehold.dialects.classes import ops_of
from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp, YieldOp
from freehold.dialects.ownership import DistributeOp, PartitionOp, RegionOp
from freehold.passes.analysis.extremes import greatest
from freehold.passes.analysis.facts import KernelFacts
from freehold.passes.analysis.injectivity import recovers
from freehold.passes.prover import rules
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.passes.prover.polynomials import poly, to_term
from freehold.support import terms
from freehold.support.terms import Term

_NONE: Final = terms.const(0)


def regions(op: PartitionOp) -> list[Term]:
    """The numbers of regions of a partition, by axis."""
    partition = op.result.type
    return [partition.grid(axis) for axis in range(partition.tensor.rank)]


def takings(partition: PartitionOp, distribution: DistributeOp, facts: KernelFacts) -> list[Term] | None:
    """The number of regions that are taken whatever way each point goes, as a product; None where none are."""
    each = _Count(partition, distribution, facts).of_a_point()
    if each == _NONE:
        return None
    return [*distribution.extents] if each == terms.const(1) else [*distribution.extents, *_factors(each)]


def fewer(one: Term, other: Term) -> Term:
    """What two ways come to, whichever is gone."""
    return terms.minimum(one, other)


def _factors(t: Term) -> list[Term]:
    return [f for a in t.args for f in _factors(a)] if t.op == "*" else [t]


class _Count:
    """Counts the takings that every way through a point's work comes to, at the least."""

    def __init__(self, partition: PartitionOp, distribution: DistributeOp, facts: KernelFacts):
        self.partition = partition
        self.distribution = distribution
        self.facts = facts
        points = facts.points[distribution]
        self.given = facts.base
        """What holds at a point, whatever it comes to."""
        for name, extent in zip(points, distribution.extents, strict=True):
            symbol = terms.sym(name)
            self.given = self.given.extended([terms.const(0).le(symbol), symbol.lt(extent), terms.const(1).le(extent)])
        self.known = {*points, *facts.launch}

    def of_a_point(self) -> Term:
        """How many regions each point takes, in the launcher's symbols."""
        found = to_term(poly(self.block(self.distribution.body.block, _NONE)))
        return found if found.symbols() <= self.facts.launch else _NONE

    def block(self, block: Block, behind: Term) -> Term:
        """The takings from the beginning of a block on, if there are so many behind it."""
        *ops, last = ops_of(block)
        total = behind if isinstance(last, YieldOp) else _NONE  # a turn that ends takes no more
        for op in reversed(ops):
            match op:
                case RegionOp() if op.partition is self.partition.result:
                    total = total + 1
                case IfOp():
                    ways = [self.block(r.block, total) if r.blocks else total for r in op.regions]
                    total = fewer(*(to_term(poly(way)) for way in ways))
                case ForOp() if (turn := self.block(op.block, _NONE)) != _NONE:
                    total = total + self.turns(op) * turn
                case _:
                    pass
        return total

    def turns(self, loop: ForOp) -> Term:
        """How often a loop turns, at the least."""
        if loop not in self.facts.counters:
            return _NONE
        low, high, step = (self.facts.terms[v] for v in (loop.lowerBound, loop.upperBound, loop.step))
        count = terms.ceildiv(high - low, step)
        if not count.symbols() <= self.known:
            return _NONE
        shown = loop in self.facts.repeated or rules.holds(low.le(high), self.given)
        return count if shown else terms.maximum(count, _NONE)


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
