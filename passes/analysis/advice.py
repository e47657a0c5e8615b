"""What an obligation costs on the rung that meets it, and what would move it to a higher one.

Proposed is only what was tried: with it as a hypothesis, the obligation is proved. Tried are equalities, order and
divisibility of extents, signs and bounds of scalars, and what the launch would be asked anyway. Where data decides, a
branch is proposed, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, islice, starmap
from typing import Final

from xdsl.ir import Operation

from freehold.dialects.ownership import AccessOp, Duty, DutyAttr, Indexing, RegionOp, Rung, WindowOp, tensor_type
from freehold.passes.analysis.facts import KernelFacts
from freehold.passes.analysis.ranges import Ranges
from freehold.passes.analysis.wording import sizes, why_unknown
from freehold.passes.prover import rules
from freehold.passes.prover.prove import prove, satisfiable
from freehold.support import terms
from freehold.support.terms import Term

_MOST: Final = 64
"""Requirements that are tried."""
_MOST_IN_PAIRS: Final = 12
"""Those of them that are tried two at a time."""


def cost(op: Operation, obligation: DutyAttr, facts: KernelFacts) -> str:
    """What is done, and how often, because an obligation is on its rung."""
    match obligation.rung:
        case Rung.LAUNCH:
            return "one comparison a launch"
        case Rung.KERNEL:
            place = facts.places.get(op)
            often = "a turn" if place is not None and place.loops else "a point"
            return f"a comparison and a branch {often}"
        case Rung.MASKED:
            return "a comparison an element, and loads by address instead of tiles"
        case _:
            return "nothing"


def upwards(op: Operation, obligation: DutyAttr, facts: KernelFacts) -> str:
    """What would move an obligation to a higher rung, as an edit; empty where it is on the highest one."""
    match obligation.rung:
        case Rung.LAUNCH:
            goal, asked = _goal(op, obligation, facts), obligation.predicate
            assert asked is not None
            found = None if goal is None else _requirement(op, goal, facts)
            shorter = asked if found is None else min(asked, found, key=lambda t: len(str(t)))
            extents = " and ".join(f"`{n}`" for n in sorted(asked.symbols() - facts.symbols.keys()))
            constant = f", or with constant {extents}" if extents else ""
            return f'proved with `fh.require("{shorter}")`{constant}'
        case Rung.KERNEL | Rung.MASKED if (goal := _goal(op, obligation, facts)) is not None:
            if (found := _requirement(op, goal, facts)) is not None:
                return f'proved with `fh.require("{found}")`'
            if obligation.rung is Rung.KERNEL:
                return _guard(op, goal, facts)
            return _nothing(op, goal, facts)
        case Rung.KERNEL if isinstance(op, WindowOp):
            name = str(facts.terms[op.start])
            return f"{_why([name], facts)}checked at launch if it is a scalar argument"
        case Rung.KERNEL | Rung.MASKED:
            return "nothing: it is about what memory holds"
        case _:
            return ""


def _goal(op: Operation, obligation: DutyAttr, facts: KernelFacts) -> Term | None:
    """What has to hold for an index along an axis."""
    zero, axis = terms.const(0), obligation.axis.data
    if obligation.duty is not Duty.IN_BOUNDS:
        return None
    if not isinstance(op, AccessOp):
        return None
    extent = tensor_type(op.memory).extent(axis)
    match op.indexing:
        case Indexing.TILES:
            low = high = facts.coordinates(op)[axis]
            extent = terms.ceildiv(extent, terms.const(op.steps[axis]))
        case Indexing.FIRST:
            low = high = facts.coordinates(op)[axis]
        case Indexing.EACH:
            low, high = Ranges(facts.terms, facts.places[op].given).of(op.places[axis])
        case Indexing.OWN:
            return None
    return terms.both(zero.le(low), high.lt(extent))


def _requirement(op: Operation, goal: Term, facts: KernelFacts) -> Term | None:
    """Something to be asked of the launch, which a goal follows from."""
    if _impossible(goal, facts):
        return None
    given = facts.places[op].given
    single = [t for t in islice(_candidates(goal, facts), _MOST) if not _impossible(t, facts)]
    pairs = starmap(terms.both, combinations(single[:_MOST_IN_PAIRS], 2))
    for wanted in chain(single, pairs):
        if not rules.holds(goal, given.extended([wanted])):
            continue
        if not satisfiable(facts.base.extended([wanted])).proved:  # what no launch meets proves everything
            return wanted
    return None


def _impossible(predicate: Term, facts: KernelFacts) -> bool:
    """Whether the rules show that a part of a predicate holds in no launch."""
    return any(rules.holds(terms.negate(part), facts.base) for part in terms.conjuncts(predicate))


def _candidates(goal: Term, facts: KernelFacts) -> Iterator[Term]:
    """What a launch can be asked: the most usual first."""
    extents = sorted(n for n in facts.launch if n not in facts.symbols)
    scalars = sorted(n for n in facts.launch & goal.symbols() if n in facts.symbols)
    mine = [terms.sym(n) for n in extents if n in goal.symbols()]
    sizes = sorted({t.value for p in goal.walk() for t in p.args[1:] if t.is_const and 1 < t.value < 1 << 20})
    for extent in mine:
        yield from ((extent % size).eq(0) for size in [*sizes, *_tiles(facts)])
    for extent in mine:
        yield from ((extent % terms.sym(n)).eq(0) for n in extents if n != extent.name)
    for extent in mine:
        yield from (terms.sym(n).le(extent) for n in extents if n != extent.name)
    for extent in mine:
        yield from (extent.eq(terms.sym(n)) for n in extents if n != extent.name)
    counts = [t for p in goal.walk() for t in p.args if t.op == "ceildiv" or (t.op == "sym" and t in mine)]
    for name in scalars:
        scalar = terms.sym(name)
        yield terms.const(0).le(scalar)
        for count in dict.fromkeys(counts):
            yield scalar.lt(count)
            yield terms.both(terms.const(0).le(scalar), scalar.lt(count))
    if goal.symbols() <= facts.launch:
        yield from terms.conjuncts(goal)
        yield goal


def _tiles(facts: KernelFacts) -> list[int]:
    """The sizes of the tiles that a kernel works on."""
    found = {s for op in facts.places if isinstance(op, RegionOp) for s in op.result.type.partition.tile_shape}
    return sorted(found - {1})


def _guard(op: Operation, goal: Term, facts: KernelFacts) -> str:
    """A branch around an access under which its index is in bounds, and why nothing less will do."""
    parts = [part for part in terms.conjuncts(goal) if not rules.holds(part, facts.places[op].given)]
    condition = terms.all_of(*parts)
    if not rules.holds(goal, facts.places[op].given.extended([condition])):
        return f"{_why(_unknown(goal, facts), facts)}nothing is known to help"
    return f"{_why(_unknown(goal, facts), facts)}proved inside `if {_spelled(condition)}:`"


def _nothing(op: Operation, goal: Term, facts: KernelFacts) -> str:
    """Why elements are compared whatever is asked of the launch."""
    if goal.is_const:  # the range of a type: what is compared is data
        return "nothing: indices may be any number"
    if _impossible(goal, facts):  # the same, cut off at one end
        return "nothing: indices may be out of bounds whatever the launch"
    if unknown := _unknown(goal, facts):
        return f"nothing: {_why(unknown, facts)}".removesuffix("; ")
    verdict = prove(goal, facts.places[op].given)
    if verdict.refuted:
        shown = {n: v for n, v in sorted(verdict.witness.items()) if n in goal.symbols()}
        return f"an element is out of bounds where {sizes(shown)}"
    return "nothing is known to help"


def _why(unknown: list[str], facts: KernelFacts) -> str:
    return "".join(f"`{name}` {why_unknown(facts.symbols[name])}; " for name in unknown[:1] if name in facts.symbols)


def _unknown(goal: Term, facts: KernelFacts) -> list[str]:
    """The symbols of a goal of which nothing but a type is known."""
    known = {*facts.launch, *facts.counters.values(), *(n for names in facts.points.values() for n in names)}
    return sorted(n for n in goal.symbols() - known if n in facts.symbols)


def _spelled(condition: Term) -> str:
    return str(condition).replace("ceildiv(", "fh.cdiv(")
