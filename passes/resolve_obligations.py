"""`resolve-obligations`: meets the bounds of every access on the cheapest rung that holds, and records which.

Owed are, for each axis of a load from a borrow and of a region that is taken, that the tile index is at least 0 and
below the number of tiles. Proved, where that follows from what holds at the access. At launch, where the extreme values
of the index are terms that the launcher knows: one comparison, under the condition that the access happens at all. In
the kernel, otherwise. Refused, where no index that can occur is in bounds, or where every launch has a point that is
shown to violate them.

Accesses by element (`gather`, `load_from`, indexed updates) leave out what is out of bounds. They owe nothing, and what
is recorded says whether there can be such an element at all: `proved` where not, `masked` otherwise. One of which no
element is ever in bounds is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from freehold.dialects.location import span_of
from freehold.dialects.ownership import (
    AccessOp,
    BorrowOp,
    Duty,
    DutyAttr,
    Indexing,
    KernelOp,
    LoadOp,
    PartitionOp,
    RegionOp,
    Rung,
    WindowOp,
    tensor_type,
)
from freehold.passes.analysis import races
from freehold.passes.analysis.certain import in_every_launch
from freehold.passes.analysis.concrete import Visit
from freehold.passes.analysis.extremes import at_launch
from freehold.passes.analysis.facts import KernelFacts, analyse, guarantees
from freehold.passes.analysis.groups import reach
from freehold.passes.analysis.ranges import Range, Ranges
from freehold.passes.analysis.reached import computed, conditions_of
from freehold.passes.analysis.wording import access_text, is_named, name_of, sizes, tuple_text
from freehold.passes.errors.bounds import MapNotShownInside, NoElementInBounds, OutOfBounds
from freehold.passes.errors.windows import NotInGroup, WindowOutside
from freehold.passes.prover import rules
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.passes.prover.polynomials import poly
from freehold.passes.prover.prove import Verdict, prove
from freehold.passes.prover.search import find
from freehold.passes.verify_dominance import refuse
from freehold.support import terms
from freehold.support.diagnostic import Error
from freehold.support.terms import Term

_MOST: Final = 2**31 - 1


@dataclass(frozen=True)
class ResolveObligationsPass(ModulePass):
    """Records on each access how its bounds are met; refuses those that are never in bounds."""

    name = "resolve-obligations"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Raises `Rejected` with every error (O302 to O306) of every kernel."""
        refuse(op, lambda kernel: resolve_obligations(analyse(kernel)))


def resolve_obligations(facts: KernelFacts) -> list[Error]:
    """Records the rung of each bound in a kernel whose definitions dominate uses; returns those that are refused."""
    errors: list[Error] = []
    for op in facts.places:
        if isinstance(op, WindowOp):
            errors += _window(op, facts)
        elif isinstance(op, AccessOp) and op.owed:
            if op.indexing is not Indexing.TILES:
                errors += _by_element(op, facts)
            elif isinstance(op, RegionOp) and op.result.type.partition.groups_axis is not None:
                errors += _region_of_group(op, facts)
            else:
                errors += _tile(op, facts)
    for partition in dict.fromkeys(p for d in facts.points for p in d.partitions):
        if isinstance(op := partition.owner, PartitionOp) and op.offsets is not None:
            _offsets(op)
    return errors


def _tile(op: AccessOp, facts: KernelFacts) -> Iterator[Error]:
    """Records how it is met that a tile is one of its tensor's."""
    found: list[DutyAttr] = []
    for axis, (index, size) in enumerate(zip(facts.coordinates(op), op.steps, strict=True)):
        count = terms.ceildiv(tensor_type(op.memory).extent(axis), terms.const(size))
        met = _meet(op, axis, index, count, facts)
        if isinstance(met, Error):
            yield met
        else:
            found.append(met)
    op.discharge(*found)


