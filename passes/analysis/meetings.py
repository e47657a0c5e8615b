"""Two takings of one region, in runs of small launches.

They are looked for in launches that are worked through as a whole, and where counterexamples of the prover say, those
with small numbers first. What is found comes about in a run: in a launch that the launcher admits, on the way that the
points take, and with nothing undefined before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from freehold.dialects.ownership import DistributeOp, RegionOp
from freehold.passes.analysis.concrete import Runner, Visit, Work, is_outside, meeting
from freehold.passes.analysis.facts import KernelFacts
from freehold.passes.analysis.groups import index_space
from freehold.passes.analysis.races import complete
from freehold.passes.analysis.reached import divisors_before
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.passes.prover.prove import Verdict, prove
from freehold.support import terms
from freehold.support.terms import Term

OTHER: Final = "_of_the_other"
"""How the symbols of the second taking end, where a question is about two."""
_SMALL: Final = (64, 1024)
"""Limits of extents and scalars under which the prover is asked for a counterexample first."""


@dataclass(frozen=True)
class Meeting:
    """Two takings of one region in a launch: at two points, or at one."""

    launch: Mapping[str, int]
    """The values of all extents and integer scalars."""
    first: Visit
    second: Visit


@dataclass(frozen=True)
class Outside:
    """A point of a launch that takes a region that there is not."""

    launch: Mapping[str, int]
    visit: Visit
    grid: tuple[int, ...]


@dataclass(frozen=True)
class Pair:
    """Two operations that take regions of one partition, or one of them twice."""

    a: RegionOp
    b: RegionOp
    facts: KernelFacts
    distribution: DistributeOp
    at_one_point: bool
    """Whether two takings of one region by one point are looked for, too."""

    @staticmethod
    def of(a: RegionOp, b: RegionOp, facts: KernelFacts, *, at_one_point: bool = True) -> Pair:
        """The pair, in the distribution around both."""
        distribution = facts.places[a].distribution
        assert distribution is not None
        return Pair(a, b, facts, distribution, at_one_point)

    def met(self, work: Work) -> Meeting | None:
        """The meeting of two points that have worked, if any do."""
        grid = [count.evaluate(work.launch) for count in index_space(self.a)]
        pair = meeting(self.a, self.b, work, grid, at_one_point=self.at_one_point)
        return None if pair is None else Meeting(work.launch, *pair)

    def run(self, runner: Runner, launch: Mapping[str, int], points: Sequence[tuple[int, ...]]) -> Meeting | None:
        """The meeting of these points, if they do meet."""
        work = runner.work(launch, tuple(dict.fromkeys(points)))
        return None if work is None else self.met(work)

    def point(self, values: Mapping[str, int], suffix: str = "") -> tuple[int, ...]:
        """The point that values speak of; 0 where they leave it open."""
        return tuple(values.get(f"{name}{suffix}", 0) for name in self.facts.points[self.distribution])


def refuted(
    pair: Pair, goal: Term, given: Hypotheses, verdict: Verdict, renaming: Mapping[str, Term]
) -> Meeting | None:
    """Two takings of one region, by counterexamples to `goal`: smaller ones than that of `verdict`, and that itself.

    `renaming` are the symbols of the second taking.
    """
    facts, runner = pair.facts, Runner(pair.distribution, pair.facts)
    divisors = [
        *divisors_before(pair.a, facts),
        *(divisor.substitute(renaming) for divisor in divisors_before(pair.b, facts)),
    ]
    defined = given.extended(terms.negate(divisor.eq(0)) for divisor in divisors)
    for values in (*_smaller(goal, defined, facts), verdict.witness):
        launch = complete(values, facts)
        points = pair.point(values), pair.point(values, OTHER)
        if launch is not None and (found := pair.run(runner, launch, points)) is not None:
            return found
    return None


def _smaller(goal: Term, given: Hypotheses, facts: KernelFacts) -> Iterator[Mapping[str, int]]:
    """Counterexamples in which extents and scalars are small."""
    for limit in _SMALL:
        bounds = [p for s in map(terms.sym, sorted(facts.launch)) for p in (terms.const(-limit).le(s), s.le(limit))]
        verdict = prove(goal, given.extended(bounds))
        if verdict.refuted:
            yield verdict.witness


def in_launches(pair: Pair, some: Iterable[Work]) -> Meeting | Outside | None:
    """What whole launches meet that were worked through: two takings of one region, at two points rather than at one;
    or else one of a region that there is not."""
    at_one_point, outside = None, None
    for work in some:
        if (found := pair.met(work)) is None:
            grid = tuple(count.evaluate(work.launch) for count in index_space(pair.a))
            wrong = (v for v in work.of(pair.a, pair.b) if is_outside(v, grid))
            visit = next((v for v in wrong if v.defined or not v.coordinates), None)
            outside = outside or (visit and Outside(work.launch, visit, grid))
            continue
        if found.first.point != found.second.point:
            return found
        at_one_point = at_one_point or found
    return at_one_point or outside
