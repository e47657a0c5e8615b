"""
Whether conditions of stores leave no case out: `if a: store` and `if not a: store`, or in loops `if last: store`; and
what conditions in a loop are in its first turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import islice, product, takewhile
from typing import Final

from xdsl.ir import Block, Operation, Region, SSAValue

from freehold.dialects.classes import ops_of
from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp, LoopOp, ways_out
from freehold.dialects.location import span_of
from freehold.dialects.ownership import AccessOp, RegionOp
from freehold.passes.analysis.arithmetic import truth
from freehold.passes.analysis.facts import KernelFacts
from freehold.passes.analysis.flow import Flags
from freehold.passes.prover import rules
from freehold.passes.prover.prove import prove
from freehold.passes.rewriting import around, defined_outside
from freehold.support import terms
from freehold.support.span import Span
from freehold.support.terms import Term

_MOST_LOOPS: Final = 2
_MOST_CASES: Final = 16


def in_every_case(region: RegionOp, stores: Sequence[AccessOp], facts: KernelFacts) -> bool:
    """Whether a region that is taken is stored by one of the stores before its turn, or the point, ends."""
    cases = list(islice((case for store in stores for case in _cases(region, store, facts)), _MOST_CASES))
    return bool(cases) and prove(reduce(terms.either, cases), facts.places[region].given).proved


def left_in_front(stores: Sequence[AccessOp]) -> Span | None:
    """
    Where the text has a branch or a loop that is left for good in front of a store, on a way without any of the stores.

    What follows an `if` that returns stands in its other branch, though in the text it stands behind the `if`.
    """
    for store in stores:
        for branch in (op for op in around(store) if isinstance(op, IfOp)):
            span = span_of(branch)
            others = [way for way in branch.regions if not any(_is_in(s, way) for s in stores)]
            if span is None or not others or not _is_behind(span_of(store), span):
                continue
            end = others[0].block.last_op if others[0].blocks else None
            if end is not None and span_of(end) == span:  # made by the frontend: in a file it has a line of its own
                return span
    return None


def _is_in(op: Operation, region: Region) -> bool:
    return any(outer.parent_region() is region for outer in (op, *around(op)))


def _is_behind(span: Span | None, other: Span) -> bool:
    """Whether a text, or the call of the function that it stands in, is behind another in one function."""
    while span is not None and (span.file, span.call_site) != (other.file, other.call_site):
        span = span.call_site
    return span is not None and (span.line, span.start) >= (other.end_line, other.end)


def _cases(region: RegionOp, store: AccessOp, facts: KernelFacts) -> Iterator[Term]:
    """Conditions under each of which a store happens: those of the branches around it, in the first or the last turn of
    each loop around it. None where something in front of it may leave."""
    conditions: list[Term] = []
    loops: list[ForOp] = []
    at: Operation = store
    while not _leaves_before(at, region if at.parent is region.parent else None):
        if at.parent is region.parent:
            yield from _in_turns(terms.all_of(*conditions), loops, facts)
            return
        parent = at.parent_op()
        if isinstance(parent, IfOp):
            if (condition := facts.terms.get(parent.condition)) is None:
                return
            taken = truth(condition)
            conditions.insert(0, taken if at.parent is parent.thenRegion.block else terms.negate(taken))
        elif isinstance(parent, ForOp) and parent in facts.repeated and parent in facts.counters:
            loops.append(parent)
        else:
            return
        at = parent


def _leaves_before(op: Operation, start: Operation | None) -> bool:
    """Whether something between `start`, or the beginning of the block, and an operation may leave."""
    assert op.parent is not None
    begun = start is None
    for earlier in ops_of(op.parent):
        if earlier is op:
            return not begun
        if begun and ways_out(earlier):
            return True
        begun = begun or earlier is start
    return True


def _in_turns(condition: Term, loops: Sequence[ForOp], facts: KernelFacts) -> Iterator[Term]:
    """A condition in first and last turns of loops, the innermost first."""
    counters = {facts.counters[loop] for loop in loops}
    inside = (facts.symbols[n] for n in condition.symbols() - counters if n in facts.symbols)
    # What is computed anew in each turn is another number in another turn.
    if len(loops) > _MOST_LOOPS or any(not defined_outside(value, loop) for value in inside for loop in loops):
        return
    for lasts in product((False, True), repeat=len(loops)):
        found = condition
        for loop, last in zip(loops, lasts, strict=True):
            low, high, step = (facts.terms[v] for v in (loop.lowerBound, loop.upperBound, loop.step))
            turn = low + (high - 1 - low) // step * step if last else low
            found = found.substitute({facts.counters[loop]: turn})
        if not found.symbols() & counters:
            yield found


def in_first_turn(loop: LoopOp, facts: KernelFacts) -> Flags:
    """Conditions of branches in a loop that are known in its first turn, and what they are then."""
    in_front, _ = facts.turns[loop]
    found: set[tuple[SSAValue, int]] = set()
    for op in _branches(loop.block):
        if (now := _first(loop, op.condition, facts)) is not None:
            found |= {
                (op.condition, int(holds))
                for holds, goal in ((True, now), (False, terms.negate(now)))
                if rules.holds(goal, in_front)
            }
    return frozenset(found)


def _first(loop: LoopOp, condition: SSAValue, facts: KernelFacts) -> Term | None:
    """A condition as it is in a loop's first turn; None where nothing is known of it."""
    first: dict[str, Term] = {}
    for argument, start in zip(loop.carried, loop.initValues, strict=True):
        symbol, term = facts.terms.get(argument), facts.terms.get(start)
        if symbol is not None and symbol.op == "sym" and term is not None:
            first[symbol.name] = term
    found = facts.terms.get(condition)
    return None if found is None else truth(found).substitute(first)