def _offsets(op: PartitionOp) -> None:
    """Records how it is met that offsets bound groups: they are data, so by a check in front of all work."""
    assert op.offsets is not None
    type_, name = op.result.type, name_of(op.offsets)
    axis = type_.groups_axis
    assert axis is not None
    extent = type_.tensor.extent(axis)
    ends = f"0 == {name}[0] <= ... <= {name}[{op.groups}] == {extent}"
    text = ends if type_.covered else ends.replace("==", "<=")
    if (tiles := reach(op)) is not None:  # the points take so many regions of each group
        text += f", and {name}[e + 1] - {name}[e] <= {tiles * type_.tile_shape[axis]} for every e"
    op.discharge(DutyAttr.of(Duty.GROUPED, Rung.KERNEL, text, axis))


def _region_of_group(op: RegionOp, facts: KernelFacts) -> Iterator[Error]:
    """Records that a region is one of its group's. Nothing of this is checked in the kernel."""
    partition, given = op.result.type.partition, facts.places[op].given
    group, *coordinates = facts.coordinates(op)
    owner, axis = op.partition.owner, partition.groups_axis
    if not isinstance(owner, PartitionOp) or axis is None:
        return  # reported where borrows are verified
    tiles = facts.tiles_of(op.partition, group)
    found: list[DutyAttr] = []
    for n, index in enumerate(coordinates):
        count = tiles if n == axis else partition.grid(n)
        inside = terms.FALSE if count is None else terms.both(terms.const(0).le(index), index.lt(count))
        if n == axis:
            inside = terms.both(terms.both(terms.const(0).le(group), group.lt(owner.groups)), inside)
        if not all(prove(part, given).proved for part in terms.conjuncts(inside)):
            error = NotInGroup(span_of(op), name_of(op.partition), ", ".join(map(str, coordinates)), str(group))
            yield error.add(error.Guard())
            return
        found.append(DutyAttr.of(Duty.IN_BOUNDS, Rung.PROVED, str(inside), n))
    op.discharge(*found)


def _window(op: WindowOp, facts: KernelFacts) -> Iterator[Error]:
    """Records how it is met that a window lies in its tensor: at launch, but for where one begins whose place is data.

    Nothing that is known because windows lie in their tensors is used.
    """
    kernel = op.parent_op()
    if not isinstance(kernel, KernelOp):
        return  # `verify-domains` refuses it: its duties stay open
    given, _ = guarantees(kernel)
    axis, start = op.axis.data, facts.terms[op.start]
    extent, length = tensor_type(op.tensor).extent(axis), op.result.type.extent(axis)
    known = start.symbols() <= facts.launch
    fits = terms.both(terms.const(1).le(length), length.le(extent))
    inside = terms.both(terms.const(0).le(start), (start + length).le(extent))
    found: list[DutyAttr] = []
    for duty, wanted in ((Duty.FITS, fits), (Duty.IN_BOUNDS, inside)) if known else ((Duty.FITS, fits),):
        given = given if wanted is fits else given.extended(terms.conjuncts(fits))
        open_ = [part for part in terms.conjuncts(wanted) if not prove(part, given).proved]
        if any(prove(terms.negate(part), given).proved for part in open_):
            yield WindowOutside(span_of(op), name_of(op.tensor), axis, str(start), str(start + length), str(extent))
            return
        if open_:
            found.append(DutyAttr.of(duty, Rung.LAUNCH, axis=axis, predicate=terms.all_of(*open_)))
        else:
            found.append(DutyAttr.of(duty, Rung.PROVED, str(wanted), axis))
    if not known:
        wanted = terms.both(terms.const(0).le(start), start.le(extent - length))
        if prove(wanted, facts.places[op].given).proved:
            found.append(DutyAttr.of(Duty.IN_BOUNDS, Rung.PROVED, str(wanted), axis))
        else:
            found.append(DutyAttr.of(Duty.IN_BOUNDS, Rung.KERNEL, axis=axis, predicate=wanted))
    op.discharge(*found)


