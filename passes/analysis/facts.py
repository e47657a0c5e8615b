"""What is known about the integers of a kernel: each value's term, and what holds where.

Facts belong to SSA values and follow the flow of control: the condition of an `if` holds in its branches, and behind it
where the other branch leaves; a counter lies between the bounds of its loop inside that loop only. What comes out of a
loop, or out of memory, is an unknown number of its type. A value that a loop carries is at least its initial value
where every turn is shown to keep that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import Any, Final, NamedTuple

from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.traits import is_side_effect_free

from freehold.dialects.classes import Kinds, nth, ops_of
from freehold.dialects.cuda_tile.integers import width_of
from freehold.dialects.cuda_tile.ops.control_flow import ContinueOp, ForOp, IfOp, LoopOp, WayOut, YieldOp, ends_of
from freehold.dialects.cuda_tile.ops.module import GetTileBlockIdOp
from freehold.dialects.cuda_tile.ops.shape import SelectOp
from freehold.dialects.names import users_name
from freehold.dialects.ownership import (
    RESERVED,
    AccessOp,
    BlocksKind,
    BorrowOp,
    CoordinateOp,
    DimOp,
    DistributeOp,
    Duty,
    GroupTilesOp,
    Indexing,
    KernelOp,
    PartitionOp,
    PartitionType,
    RegionOp,
    RequireOp,
    Rung,
    StartOp,
    StopOp,
    TensorType,
    TilesOp,
    UnsafeOp,
    WindowOp,
    extent_symbols,
    scalar_symbols,
    tensor_type,
)
from freehold.passes import schedules
from freehold.passes.analysis.arithmetic import term_of, truth
from freehold.passes.analysis.flow import handed_on
from freehold.passes.analysis.ranges import scalars_behind
from freehold.passes.analysis.wording import tensor_of
from freehold.passes.prover import rules
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.passes.prover.polynomials import bound_term
from freehold.passes.prover.prove import prove
from freehold.passes.rewriting import of_kind, operands_of, walk
from freehold.support import terms
from freehold.support.contract import MOST_EACH, MOST_PERSISTENT
from freehold.support.integers import contents
from freehold.support.terms import Term

MOST_POINTS: Final = {BlocksKind.EACH: MOST_EACH, BlocksKind.PERSISTENT: MOST_PERSISTENT}
"""How many points a launch may have; the launcher sees to it."""

LONGEST: Final = 1000
"""Terms in a term (`Term.size`) beyond which a number is as good as unknown. Each use of a value is there by itself, so
terms grow with every step as fast as powers of two, and so does the time of whoever walks through them."""

_MOST: Final = 2**31 - 1

_DEEPEST: Final = 6
"""Loops around a loop from which on what it carries is any number: each may be walked twice, with all that is in it."""


@dataclass(frozen=True)
class Place:
    """Where an operation stands."""

    given: Hypotheses
    """What holds there."""
    conditions: tuple[Term, ...]
    """Those of it that are the conditions of branches and of loops around it."""
    loops: tuple[ForOp | LoopOp, ...]
    """The loops around it, outermost first."""
    branches: tuple[tuple[IfOp, int], ...]
    """The branches around it: each `if`, and which of its regions."""
    distribution: DistributeOp | None
    """The distribution around it."""


@dataclass
class KernelFacts:
    """What the analysis found out about a kernel."""

    launch: frozenset[str] = frozenset()
    """Symbols that the launcher knows: extents of arguments, and integer scalars."""
    uniform: frozenset[str] = frozenset()
    """Symbols that are the same for all tile blocks: those, scalar arguments, and what is computed from them."""
    base: Hypotheses = field(default_factory=Hypotheses)
    """What holds everywhere: what the launcher guarantees."""
    terms: dict[SSAValue, Term] = field(default_factory=dict[SSAValue, Term])
    """The terms of integer scalars."""
    symbols: dict[str, SSAValue] = field(default_factory=dict[str, SSAValue])
    """The values that symbols other than extents stand for."""
    points: dict[DistributeOp, tuple[str, ...]] = field(default_factory=dict[DistributeOp, tuple[str, ...]])
    """The symbols of a distribution's point."""
    counters: dict[ForOp, str] = field(default_factory=dict[ForOp, str])
    """The symbols of loop counters that take no value twice."""
    turns: dict[ForOp | LoopOp, tuple[Hypotheses, Hypotheses]] = field(
        default_factory=dict["ForOp | LoopOp", tuple[Hypotheses, Hypotheses]]
    )
    """What holds in front of a loop, and in each of its turns."""
    places: dict[Operation, Place] = field(default_factory=dict[Operation, Place])
    """Where accesses, regions and distributions stand."""
    repeated: set[ForOp] = field(default_factory=set[ForOp])
    """Loops that are shown to run at least once."""
    group_tiles: dict[GroupKey, Term] = field(default_factory=dict["GroupKey", Term])
    """How many regions groups have: one symbol for equal groups of equal offsets, in equal tiles."""
    tried: dict[tuple[DistributeOp, str], tuple[Hypotheses, Any]] = field(
        default_factory=dict["tuple[DistributeOp, str]", "tuple[Hypotheses, Any]"], compare=False, repr=False
    )
    """What the points of a distribution do in launches of a kind, under these hypotheses: `races.worked_through`."""
    conditions: dict[Operation, list[Term]] = field(
        default_factory=dict["Operation", "list[Term]"], compare=False, repr=False
    )
    """What has to hold for operations to be reached, of those that were asked about: `reached.conditions_of`."""

    @property
    def passed(self) -> dict[str, SSAValue]:
        """The scalar arguments that have symbols: integers, and truth values that something depends on."""
        found = (item for item in self.symbols.items() if isinstance(item[1], BlockArgument))
        return {name: value for name, value in found if isinstance(value.owner.parent_op(), KernelOp)}

    def tiles_of(self, partition: SSAValue, group: Term) -> Term | None:
        """The number of regions of a group, if the kernel asks for it."""
        return self.group_tiles.get(_group_key(partition, group))

    def coordinates(self, op: AccessOp) -> tuple[Term, ...]:
        """The terms of an access's places, which are scalars."""
        return tuple(self.terms[place] for place in op.places)


