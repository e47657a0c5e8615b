"""One walk along every path through structured control flow; what is known along a path is the business of a domain.

Paths on which a flag is known to differ stay apart. Where the branches of an `if` yield constant truth values, where a
loop hands on or is left with a constant, and in the branches of an `if` itself, the flag is known behind. An `if` that
asks for it later, for its negation, or for a conjunction or disjunction with it, is gone into on one side alone then.
So `returned = if a {store; yield true} else {yield false}; if not returned {store}` stores exactly once on every path.
Where conditions in a loop are known in its first turn, as that a range of three is not over, it is followed by itself.
What is known of a flag is forgotten where nothing asks for it any more, so that few paths stay apart.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import ClassVar, Final, Generic, NamedTuple, Protocol, TypeVar

from xdsl.ir import Block, Operation, SSAValue

from freehold.dialects.classes import Kinds, ops_of
from freehold.dialects.cuda_tile.integers import meaning_of, width_of
from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, ForOp, IfOp, LoopOp, ReturnOp, YieldOp
from freehold.passes.rewriting import around, defined_outside, integer, of_kind, walk

State = TypeVar("State")
Loop = ForOp | LoopOp
Flags = frozenset[tuple[SSAValue, int]]
"""Truth values that are known on a path."""
Paths = Mapping[Flags, State]
"""The states of the paths that stay apart."""

_MOST_PATHS: Final = 8
"""Paths that stay apart. Where there are more, those meet whose flags alone differ, then those that differ in no flag
that matters, and then all."""
_MOST_ROUNDS: Final = 8
"""Rounds through a loop in which they do; in as many more those do that differ in a flag that matters."""


class End(NamedTuple, Generic[State]):
    """How a path leaves a block: its state, and the values that it hands on."""

    flags: Flags
    state: State
    values: tuple[SSAValue, ...]


class Domain(Protocol[State]):
    """What is known along a path, as states that can be compared."""

    VISITS: ClassVar[Kinds]
    """The operations without control flow that change states, or end paths; all others are passed over."""

    def visit(self, op: Operation, state: State) -> State | None:
        """The state behind an operation without control flow; None where its end is not reached. May change `state`."""
        ...

    def fork(self, state: State) -> State:
        """A state that may be changed without the other."""
        ...

    def meet(self, op: Operation, ends: Sequence[End[State]], names: Sequence[SSAValue]) -> State:
        """What holds after any of `ends`, whose values become `names`."""
        ...

    def turned(self, loop: Loop, state: State) -> State:
        """What holds when a turn of a loop is over."""
        ...

    def runs(self, loop: ForOp) -> bool:
        """Whether a counted loop is known to turn at least once."""
        ...

    def first_turn(self, loop: LoopOp) -> Flags:
        """Conditions of branches in a loop that are known in its first turn, and what they are then."""
        ...

    def matters(self, flag: SSAValue) -> bool:
        """Whether paths on which a truth value differs are to stay apart where there are too many paths."""
        ...


@dataclass
class _Leaving(Generic[State]):
    """The ways in which the turns of a loop are ended, and the loop is left."""

    continued: list[End[State]] = field(default_factory=list[End[State]])
    broken: list[End[State]] = field(default_factory=list[End[State]])


_STEPS: Final = Kinds(YieldOp, ContinueOp, BreakOp, ReturnOp, IfOp, ForOp, LoopOp)


class Flow(Generic[State]):
    """The walk. `root` is the operation inside of which it happens."""

    def __init__(self, root: Operation, domain: Domain[State]):
        self.domain = domain
        flags = _flags(root)
        self.spans = _spans(root) if flags else {}
        self.flags = dict(sorted(_last_asked(flags, self.spans).items(), key=lambda item: item[1]))
        self.around: dict[Loop, _Leaving[State]] = {}

    def block(self, block: Block, paths: Paths[State]) -> list[End[State]]:
        """Follows a block; how its own end is reached, and what it yields."""
        steps, visits = _STEPS, self.domain.VISITS
        for op in ops_of(block):
            kind = type(op)
            if not (steps[kind] or visits[kind]):
                continue
            if not paths:
                return []
            match op:
                case YieldOp():
                    return [End(flags, state, tuple(op.operands)) for flags, state in paths.items()]
                case ContinueOp() | BreakOp():
                    leaving = self.around[op.loop]
                    ends = leaving.broken if isinstance(op, BreakOp) else leaving.continued
                    ends += (End(flags, state, tuple(op.operands)) for flags, state in paths.items())
                    return []
                case ReturnOp():
                    return []
                case IfOp():
                    paths = self._branch(op, paths)
                case ForOp() | LoopOp():
                    paths = self._loop(op, paths)
                case _:
                    behind = ((flags, self.domain.visit(op, state)) for flags, state in paths.items())
                    paths = {flags: state for flags, state in behind if state is not None}
        return [End(flags, state, ()) for flags, state in paths.items()]

    def _branch(self, op: IfOp, paths: Paths[State]) -> Paths[State]:
        ends: list[End[State]] = []
        for number, region in enumerate(op.regions):
            taken = int(number == 0)
            sides = [
                End(flags | self._learnt(op.condition, taken), self.domain.fork(state), ())
                for flags, state in paths.items()
                if value_on(op.condition, flags) in (None, taken)
            ]
            if region.blocks:
                ends += self.block(region.block, self._grouped(op, ((end.flags, end) for end in sides), ()))
            else:
                ends += sides
        return self._met(op, ends, op.results)

    def _learnt(self, condition: SSAValue, value: int) -> Flags:
        """The flags that are known where a condition has a value."""
        found = frozenset({(condition, value)}) if condition in self.flags else frozenset[tuple[SSAValue, int]]()
        for operand, choices in _allowed(condition, value):
            if len(choices) == 1:
                found |= self._learnt(operand, next(iter(choices)))
        return found

    def _loop(self, op: Loop, paths: Paths[State]) -> Paths[State]:
        """Follows turns until nothing changes."""
        carried = op.carried
        start = [End(flags, self.domain.fork(state), tuple(op.initValues)) for flags, state in paths.items()]
        head, rounds = self._met(op, start, carried, turns=True), 0
        early: list[End[State]] = []
        if isinstance(op, LoopOp) and (known := self.domain.first_turn(op)):
            # The first turn is followed by itself, and all others begin with what it leaves.
            self.around[op] = first = _Leaving[State]()
            self.block(op.block, {flags | known: self.domain.fork(state) for flags, state in head.items()})
            start = [end._replace(state=self.domain.turned(op, end.state)) for end in first.continued]
            head, early = self._met(op, start, carried, turns=True), first.broken
        while True:
            leaving: _Leaving[State] = _Leaving()
            self.around[op] = leaving
            self.block(op.block, {flags: self.domain.fork(state) for flags, state in head.items()})
            turns = [end._replace(state=self.domain.turned(op, end.state)) for end in leaving.continued]
            # Paths that stay apart in one round and meet in the next could go on so for ever.
            late = rounds >= _MOST_ROUNDS
            before = [End(flags, state, tuple(carried)) for flags, state in head.items()] if late else []
            following = self._met(op, [*start, *before, *turns], carried, turns=True, rounds=rounds)
            if following == head:
                break
            head, rounds = following, rounds + 1
        if isinstance(op, LoopOp):
            exits = [*early, *leaving.broken]
        else:
            exits = turns if self.domain.runs(op) else [*start, *turns]
        return self._met(op, [e._replace(state=self.domain.turned(op, e.state)) for e in exits], op.results)

    def _met(
        self,
        op: Operation,
        ends: Sequence[End[State]],
        names: Sequence[SSAValue],
        *,
        turns: bool = False,
        rounds: int = 0,
    ) -> Paths[State]:
        """The paths behind `op`, or at the head of its `turns`: of those that know the same, one is left."""
        known: list[tuple[Flags, End[State]]] = []
        here = self.spans[op][not turns] if self.flags else 0
        for end in ends:
            asked = [(flag, value) for flag, value in end.flags if self.flags.get(flag, sys.maxsize) > here]
            kept = {(flag, value) for flag, value in asked if defined_outside(flag, op)}
            for name, handed in zip(names, end.values, strict=False):
                if self.flags.get(name, -1) > here and (value := value_on(handed, end.flags)) is not None:
                    kept.add((name, value))
            known.append((frozenset(kept), end))
        for flag in self.flags:
            if len({flags for flags, _ in known}) <= _MOST_PATHS:
                break
            known = _without(flag, known)
        if rounds >= _MOST_ROUNDS or len({flags for flags, _ in known}) > _MOST_PATHS:
            known = [(frozenset(pair for pair in flags if self.domain.matters(pair[0])), end) for flags, end in known]
        if rounds >= 2 * _MOST_ROUNDS or len({flags for flags, _ in known}) > _MOST_PATHS:
            known = [(frozenset(), end) for end in ends]
        return self._grouped(op, known, names)

    def _grouped(
        self, op: Operation, known: Iterable[tuple[Flags, End[State]]], names: Sequence[SSAValue]
    ) -> Paths[State]:
        """Paths by what is known on them: those that know the same meet."""
        groups: dict[Flags, list[End[State]]] = {}
        for flags, end in known:
            groups.setdefault(flags, []).append(end)
        return {flags: self.domain.meet(op, group, names) for flags, group in groups.items()}


def _without(flag: SSAValue, known: list[tuple[Flags, End[State]]]) -> list[tuple[Flags, End[State]]]:
    """Paths, of which those that differ in a flag alone, and have one state, do not know it any more."""
    rest = [frozenset(pair for pair in flags if pair[0] is not flag) for flags, _ in known]
    groups: dict[Flags, list[tuple[Flags, State]]] = {}
    for less, (flags, end) in zip(rest, known, strict=True):
        groups.setdefault(less, []).append((flags, end.state))
    alike = {
        less
        for less, ends in groups.items()
        if any(flags != ends[0][0] for flags, _ in ends) and all(state == ends[0][1] for _, state in ends)
    }
    return [(less if less in alike else flags, end) for less, (flags, end) in zip(rest, known, strict=True)]


def value_on(value: SSAValue, flags: Flags) -> int | None:
    """The truth value that something has on a path; None where that is not known."""
    for flag, known in flags:
        if flag is value:
            return known
    if width_of(value.type) != 1:
        return None
    if (constant := integer(value)) is not None:
        return constant
    results = {result for _, result in _cases(value, lambda operand: value_on(operand, flags))}
    return results.pop() if len(results) == 1 else None


def _cases(value: SSAValue, known: Callable[[SSAValue], int | None]) -> Iterator[tuple[tuple[int, ...], int | None]]:
    """What truth values may be computed of, and what comes out; nothing for what is not computed of truth values."""
    op = value.owner
    meaning = meaning_of(op) if isinstance(op, Operation) else None
    if meaning is None or not isinstance(op, Operation) or meaning.width != 1 or width_of(value.type) != 1:
        return
    choices = [(0, 1) if (found := known(operand)) is None else (found,) for operand in op.operands]
    for operands in product(*choices):
        yield operands, meaning(*operands)


def _allowed(value: SSAValue, result: int) -> list[tuple[SSAValue, set[int]]]:
    """What each operand may be that a truth value is computed of, where it has come out as `result`."""
    operands = value.owner.operands if isinstance(value.owner, Operation) else ()
    cases = [case for case, found in _cases(value, lambda operand: None) if found in (None, result)]
    cases = [c for c in cases if all(integer(o) in (None, x) for o, x in zip(operands, c, strict=True))]
    return [(operand, {case[n] for case in cases}) for n, operand in enumerate(operands)] if cases else []


def _flags(root: Operation) -> list[SSAValue]:
    """The truth values that branches depend on, and that can be known behind one: those that control flow hands on, and
    those of which more than one thing depends; in an order that every run has."""
    found: list[SSAValue] = []
    todo = [op.condition for op in of_kind(root, IfOp)]
    handed = handed_on(root) if todo else {}
    seen: set[SSAValue] = set()
    while todo:
        value = todo.pop()
        if value in seen or width_of(value.type) != 1:
            continue
        seen.add(value)
        if value in handed or sum(1 for _ in value.uses) > 1:
            found.append(value)
        todo += handed.get(value, ())
        if isinstance(value.owner, Operation) and not value.owner.regions:
            todo += value.owner.operands
    return found


def _spans(root: Operation) -> dict[Operation, tuple[int, int]]:
    """All operations in the order of the text: the number of each, and of the last one in it."""
    order = walk(root)
    first = {op: number for number, op in enumerate(order)}
    last = dict(first)
    for op in reversed(order):
        if op is not root and (outer := op.parent_op()) is not None:
            last[outer] = max(last[outer], last[op])
    return {op: (first[op], last[op]) for op in order}


def _last_asked(flags: Iterable[SSAValue], spans: Mapping[Operation, tuple[int, int]]) -> dict[SSAValue, int]:
    """Where each flag is used last, itself or in what is computed of it."""
    found: dict[SSAValue, int] = {}

    def last(value: SSAValue) -> int:
        if value not in found:
            found[value] = max((place(use.operation, value) for use in value.uses), default=-1)
        return found[value]

    def place(user: Operation, value: SSAValue) -> int:
        if user not in spans:  # taken out of the kernel, or around it
            return sys.maxsize
        number = spans[user][0]
        for outer in around(user):
            if not defined_outside(value, outer) or outer not in spans:
                break
            if isinstance(outer, ForOp | LoopOp):
                number = spans[outer][1]  # the next turn asks, too
        made = () if user.regions else user.results
        return max(number, *(last(result) for result in made if width_of(result.type) == 1), -1)

    return {flag: last(flag) for flag in flags}


def handed_on(root: Operation) -> dict[SSAValue, list[SSAValue]]:
    """What control flow hands on inside an operation: by results and carried values, what may become them."""
    found: dict[SSAValue, list[SSAValue]] = {}
    for op in of_kind(root, YieldOp, ContinueOp, BreakOp, ForOp, LoopOp):
        match op:
            case YieldOp() if (parent := op.parent_op()) is not None:
                targets, sources = parent.results, op.operands
            case ContinueOp(loop=loop):
                targets, sources = _by_turns(loop), op.operands
            case BreakOp(loop=loop):
                targets, sources = loop.results, op.operands
            case ForOp() | LoopOp():
                targets, sources = _by_turns(op), op.initValues
            case _:
                continue
        for target, source in zip(targets, (*sources, *sources), strict=False):
            found.setdefault(target, []).append(source)
    return found


def _by_turns(loop: Loop) -> Sequence[SSAValue]:
    """What the values that a turn begins or ends with become: a `for` ends with those of its last turn."""
    return (*loop.carried, *loop.results) if isinstance(loop, ForOp) else loop.carried