def _by_element(op: AccessOp, facts: KernelFacts) -> Iterator[Error]:
    """Records for each axis whether every element is in bounds; of a tile from an element on, whether that is."""
    given, tensor = facts.places[op].given, tensor_type(op.memory)
    if op.indexing is Indexing.FIRST:
        firsts = facts.coordinates(op)
        found: list[Range] = [(first, first) for first in firsts]
        lasts = [first + (size - 1) for first, size in zip(firsts, op.shape, strict=True)]
    else:
        ranges = Ranges(facts.terms, given)
        found = [ranges.of(index) for index in op.places]
        lasts = [high for _, high in found]
    recorded: list[DutyAttr] = []
    for axis, ((low, high), last) in enumerate(zip(found, lasts, strict=True)):
        extent = tensor.extent(axis)
        inside = terms.const(0).le(low), high.lt(extent)
        if all(bound.value if bound.is_const else prove(bound, given).proved for bound in inside):
            text = f"0 <= {low} < {extent}" if low == high else f"0 <= {low} and {high} < {extent}"
            recorded.append(DutyAttr.of(Duty.IN_BOUNDS, Rung.PROVED, text, axis))
            continue
        for outside, text in ((last.lt(0), "negative"), (extent.le(low), f"{extent} or more")):
            if rules.holds(outside, given):
                yield _nothing_inside(op, axis, text)
        known = not (low.is_const and high.is_const and low.value < 0 <= _MOST <= high.value)
        why = f"from {low} to {last}" if known else "any number"
        recorded.append(DutyAttr.of(Duty.IN_BOUNDS, Rung.MASKED, f"indices are {why}", axis))
    op.discharge(*recorded)


def _nothing_inside(op: AccessOp, axis: int, text: str) -> Error:
    name = name_of(op.memory)
    error = NoElementInBounds(span_of(op), op.CALLED.split()[0], name, axis, text)
    if text == "negative":
        error.add(error.FromTheEnd(name, axis))
    return error


def _meet(op: AccessOp, axis: int, index: Term, count: Term, facts: KernelFacts) -> DutyAttr | Error:
    given = facts.places[op].given
    low, high = terms.const(0).le(index), index.lt(count)
    verdicts = [prove(low, given), prove(high, given)]
    if all(v.proved for v in verdicts):
        by = "the solver" if any(v.by == "solver" for v in verdicts) else "rules"
        return DutyAttr.of(Duty.IN_BOUNDS, Rung.PROVED, f"0 <= {index} < {count} by {by}", axis)
    for bound, verdict, text in ((low, verdicts[0], "0 or more"), (high, verdicts[1], f"below {count}")):
        if verdict.refuted and _never(bound, given):
            return _refused(op, axis, index, count, f"never {text}", verdict.witness, facts)
        if verdict.refuted and (somewhere := in_every_launch(op, bound, facts)) is not None:
            return _refused(op, axis, index, count, f"not {text} at some point of every launch", somewhere, facts)
    open_ = terms.all_of(*(b for b, v in zip((low, high), verdicts, strict=True) if not v.proved))
    at = at_launch(index, count, op, facts, low=not verdicts[0].proved, high=not verdicts[1].proved)
    if at is not None and not prove(terms.negate(at), facts.base).proved:
        if prove(at, facts.base).proved:
            return DutyAttr.of(Duty.IN_BOUNDS, Rung.PROVED, f"{at} for every launch", axis)
        return DutyAttr.of(Duty.IN_BOUNDS, Rung.LAUNCH, axis=axis, predicate=at)
    if isinstance(op, RegionOp) and op.mapped is not None:
        return _map_not_inside(op, axis, index, count, verdicts, facts)
    return DutyAttr.of(Duty.IN_BOUNDS, Rung.KERNEL, axis=axis, predicate=open_)