GroupKey = tuple[SSAValue, int, Term]
"""Offsets, a tile's extent, and the number of a group: they say how many regions it has."""


def _group_key(partition: SSAValue, group: Term) -> GroupKey:
    op = partition.owner
    assert isinstance(op, PartitionOp)
    assert op.offsets is not None
    axis = op.result.type.groups_axis
    assert axis is not None
    return tensor_of(op.offsets), op.result.type.tile_shape[axis], group


def analyse(kernel: KernelOp, known: Guarantees | None = None) -> KernelFacts:
    """The facts of a kernel whose definitions dominate their uses; `known` are its `guarantees`, where they have been
    found."""
    walk = _Walk(kernel, guarantees(kernel) if known is None else known)
    walk.block(kernel.body.block)
    uniform = (name for name, value in walk.facts.symbols.items() if is_uniform(value, kernel))
    walk.facts.uniform = walk.facts.launch.union(uniform)
    return walk.facts


def is_uniform(value: SSAValue, kernel: KernelOp) -> bool:
    """Whether a value is the same in every tile block: computed once, outside of anything, from nothing else, and read
    from nothing that is written."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    if block is not kernel.body.block:
        return False
    if isinstance(value.owner, Block | DimOp | TilesOp):  # the launch says what extents there are
        return True
    return (
        not value.owner.regions
        and not isinstance(value.owner, GetTileBlockIdOp)
        and (is_side_effect_free(value.owner) or isinstance(value.owner, BorrowOp | WindowOp))
        and all(is_uniform(operand, kernel) for operand in value.owner.operands)
    )


class Guarantees(NamedTuple):
    """What holds in every launch of a kernel."""

    given: Hypotheses
    symbols: frozenset[str]
    """The symbols that the launcher knows."""


def guarantees(kernel: KernelOp) -> Guarantees:
    """What the launcher sees to, and the symbols that it knows: extents are from 1 to the greatest 32-bit integer, and
    multiples of what their layout says; integer scalars are of their types; requirements hold."""
    facts: dict[Term, None] = {}
    extents: list[Term] = []
    for argument in kernel.body.block.args:
        if not isinstance(type_ := argument.type, TensorType):
            continue
        for axis in range(type_.rank):
            extent = type_.extent(axis)
            extents.append(extent)
            facts[terms.const(1).le(extent)] = None
            facts[extent.le(_MOST)] = None
            if (divisor := type_.layout.extent_divs.data[axis].data) > 1:
                facts[(extent % terms.const(divisor)).eq(0)] = None
    bound = {*terms.solved(extents)}
    for scalar, name in scalar_symbols(kernel.body.block.args).items():
        bound.add(name)
        facts |= dict.fromkeys(_of_type(terms.sym(name), scalar))
    for op in ops_of(kernel.body.block):
        if isinstance(op, RequireOp):
            facts |= dict.fromkeys(terms.conjuncts(op.condition))
    return Guarantees(Hypotheses().extended(facts), frozenset(bound))


def _of_type(symbol: Term, value: SSAValue) -> tuple[Term, ...]:
    """The range of a value's type, as facts about its symbol."""
    width = width_of(value.type)
    if width is None:
        return ()
    low, high = contents(width)
    return terms.const(low).le(symbol), symbol.le(high)


