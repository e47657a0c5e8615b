"""Whether the regions that are taken are different ones: over all points, all turns of loops, and all pairs of places.

The rules recover a point from coordinates: `[i, j]` gives both, `[i * B + j]` gives both where `0 <= j < B`. What they
cannot do the solver is asked about two copies of the point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Literal

from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp
from freehold.dialects.ownership import RegionOp
from freehold.passes.analysis.facts import KernelFacts, Place
from freehold.passes.analysis.groups import index_space
from freehold.passes.analysis.meetings import OTHER, Meeting, Outside, Pair, in_launches, refuted
from freehold.passes.analysis.races import sampled, worked_through
from freehold.passes.analysis.reached import computed, conditions_of, unknown_in
from freehold.passes.prover import rules
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.passes.prover.polynomials import Poly, bound_atom, poly, to_term
from freehold.passes.prover.prove import prove
from freehold.passes.prover.search import holds_in
from freehold.support import terms
from freehold.support.terms import Term


@dataclass(frozen=True)
class Outcome:
    """Whether two takings are always of different regions, by what, and two that are not."""

    status: Literal["proved", "refuted", "unknown"]
    by: str = ""
    witness: Meeting | Outside | None = None
    """Two takings of one region; or, of what is unknown, one of a region that does not exist."""
    unknown: tuple[str, ...] = ()
    """Numbers of which nothing is known, where that is why."""


def identity(op: RegionOp, facts: KernelFacts) -> tuple[str, ...] | None:
    """The symbols that tell one execution of `op` from another: the point, and the counters of the loops inside.

    None where a loop around it has no counter that takes each value once.
    """
    place = facts.places[op]
    assert place.distribution is not None
    names = list(facts.points[place.distribution])
    for loop in place.loops:
        if not place.distribution.is_ancestor(loop):
            continue
        if not isinstance(loop, ForOp) or loop not in facts.counters:
            return None
        names.append(facts.counters[loop])
    return tuple(names)


def injective(op: RegionOp, facts: KernelFacts) -> Outcome:
    """Whether `op` takes a different region each time, over all points and turns."""
    wanted = identity(op, facts)
    if wanted is None:
        return Outcome("refuted", "loop")
    place, coordinates = facts.places[op], facts.coordinates(op)
    if recovers(coordinates, wanted, place.given, facts.uniform):
        return Outcome("proved", "rules")
    return _apart(op, op, wanted, facts)


def disjoint(a: RegionOp, b: RegionOp, facts: KernelFacts) -> Outcome:
    """Whether two operations never take the same region of their partition, at one point or at two."""
    first, second = identity(a, facts), identity(b, facts)
    if first is None or second is None:
        return Outcome("refuted", "loop")
    common = tuple(name for name in first if name in second) if exclusive(facts.places[a], facts.places[b]) else ()
    if _differ(facts.coordinates(a), facts.coordinates(b), facts.uniform):
        return Outcome("proved", "rules")
    same = facts.coordinates(a) == facts.coordinates(b)
    if same and common and set(common) == set(first) == set(second):
        # Of one execution only one of them runs, and two executions have different coordinates: by what holds at both
        # places alone, because what tells executions of one place apart need not tell them from those of the other.
        shared = Hypotheses().extended(f for f in facts.places[a].given.facts if f in facts.places[b].given)
        if recovers(facts.coordinates(a), first, shared, facts.uniform):
            return Outcome("proved", "rules")
    return _apart(a, b, common, facts)


def _differ(first: Sequence[Term], second: Sequence[Term], uniform: frozenset[str]) -> bool:
    """
    Whether along some axis two coordinates are never the same, whichever points and turns they are of: what differs
    between these counts in multiples of a number by which the rest cannot be divided.

    This is what a kernel's many regions differ by, so that not all pairs of them are searched for meetings and solved.
    """
    for x, y in zip(first, second, strict=True):
        copied = y.substitute({name: terms.sym(f"{name}{OTHER}") for name in y.symbols() - uniform})
        apart = dict(poly(x - copied))
        rest, by = apart.pop((), 0), gcd(*apart.values())
        if rest % by if by else rest:
            return True
    return False


def apart(a: RegionOp, b: RegionOp, facts: KernelFacts) -> Outcome:
    """Whether two operations, or two executions of one, take the same region at one point only."""
    place = facts.places[a]
    assert place.distribution is not None
    points = facts.points[place.distribution]
    if not points or (a is b and recovers(facts.coordinates(a), points, place.given, facts.uniform)):
        return Outcome("proved", "rules")
    return _apart(a, b, points, facts, at_one_point=False)


def exclusive(a: Place, b: Place) -> bool:
    """Whether only one of two places is reached in one turn of the loops that are around both."""
    branches: dict[IfOp, int] = dict(a.branches)
    return any(branches.get(op, number) != number for op, number in b.branches)


def recovers(coordinates: Sequence[Term], wanted: Sequence[str], given: Hypotheses, uniform: frozenset[str]) -> bool:
    """Whether the rules find the values of the wanted symbols from the coordinates and the uniform symbols."""
    known: set[str] = set(uniform)
    for name in wanted:
        low, high = bound_atom(terms.sym(name), given.bounds)
        if low is not None and low == high:
            known.add(name)
    grown = True
    while grown:
        grown = False
        for p in (*map(poly, coordinates), *_divided(coordinates, known)):
            for name in _solved(p, known, given):
                known.add(name)
                grown = True
    return set(wanted) <= known


def _divided(coordinates: Sequence[Term], known: set[str]) -> Iterator[Poly]:
    """Terms of which a quotient and the remainder by the same divisor are determined."""
    quotients: dict[tuple[Term, Term], set[str]] = {}
    for coordinate in coordinates:
        atom = _alone(poly(coordinate), known)
        if atom is not None and atom.op in ("//", "%"):
            quotients.setdefault((atom.args[0], atom.args[1]), set()).add(atom.op)
    for (dividend, divisor), ops in quotients.items():
        if len(ops) == 2 and divisor.symbols() <= known:
            yield poly(dividend)


def _alone(p: Poly, known: set[str]) -> Term | None:
    """The only part of a polynomial that is not known, where it is one atom."""
    open_ = [m for m in p if not all(a.symbols() <= known for a in m)]
    return open_[0][0] if len(open_) == 1 and len(open_[0]) == 1 else None


def _solved(p: Poly, known: set[str], given: Hypotheses) -> tuple[str, ...]:
    """Symbols that are determined by the value of a polynomial and the known symbols."""
    open_ = {m: c for m, c in p.items() if not all(a.symbols() <= known for a in m)}
    if len(open_) == 1:
        (m,) = open_
        if len(m) != 1:
            return ()
        return (m[0].name,) if m[0].op == "sym" else _turned(m[0], known, given)
    if len(open_) != 2:
        return ()
    for low, high in (tuple(open_), tuple(open_)[::-1]):
        # high = digit * base, low = digit below the base
        digits = [a for a in high if not a.symbols() <= known]
        if len(low) != 1 or open_[low] != 1 or low[0].op != "sym" or len(digits) != 1 or digits[0].op != "sym":
            continue
        rest = list(high)
        rest.remove(digits[0])
        base = to_term({tuple(rest): open_[high]})
        digit = low[0]
        if digit != digits[0] and rules.holds(terms.const(0).le(digit), given) and rules.holds(digit.lt(base), given):
            return digits[0].name, digit.name
    return ()


def _turned(atom: Term, known: set[str], given: Hypotheses) -> tuple[str, ...]:
    """The digit that `(digit + rest) % base` determines: below the base there is one with that remainder."""
    if atom.op != "%" or not atom.args[1].symbols() <= known:
        return ()
    inside = poly(atom.args[0])
    digit = _alone(inside, known)
    if digit is None or digit.op != "sym" or abs(inside[(digit,)]) != 1:
        return ()
    below = rules.holds(terms.const(0).le(digit), given) and rules.holds(digit.lt(atom.args[1]), given)
    return (digit.name,) if below else ()


def _apart(
    a: RegionOp, b: RegionOp, different: Sequence[str], facts: KernelFacts, *, at_one_point: bool = True
) -> Outcome:
    """Whether `a` and `b` take different regions in every two executions that differ in one of `different`.

    Without any such symbols: in every two executions whatsoever.
    """
    one, other = facts.places[a], facts.places[b]
    first, second = facts.coordinates(a), facts.coordinates(b)
    pair = Pair.of(a, b, facts, at_one_point=at_one_point)
    unknown = unknown_in((*first, *second), facts)
    conditions = [*conditions_of(a, facts), *conditions_of(b, facts)]
    undecided = computed(conditions, facts)
    if not unknown and not undecided:
        found = in_launches(pair, worked_through(facts, pair.distribution))
        if isinstance(found, Meeting):
            return Outcome("refuted", "search", found)
    renaming = {
        name: terms.sym(f"{name}{OTHER}")
        for fact in (*other.given.facts, *second)
        for name in fact.symbols() - facts.uniform
    }
    copies = [f.substitute(renaming) for f in other.given.facts]
    given = one.given.extended(copies)
    meet = terms.all_of(*(x.eq(y.substitute(renaming)) for x, y in zip(first, second, strict=True)))
    alike = terms.all_of(*(terms.sym(n).eq(renaming.get(n, terms.sym(n))) for n in different))
    goal = terms.either(terms.negate(meet), alike) if different else terms.negate(meet)
    verdict = prove(goal, given)
    inside = _inside(a, first)
    if verdict.refuted and not holds_in([inside], verdict.witness):
        # Regions that do not exist are not taken: that they do is another obligation, which is met before.
        verdict = prove(goal, given.extended([inside]))
    if verdict.proved:
        return Outcome("proved", verdict.by)
    names = tuple(dict.fromkeys((*(n for n in unknown if n not in facts.uniform), *undecided)))
    if verdict.refuted and not names:
        found = refuted(pair, goal, given.extended([inside]), verdict, renaming)
        if found is not None:
            return Outcome("refuted", verdict.by, found)
    found = in_launches(pair, sampled(facts, pair.distribution))
    if isinstance(found, Meeting):
        return Outcome("refuted", "search", found)
    return Outcome("unknown", verdict.by, found, names)


def _inside(op: RegionOp, coordinates: Sequence[Term]) -> Term:
    """That a region exists."""
    pairs = zip(coordinates, index_space(op), strict=True)
    return terms.all_of(*(terms.both(terms.const(0).le(c), c.lt(count)) for c, count in pairs))