def _map_not_inside(
    op: RegionOp, axis: int, index: Term, count: Term, verdicts: Sequence[Verdict], facts: KernelFacts
) -> MapNotShownInside:
    """The error for a map that may leave its tensor, in ways that no launch can be asked about."""
    error = MapNotShownInside(span_of(op), name_of(op.partition), axis, str(index))
    witness = next((v.witness for v in verdicts if v.refuted), None)
    if witness is not None and (found := races.outside(op, axis, count, witness, facts)) is not None:
        launch, visit = found
        error.add(error.Example(_values(launch, visit, index, facts), visit.coordinates[axis], count.evaluate(launch)))
    return error.add(error.Smaller())


def _values(launch: Mapping[str, int], visit: Visit, index: Term, facts: KernelFacts) -> str:
    """The numbers of a launch, and others that an index is computed from."""
    others = {n: visit.values.get(facts.symbols[n]) for n in sorted(index.symbols() - launch.keys())}
    return sizes({**launch, **{n: value for n, value in others.items() if value is not None}})  # some are not computed


def _never(bound: Term, given: Hypotheses) -> bool:
    """Whether a bound fails whenever the access happens."""
    wrong = terms.negate(bound)
    if rules.holds(wrong, given):
        return True
    return find(given.relevant(bound), bound) is None and prove(wrong, given).proved


def _refused(
    op: AccessOp,
    axis: int,
    index: Term,
    count: Term,
    bound: str,
    witness: Mapping[str, int],
    facts: KernelFacts,
) -> Error:
    error = OutOfBounds(span_of(op), access_text(op), axis, str(index), bound)
    # Where the index, or whether the access happens, depends on what is computed, no values can be said to lead to it.
    leads = not computed([index, *conditions_of(op, facts)], facts)
    if leads and (found := races.outside(op, axis, count, witness, facts)) is not None:
        launch, visit = found
        where = f"where {values}, " if (values := _values(launch, visit, index, facts)) else ""
        who = f" by block {tuple_text(visit.point)}" if visit.point else ""
        error.add(error.Witness(where, visit.coordinates[axis], count.evaluate(launch), who))
    last = str(count - 1)
    if count.symbols():
        last = f"fh.cdiv({name_of(op.memory)}.shape[{axis}], {op.steps[axis]}) - 1"
    error.add(error.LastTile(last))
    if isinstance(op, LoadOp) and not _written(op.memory) and (start := _beside(op, axis, facts)) is not None:
        error.add(error.Beside(f"{name_of(op.memory)}.load_from({start}, {tuple_text(op.steps)})"))
    return error


def _written(memory: SSAValue) -> bool:
    """Whether what a load reads is a borrow of a tensor that blocks write."""
    tensor = memory.owner.tensor if isinstance(memory.owner, BorrowOp) else memory
    return any(isinstance(use.operation, PartitionOp) for use in tensor.uses)


def _beside(op: LoadOp, axis: int, facts: KernelFacts) -> str | None:
    """The element that a tile would begin at, if `i - 1` were counted in elements; None for any other index."""
    found: list[str] = []
    for n, (index, step) in enumerate(zip(facts.coordinates(op), op.steps, strict=True)):
        rest = dict(poly(index))
        more = rest.pop((), 0)
        names = [atom.name for monomial in rest for atom in monomial if len(monomial) == 1 and atom.op == "sym"]
        named = [name for name in names if name in facts.symbols and is_named(facts.symbols[name])]
        if rest and (len(named) != len(rest) or [*rest.values()] != [1]):
            return None
        if n == axis and not (named and more):
            return None
        first = f"{named[0]} * {step}" if named else ""
        element = more if n == axis else more * step
        sign = "-" if element < 0 else "+"
        found.append((f"{first} {sign} {abs(element)}" if element else first) if first else str(element))
    return f"({', '.join(found)}{',' * (len(found) == 1)})"