def _agreed(kernel: KernelOp) -> Iterator[Term]:
    """What `verify-domains` left to the launcher."""
    for op in ops_of(kernel.body.block):
        if isinstance(op, DistributeOp):
            for duty in op.owes:
                if duty.duty is Duty.SAME_GRID and duty.rung is Rung.LAUNCH and duty.predicate is not None:
                    yield from terms.conjuncts(duty.predicate)


def _lengths(kernel: KernelOp) -> Iterator[Term]:
    """What is proved of the lengths of windows, or left to the launcher, whatever becomes of where they begin."""
    for op in ops_of(kernel.body.block):
        if isinstance(op, WindowOp):
            length = op.result.type.extent(op.axis.data)
            yield terms.const(1).le(length)
            yield length.le(tensor_type(op.tensor).extent(op.axis.data))


_SPECIAL: Final = Kinds(
    *(IfOp, ForOp, LoopOp, ContinueOp, SelectOp),
    *(DistributeOp, AccessOp, WindowOp, GroupTilesOp, StartOp, StopOp, CoordinateOp),
)
"""The operations of which more is known than what they compute."""


class _Walk:
    def __init__(self, kernel: KernelOp, known: Guarantees):
        self.facts = KernelFacts()
        arguments = kernel.body.block.args
        self.names: dict[SSAValue, str] = {**scalar_symbols(arguments)}
        self.taken: set[str] = {*RESERVED, *extent_symbols(arguments), *self.names.values()}
        self.facts.symbols.update((name, value) for value, name in self.names.items())
        self.facts.launch = known.symbols
        self.facts.base = known.given.extended((*_agreed(kernel), *_lengths(kernel)))
        self.stack: list[Hypotheses] = [self.facts.base]
        self.conditions: list[Term] = []
        self.loops: list[ForOp | LoopOp] = []
        self.branches: list[tuple[IfOp, int]] = []
        self.distribution: DistributeOp | None = None
        self.edges: dict[tuple[RegionOp, type[Operation]], Term] = {}
        """Where regions of groups begin and end."""
        self.turned: dict[WayOut, Hypotheses] = {}
        """What holds where a turn of a loop ends."""
        self.interesting, self.decisive = _slices(kernel)

    # What is known now

    @property
    def given(self) -> Hypotheses:
        """What holds at the operation that is looked at."""
        return self.stack[-1]

    def assume(self, *facts: Term) -> None:
        """From here on, in the block that is walked, `facts` hold."""
        self.stack[-1] = self.stack[-1].extended(facts)

    def term(self, value: SSAValue) -> Term:
        """The term of an integer scalar; a symbol of its own where it is an unknown number."""
        if (found := self.facts.terms.get(value)) is None:
            found = self.facts.terms[value] = self.unknown(value)
        return found

    def know(self, value: SSAValue, found: Term) -> None:
        """That this is the term of a value, unless it is too long."""
        self.facts.terms[value] = found if found.size() <= LONGEST else self.unknown(value)

    def unknown(self, value: SSAValue) -> Term:
        """A symbol for a value, of which only the type is known."""
        if (known := self.names.get(value)) is not None:
            return terms.sym(known)
        hint = users_name(value) or ""
        named = hint.isidentifier() and not iskeyword(hint) and hint.strip("_")
        base = hint if named else _name(value)
        name, number = base, 1
        while name in self.taken:
            number += 1
            name = f"{base}_{number}"
        self.taken.add(name)
        self.names[value] = name
        self.facts.symbols[name] = value
        symbol = terms.sym(name)
        if facts := _of_type(symbol, value):
            # The range of a type is true of the symbol wherever it is used, so every place in reach may know it.
            self.stack = [h.extended(facts) for h in self.stack]
        return symbol

    def forget(self, body: Block) -> None:
        """Drops the terms of everything that is computed in a loop's body: an assumption they rest on has failed."""
        for op in (inner for top in ops_of(body) for inner in walk(top)):
            for result in op.results:
                self.facts.terms.pop(result, None)
            for region in op.regions:
                for inner in region.blocks:
                    for argument in inner.args:
                        self.facts.terms.pop(argument, None)

    def shown(self, predicate: Term, wanted: SSAValue) -> bool:
        """Whether a predicate follows here. The solver is asked for values that places and loops depend on."""
        return rules.holds(predicate, self.given) or (wanted in self.decisive and prove(predicate, self.given).proved)

    def fits(self, t: Term, value: SSAValue) -> bool:
        """Whether a term is in the range of a value's type."""
        width = width_of(value.type)
        assert width is not None
        low, high = contents(width)
        if rules.in_range(t, low, high, self.given):
            return True
        return value in self.decisive and prove(terms.both(terms.const(low).le(t), t.le(high)), self.given).proved

    # The walk

    def block(self, block: Block) -> None:
        """Looks at everything in a block, in order."""
        for op in ops_of(block):
            self.operation(op)

    def nested(self, block: Block, facts: Iterable[Term] = ()) -> Hypotheses:
        """A block inside: what is found out there does not hold outside. Returns what holds where it begins."""
        given = self.stack[-1].extended(facts)
        self.stack.append(given)
        self.block(block)
        self.stack.pop()
        return given

    def operation(self, op: Operation) -> None:
        """One operation."""
        if not _SPECIAL[type(op)]:
            self.plain(op)
            return
        match op:
            case IfOp():
                self.branch(op)
            case ForOp():
                self.count(op)
            case LoopOp():
                self.turns(op, [])
            case DistributeOp():
                self.distribute(op)
            case ContinueOp():
                self.turned[op] = self.given
            case UnsafeOp():
                self.plain(op)
            case AccessOp():
                for value in scalars_behind(op.places) if op.indexing is Indexing.EACH else op.places:
                    self.term(value)
                self.record(op)
            case WindowOp():
                self.window(op)
            case GroupTilesOp():
                self.group_tiles(op)
            case StartOp() | StopOp():
                self.edge(op)
            case CoordinateOp():
                if isinstance(region := op.region.owner, RegionOp):
                    self.facts.terms[op.result] = self.term(region.coordinates[op.axis.data])
            case SelectOp():
                self.choose(op)
            case _:
                self.plain(op)

    def record(self, op: Operation) -> None:
        """Remembers where an operation stands."""
        self.facts.places[op] = Place(
            self.given, tuple(self.conditions), tuple(self.loops), tuple(self.branches), self.distribution
        )

    def window(self, op: WindowOp) -> None:
        """A part of a tensor. Where the launcher knows where it begins, it has seen that it lies in the tensor."""
        start, axis = self.term(op.start), op.axis.data
        self.record(op)
        if start.symbols() <= self.facts.launch:
            end = start + op.result.type.extent(axis)
            self.facts.base = self.facts.base.extended(
                [terms.const(0).le(start), end.le(tensor_type(op.tensor).extent(axis))]
            )
            self.assume(terms.const(0).le(start), end.le(tensor_type(op.tensor).extent(axis)))

    def always(self, *facts: Term) -> None:
        """Facts about symbols that are true of them wherever they are used."""
        self.stack = [h.extended(facts) for h in self.stack]

    def group_tiles(self, op: GroupTilesOp) -> None:
        """How many regions a group has: at most as many as its whole tensor."""
        type_ = op.partition.type
        if not isinstance(op.partition.owner, PartitionOp) or not isinstance(type_, PartitionType):
            return
        axis = type_.groups_axis
        assert axis is not None
        key = _group_key(op.partition, self.term(op.group))
        if (known := self.facts.group_tiles.get(key)) is None:
            known = self.facts.group_tiles[key] = self.term(op.result)
            self.always(terms.const(0).le(known))
        self.facts.terms[op.result] = known
        self.always(known.le(type_.grid(axis)))

    def edge(self, op: StartOp | StopOp) -> None:
        """Where a region begins or ends. It has an element: it has been shown, or is checked, to be one."""
        region, axis = op.region.owner, op.axis.data
        if not isinstance(region, RegionOp):
            return
        type_ = region.result.type.partition
        extent, tile = type_.tensor.extent(axis), type_.tile_shape[axis]
        if axis != type_.groups_axis:
            own = self.term(region.coordinates[axis + (type_.groups_axis is not None)])
            start = own * type_.steps[axis]
            found = start if isinstance(op, StartOp) else terms.minimum(start + tile, extent)
            if self.fits(found, op.result):
                self.facts.terms[op.result] = found
            return
        known = self.facts.terms[op.result] = self.edges.setdefault((region, type(op)), self.term(op.result))
        first = int(isinstance(op, StopOp))
        self.always(terms.const(first).le(known), known.lt(extent + first))
        start, stop = self.edges.get((region, StartOp)), self.edges.get((region, StopOp))
        if start is not None and stop is not None:
            self.always(start.lt(stop), stop.le(start + tile))

    def plain(self, op: Operation) -> None:
        """An operation without control flow of its own."""
        for region in op.regions:
            for inner in region.blocks:
                self.nested(inner)
        if len(op.results) == 1:
            result = nth(op.results, 0)
            width = width_of(result.type)
            if width is not None and (width == 1 or result in self.interesting):
                found = term_of(op, self)
                if found is not None:
                    self.know(result, found)

    def join(self, value: SSAValue, condition: Term, x: Term, y: Term) -> None:
        """`value` is `x` where the condition holds, and `y` where not."""
        if x == y:
            self.facts.terms[value] = x
        elif width_of(value.type) == 1:
            a, b = terms.both(condition, truth(x)), terms.both(terms.negate(condition), truth(y))
            self.know(value, terms.either(a, b))
        elif condition.op in ("<", "<=") and condition.args in ((x, y), (y, x)):
            smaller = condition.args == (x, y)
            self.know(value, terms.minimum(x, y) if smaller else terms.maximum(x, y))
        else:
            symbol = self.facts.terms[value] = self.unknown(value)
            a, b = bound_term(x, self.given.bounds), bound_term(y, self.given.bounds)
            one, other = terms.both(condition, symbol.eq(x)), terms.both(terms.negate(condition), symbol.eq(y))
            facts = [terms.either(one, other)]
            # What both of them satisfy, the rules can use; the intervals are those of this place, and stay with it.
            if a[0] is not None and b[0] is not None:
                facts.append(terms.const(min(a[0], b[0])).le(symbol))
            if a[1] is not None and b[1] is not None:
                facts.append(symbol.le(max(a[1], b[1])))
            self.assume(*facts)

    def choose(self, op: SelectOp) -> None:
        """One of two values, both computed."""
        if width_of(op.result.type) is None or op.result not in self.interesting:
            return
        self.join(op.result, truth(self.term(op.cond)), self.term(op.val_if_true), self.term(op.val_if_false))

    def branch(self, op: IfOp) -> None:
        """Two regions, under a condition and under its negation."""
        condition = truth(self.term(op.condition))
        falls: list[bool] = []
        yielded: list[Sequence[SSAValue]] = []
        for number, region in enumerate(op.regions):
            taken = condition if number == 0 else terms.negate(condition)
            for inner in region.blocks:
                self.branches.append((op, number))
                self.conditions.append(taken)
                self.nested(inner, [taken])
                self.conditions.pop()
                self.branches.pop()
            first = region.blocks.first
            last = None if first is None else first.last_op
            falls.append(last is None or isinstance(last, YieldOp))
            yielded.append(last.operands if isinstance(last, YieldOp) else ())
        for n, result in enumerate(op.results):
            if width_of(result.type) is None:
                continue
            if all(falls):
                self.join(result, condition, self.term(yielded[0][n]), self.term(yielded[1][n]))
            elif any(falls):
                self.facts.terms[result] = self.term(yielded[falls.index(True)][n])
        if falls == [False, True]:
            self.assume(terms.negate(condition))  # behind an `if` of which one branch leaves, the other was taken
        elif falls == [True, False]:
            self.assume(condition)

    def count(self, op: ForOp) -> None:
        """A counted loop."""
        low, high, step = (self.term(v) for v in (op.lowerBound, op.upperBound, op.step))
        counter = op.block.args[0]
        symbol = self.facts.terms.get(counter) or self.unknown(counter)
        self.facts.terms[counter] = symbol
        width = width_of(counter.type)
        assert width is not None
        facts: list[Term] = []
        zero, greatest = terms.const(0), contents(width)[1]
        signed = op.unsignedCmp is None or all(self.shown(zero.le(x), counter) for x in (low, high))
        if width > 1 and signed and self.shown(terms.const(1).le(step), counter):
            facts.append(symbol.lt(high))
            # The counter is compared after the last step, too. Where that may wrap, it may start again from below.
            if self.shown((high + step).le(greatest + 1), counter):
                facts.append(low.le(symbol))
                self.facts.counters[op] = symbol.name
                if step != terms.const(1):
                    facts.append(((symbol - low) % step).eq(0))
            if rules.holds(low.lt(high), self.given):
                self.facts.repeated.add(op)
        self.turns(op, facts)

    def turns(self, op: ForOp | LoopOp, facts: Sequence[Term]) -> None:
        """The body of a loop: once, or again with fewer assumptions about what it carries."""
        body, carried = op.block, list(zip(op.carried, op.initValues, strict=True))
        leaving = ends_of(op, ContinueOp)
        kept: set[BlockArgument] = set()
        for n, (argument, start) in enumerate(carried):
            if width_of(argument.type) is not None and all(c.operands[n] is argument for c in leaving):
                self.facts.terms[argument] = self.term(start)
                kept.add(argument)
        candidates: list[tuple[int, Term]] = []
        for n, (argument, start) in enumerate(carried):
            wide = width_of(argument.type) not in (None, 1) and len(self.loops) < _DEEPEST
            if wide and argument not in kept and argument in self.interesting:
                candidates.append((n, self.term(start).le(self.term(argument))))
        repeated, counters = set(self.facts.repeated), dict(self.facts.counters)
        while True:
            self.loops.append(op)
            self.conditions.extend(facts)
            outside = self.given
            self.facts.turns[op] = outside, self.nested(body, [*facts, *(fact for _, fact in candidates)])
            del self.conditions[len(self.conditions) - len(facts) :]
            self.loops.pop()
            failed = [c for c in candidates if not all(self.kept(c, carried, e) for e in leaving)]
            if not failed:
                break
            candidates = [c for c in candidates if c not in failed]
            self.facts.repeated, self.facts.counters = set(repeated), dict(counters)
            self.forget(body)
        for n, (argument, _) in enumerate(carried):
            if argument in kept and isinstance(op, ForOp):
                self.facts.terms[op.results[n]] = self.facts.terms[argument]

    def kept(
        self,
        candidate: tuple[int, Term],
        carried: Sequence[tuple[BlockArgument, SSAValue]],
        end: WayOut,
    ) -> bool:
        """Whether a turn that ends here hands on what the candidate says."""
        n, _ = candidate
        return rules.holds(self.term(carried[n][1]).le(self.term(end.operands[n])), self.turned[end])

    def distribute(self, op: DistributeOp) -> None:
        """The points of the domain."""
        self.record(op)
        extents = op.extents
        facts = [terms.const(1).le(extent) for extent in extents if not extent.is_const]
        most = MOST_POINTS[op.blocks.kind]
        facts.append(schedules.count(extents).le(most))
        facts += [extent.le(most) for extent in extents if not extent.is_const]  # the others are at least 1
        names: list[str] = []
        for argument, extent in zip(op.body.block.args, extents, strict=True):
            symbol = self.term(argument)
            names.append(symbol.name)
            facts += [terms.const(0).le(symbol), symbol.lt(extent)]
            if rules.holds(extent.eq(1), self.given):
                facts.append(symbol.eq(0))
        self.facts.points[op] = tuple(names)
        outer, self.distribution = self.distribution, op
        self.nested(op.body.block, facts)
        self.distribution = outer