def missing_turns(stores: Sequence[AccessOp], facts: KernelFacts) -> tuple[bool, Term | None]:
    """Whether a loop around a store may have no turn; and what a launch may be asked for, with which there is a turn
    and in it the store, where there is such a condition."""
    found = [
        (_turnless(store, region, facts), store, region)
        for store in stores
        if isinstance(region := store.memory.owner, RegionOp)
    ]
    missing = [(condition, store, region) for condition, store, region in found if condition is not None]
    for condition, store, region in missing:
        if condition.symbols() <= facts.launch and _stored_in_a_turn(store, region, facts):
            return True, condition
    return bool(missing), None


def _turnless(store: AccessOp, region: Operation, facts: KernelFacts) -> Term | None:
    """What has to hold for the outermost loop around a store to have a turn, where that is not shown; None if it is."""
    found: Term | None = None
    at: Operation | None = store
    while at is not None and at.parent is not region.parent:
        at = at.parent_op()
        match at:
            case ForOp() if at not in facts.repeated:
                low, high = (facts.terms.get(v) for v in (at.lowerBound, at.upperBound))
                found = low.lt(high) if low is not None and high is not None else found
            case LoopOp():
                head = next((op for op in _branches(at.block) if ways_out(op)), None)
                goes_on = head is not None and not any(ways_out(op) for op in ops_of(head.thenRegion.block))
                first = _first(at, head.condition, facts) if head is not None and goes_on else None
                found = first if first is not None and not rules.holds(first, facts.turns[at][0]) else found
            case _:
                pass
    return found


def _stored_in_a_turn(store: AccessOp, region: Operation, facts: KernelFacts) -> bool:
    """Whether a loop that may have no turn needs no more than a turn for the store: nothing in front of it
    leaves the turn, no branch leads past it, and each further loop around it has a turn."""
    at: Operation = store
    asked = False
    while at.parent is not region.parent:
        parent = at.parent_op()
        loop = next((op for op in around(at) if isinstance(op, ForOp | LoopOp)), None)
        known: Flags = in_first_turn(loop, facts) if isinstance(loop, LoopOp) else frozenset()
        head = isinstance(loop, LoopOp) and next((op for op in _branches(loop.block) if ways_out(op)), None)
        if any(ways_out(op) for earlier in _in_front(at) if earlier is not head for op in _taken(earlier, known)):
            return False
        match parent:
            case ForOp():
                if parent not in facts.repeated:
                    if asked:
                        return False
                    asked = True
            case LoopOp():
                asked = True
            case IfOp() if parent is not head:
                taken = parent.thenRegion if at.parent is parent.thenRegion.block else parent.elseRegion
                if (parent.condition, int(taken is parent.thenRegion)) not in known:
                    return False
            case IfOp():
                pass
            case _:
                return False
        at = parent
    return asked


def _taken(op: Operation, known: Flags) -> Iterator[Operation]:
    """An operation, or what stands in the branch of it that is known to be taken."""
    if isinstance(op, IfOp):
        for holds, way in ((1, op.thenRegion), (0, op.elseRegion)):
            if (op.condition, holds) in known:
                yield from ops_of(way.block) if way.blocks else ()
                return
    yield op


def ends_of_turns(stores: Sequence[AccessOp]) -> list[Span]:
    """Where the text leaves a turn, or a loop, in front of a store in it: at `continue` and `break`."""
    found: dict[Span, None] = {}
    for store in stores:
        at: Operation | None = store
        while at is not None and at.parent is not None and at.parent is not store.memory.owner.parent:
            for way in (way for op in _in_front(at) for way in ways_out(op)):
                loop = next((op for op in around(way) if isinstance(op, ForOp | LoopOp)), None)
                if loop is not None and (span := span_of(way)) is not None and span != span_of(loop):
                    found[span] = None
            at = at.parent_op()
    return list(found)


def _in_front(op: Operation) -> Iterator[Operation]:
    """What stands in front of an operation in its block."""
    assert op.parent is not None
    yield from takewhile(lambda earlier: earlier is not op, ops_of(op.parent))


def _branches(block: Block) -> Iterator[IfOp]:
    """The `if`s in a block, and in one another, but in no loop there."""
    for op in ops_of(block):
        if isinstance(op, IfOp):
            yield op
            for region in op.regions:
                for inner in region.blocks:
                    yield from _branches(inner)
