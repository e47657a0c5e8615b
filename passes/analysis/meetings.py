"""Two takings of one region: pairs of points that are suspected to meet, each run on numbers before it is believed.

Suspicion comes from enumeration of small launches, from counterexamples of the prover, those with small numbers first,
and from small launches that are worked through as a whole. What is found comes about in a run of the two points: in a
launch that the launcher admits, on the way that they take, and with nothing undefined before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from freehold.dialects.ownership import DistributeOp, RegionOp
from freehold.passes.analysis.concrete import Runner, Visit, Work, is_outside, meeting
from freehold.passes.analysis.facts import KernelFacts
from freehold.passes.analysis.groups import index_space
from freehold.passes.analysis.races import complete, launches, samples, turns
from freehold.passes.analysis.reached import divisors_before
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.passes.prover.prove import Verdict, prove
from freehold.passes.prover.search import Evaluate, compiled
from freehold.support import terms
from freehold.support.terms import Term

OTHER: Final = "_of_the_other"
"""How the symbols of the second taking end, where a question is about two."""
_MOST_PAIRS: Final = 24
"""Pairs of points of enumerated launches that are run."""
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
        pair = meeting(self.a, self.b, work.visits, grid, at_one_point=self.at_one_point)
        return None if pair is None else Meeting(work.launch, *pair)

    def run(self, runner: Runner, launch: Mapping[str, int], points: Sequence[tuple[int, ...]]) -> Meeting | None:
        """The meeting of these points, if they do meet."""
        work = runner.work(launch, tuple(dict.fromkeys(points)))
        return None if work is None else self.met(work)

    def point(self, values: Mapping[str, int], suffix: str = "") -> tuple[int, ...]:
        """The point that values speak of; 0 where they leave it open."""
        return tuple(values.get(f"{name}{suffix}", 0) for name in self.facts.points[self.distribution])


def enumerated(pair: Pair, different: Sequence[str], mine: set[str], others: set[str]) -> Meeting | None:
    """Two takings of one region, if enumeration of small launches meets them: those that differ in one of `different`.

    `mine` and `others` are the symbols that tell one execution of an operation from another.
    """
    runner = Runner(pair.distribution, pair.facts)
    for launch, one, other in islice(_suspected(pair, different, mine, others), _MOST_PAIRS):
        if (found := pair.run(runner, launch, (one, other))) is not None:
            return found
    return None


def _suspected(
    pair: Pair, different: Sequence[str], mine: set[str], others: set[str]
) -> Iterator[tuple[Mapping[str, int], tuple[int, ...], tuple[int, ...]]]:
    """Launches, each with two points that take one region by what terms say of them."""
    facts = pair.facts
    one, other = facts.places[pair.a], facts.places[pair.b]
    first, second = facts.coordinates(pair.a), facts.coordinates(pair.b)
    counts = index_space(pair.a)
    one_place, other_place = [compiled(c) for c in first], [compiled(c) for c in second]
    for launch in launches(facts, pair.distribution):
        seen: dict[tuple[int, ...], list[dict[str, int]]] = {}
        met: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
        grid = [count.evaluate(launch) for count in counts]
        for values in turns(launch, one.given.facts, [*first, *map(terms.sym, mine)]):
            if (at := _at(one_place, values)) is not None and all(0 <= n < g for n, g in zip(at, grid, strict=True)):
                seen.setdefault(at, []).append(values)
        for values in turns(launch, other.given.facts, [*second, *map(terms.sym, others)]):
            for match in seen.get(_at(other_place, values) or (), ()):
                if different and all(match[n] == values[n] for n in different):
                    continue
                points = pair.point(match), pair.point(values)
                if points not in met:
                    met.add(points)
                    yield launch, *points


def _at(place: Sequence[Evaluate], values: Mapping[str, int]) -> tuple[int, ...] | None:
    """The coordinates of a place; None where a divisor is zero, which what is not enumerated may rule out."""
    try:
        return tuple(c(values) for c in place)
    except ZeroDivisionError:
        return None


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


def in_small_launches(pair: Pair) -> Meeting | Outside | None:
    """What running small launches as a whole meets: two takings of one region, at two points rather than at one; or
    else one of a region that there is not."""
    runner, at_one_point, outside = Runner(pair.distribution, pair.facts), None, None
    for launch in samples(pair.facts, pair.distribution):
        work = runner.work(launch)
        if work is None:
            continue
        if (found := pair.met(work)) is None:
            grid = tuple(count.evaluate(launch) for count in index_space(pair.a))
            wrong = (v for v in work.visits if v.op in (pair.a, pair.b) and is_outside(v, grid))
            visit = next((v for v in wrong if v.defined or not v.coordinates), None)
            outside = outside or (visit and Outside(launch, visit, grid))
            continue
        if found.first.point != found.second.point:
            return found
        at_one_point = at_one_point or found
    return at_one_point or outside