def _name(value: SSAValue) -> str:
    """What a number is called that has no name: a point's coordinate by its axis, `i`, `j`, `k`, `l`, `i4`, ..."""
    if isinstance(value, BlockArgument):
        if isinstance(value.owner.parent_op(), DistributeOp):
            return "ijkl"[value.index] if value.index < 4 else f"i{value.index}"
        if isinstance(value.owner.parent_op(), ForOp) and value.index == 0:
            return "turn"
    return "number"


def _slices(kernel: KernelOp) -> tuple[set[SSAValue], set[SSAValue]]:
    """The integers that conditions, bounds of loops or places depend on, and those that bounds or places do."""
    places: list[SSAValue] = []
    conditions: list[SSAValue] = []
    for op in of_kind(kernel, AccessOp, WindowOp, ForOp, IfOp):
        match op:
            case UnsafeOp():
                pass
            case AccessOp() if op.indexing is Indexing.EACH:
                conditions += scalars_behind(op.places)
            case AccessOp():
                places += op.places
            case WindowOp():
                places.append(op.start)
            case ForOp():
                places += (op.lowerBound, op.upperBound, op.step, op.block.args[0])
            case _:
                conditions.append(op.condition)
    handed = handed_on(kernel)
    decisive = _closure(places, handed)
    return decisive | _closure(conditions, handed), decisive


def _closure(values: Iterable[SSAValue], handed: Mapping[SSAValue, Sequence[SSAValue]]) -> set[SSAValue]:
    """The values, and all that they are computed from, through loops and branches."""
    found: set[SSAValue] = set()
    todo = list(values)
    while todo:
        value = todo.pop()
        if value in found or width_of(value.type) is None:
            continue
        found.add(value)
        todo += handed.get(value, ())
        maker = value.op if isinstance(value, OpResult) else value.owner.parent_op()
        todo += () if maker is None or isinstance(maker, KernelOp | DistributeOp) else operands_of(maker)
    return found
