"""Accesses that go wrong in every launch: at a point that each launch has, and reaches without a condition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Final

from xdsl.ir import Operation

from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp, LoopOp
from freehold.dialects.ownership import AccessOp
from freehold.passes.analysis.facts import KernelFacts
from freehold.passes.prover import rules
from freehold.passes.prover.search import find
from freehold.passes.rewriting import around, in_front, may_leave
from freehold.support import terms
from freehold.support.terms import Term

_MOST: Final = 32
"""How many corners of the index space are tried."""


def in_every_launch(op: AccessOp, bound: Term, facts: KernelFacts) -> Mapping[str, int] | None:
    """Values at which a bound fails, if one of the corners of the index space violates it in every launch."""
    if not _always_reached(op, facts):
        return None
    for corner in islice(_corners(op, facts), _MOST):
        wrong = terms.negate(_at(bound, corner))
        if not wrong.symbols() <= facts.launch or not rules.holds(wrong, facts.base):
            continue
        extents = find(facts.base.facts, terms.TRUE)
        if extents is None or not facts.launch <= extents.keys():
            return None
        return {**extents, **{name: _at(value, corner).evaluate(extents) for name, value in corner.items()}}
    return None


def _corners(op: Operation, facts: KernelFacts) -> Iterator[dict[str, Term]]:
    """First and last points, with the first turn of each loop."""
    place = facts.places[op]
    choices: dict[str, tuple[Term, ...]] = {}
    if (distribution := place.distribution) is not None:
        extents = distribution.extents
        for axis, name in enumerate(facts.points[distribution]):
            choices[name] = terms.const(0), extents[axis] - 1
    for loop in place.loops:
        if isinstance(loop, ForOp) and loop in facts.counters:
            choices[facts.counters[loop]] = (facts.terms[loop.lowerBound],)
    for values in product(*choices.values()):
        yield dict(zip(choices, values, strict=True))


def _at(t: Term, corner: Mapping[str, Term]) -> Term:
    """A term at a corner. The first turn of an inner loop may depend on that of an outer one."""
    for _ in range(len(corner) + 1):
        t = t.substitute(corner)
    return t


def _always_reached(op: Operation, facts: KernelFacts) -> bool:
    """Whether every point gets there: no branch is around it, none in front leaves, and loops around it run a turn."""
    return reached_in_every_turn(op) and all(loop in facts.repeated for loop in facts.places[op].loops)


def reached_in_every_turn(op: Operation) -> bool:
    """Whether every point gets there in every turn of the loops around it, which are all counted."""
    conditional = any(isinstance(outer, IfOp | LoopOp) for outer in around(op))
    return not conditional and not any(map(may_leave, in_front(op)))
