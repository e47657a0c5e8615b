"""`verify-partitions`: no two points of a launch own overlapping regions, and no point owns one region twice.

Established: the regions of a partition do not overlap and those of an output leave no gaps; each region that is taken
differs from every other, over all points, all turns of loops, and all places where one is taken; and of an output each
is taken, where they are in bounds. What was shown, and how, is recorded on the operations (`disjoint`, `covered`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from freehold.dialects.classes import ops_of
from freehold.dialects.cuda_tile.ops.control_flow import ForOp
from freehold.dialects.location import span_of
from freehold.dialects.ownership import (
    AccessOp,
    Action,
    Duty,
    DutyAttr,
    KernelOp,
    PartitionOp,
    RegionOp,
    Rung,
)
from freehold.passes.analysis import coverage, groups, injectivity, races
from freehold.passes.analysis.concrete import Visit
from freehold.passes.analysis.facts import KernelFacts, analyse
from freehold.passes.analysis.injectivity import Outcome
from freehold.passes.analysis.meetings import Meeting
from freehold.passes.analysis.wording import FROM_MEMORY, is_named, name_of, sizes, span_text, tuple_text, why_unknown
from freehold.passes.errors.partition import (
    GapsInOutput,
    NotCovered,
    NotShownDisjoint,
    OutOfDistribution,
    OverlappingRegions,
    RegionTakenTwice,
)
from freehold.passes.prover import rules
from freehold.passes.prover.polynomials import Poly, atoms, bound_atom, poly
from freehold.passes.prover.prove import prove
from freehold.passes.verify_domains import verify_domains
from freehold.passes.verify_dominance import refuse
from freehold.support import terms
from freehold.support.diagnostic import Error, Note
from freehold.support.span import Span
from freehold.support.terms import Term


@dataclass(frozen=True)
class VerifyPartitionsPass(ModulePass):
    """Refuses kernels in which two blocks may own one element. Records what was shown on the operations."""

    name = "verify-partitions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Runs `verify-domains` first. Raises `Rejected` with every error (O101, O113 to O122) of every kernel."""
        refuse(op, lambda kernel: verify_domains(kernel) or verify_partitions(kernel, analyse(kernel)))


def verify_partitions(kernel: KernelOp, facts: KernelFacts) -> list[Error]:
    """What is wrong with a kernel's partitions; otherwise the obligations are recorded. Definitions dominate uses, and
    the kernel's domain has been verified."""
    errors: list[Error] = []
    partitions = [op for op in ops_of(kernel.body.block) if isinstance(op, PartitionOp)]
    for op in partitions:
        errors += _regions_by_themselves(op, facts)
    if not errors:
        errors += _regions_taken(partitions, facts)
    if not errors:
        for op in partitions:
            errors += _covered(op, facts)
    return errors


# Regions of a partition, whoever takes them


def _regions_by_themselves(op: PartitionOp, facts: KernelFacts) -> Iterator[Error]:
    partition = op.result.type
    for axis, (tile, step) in enumerate(zip(partition.tile_shape, partition.steps, strict=True)):
        if step < tile and not rules.holds(partition.grid(axis).le(1), facts.base):
            yield _overlapping(op, axis, facts)
            return
        # A single region leaves a gap, too, where the tensor is longer than it.
        whole = partition.tensor.extent(axis).le(tile)
        if step > tile and partition.covered and not rules.holds(whole, facts.base):
            error = GapsInOutput(span_of(op), name_of(op.tensor), axis, tile, step)
            yield error.add(error.DeclareMut())
            return
    op.discharge(DutyAttr.of(Duty.DISJOINT, Rung.PROVED))


def _overlapping(op: PartitionOp, axis: int, facts: KernelFacts) -> Error:
    partition, name = op.result.type, name_of(op.tensor)
    tile, step = partition.tile_shape[axis], partition.steps[axis]
    rank = partition.tensor.rank
    before = ", ".join("..." for _ in range(axis))
    written = f"{step}*i .. {step}*i + {tile}"
    place = _first_store(op) or span_of(op)
    error = OverlappingRegions(place, name, f"block `i` along axis {axis} writes `{name}[{written}]`")
    if rank > 1:
        written = ", ".join(x for x in (before, written, "...") if x)
    if (where := span_of(op)) is not None and where != place:
        error.add(error.StepTooSmall(where, step, tile))
    first, second = [0] * rank, [0] * rank
    second[axis] = 1
    starts = [b * s for b, s in zip(second, partition.steps, strict=True)]
    ends = [t if n != axis else min(tile, step + tile) for n, t in enumerate(partition.tile_shape)]
    steps = ", ".join(str(max(s, t)) for s, t in zip(partition.steps, partition.tile_shape, strict=True))
    one, other = (", ".join(map(str, place)) for place in (first, second))
    witness: Note = error.Regions(one, other, span_text(starts, ends))
    if (found := races.overlapping(op, facts)) is not None:
        launch, one_visit, other_visit, both = found
        witness = _both(launch, one_visit, other_visit, span_text(*zip(*both, strict=True)))
    return error.add(witness, error.Step(steps + "," * (rank == 1)))


def _both(launch: Mapping[str, int], one: Visit, other: Visit, shared: str) -> Note:
    """That two points share elements, which both write or own."""
    first, second = sorted((one, other), key=lambda visit: visit.point)
    does = "write" if first.stored and second.stored else "own"
    where = f"where {sizes(launch)}, " if launch else ""
    return OverlappingRegions.Witness(where, tuple_text(first.point), tuple_text(second.point), does, shared)


def _first_store(op: PartitionOp) -> Span | None:
    """The first store to a region of a partition."""
    for use in sorted(op.result.uses, key=lambda u: u.index):
        if isinstance(use.operation, RegionOp):
            for inner in use.operation.result.uses:
                if isinstance(inner.operation, AccessOp) and inner.operation.ACTION is Action.WRITE:
                    return span_of(inner.operation)
    return None


# Regions that are taken


def _regions_taken(partitions: Sequence[PartitionOp], facts: KernelFacts) -> Iterator[Error]:
    taken: dict[SSAValue, list[tuple[RegionOp, str]]] = {}
    ordered: set[SSAValue] = set()
    for op in facts.places:
        if not isinstance(op, RegionOp):
            continue
        place = facts.places[op]
        name = name_of(op.partition)
        if place.distribution is None:
            why = "every tile block would take the same one"
            yield OutOfDistribution(span_of(op), name, "outside of a distribution", why)
        elif op.partition not in place.distribution.partitions:
            why = f"the distribution is over other partitions, so `{name}` may have another grid"
            yield OutOfDistribution(span_of(op), name, "that is not distributed", why)
        else:
            outcome = injectivity.injective(op, facts)
            if outcome.status != "proved" and not op.result.type.partition.covered:
                outcome = injectivity.apart(op, op, facts)
                ordered.add(op.partition)
            if outcome.status == "proved":
                taken.setdefault(op.partition, []).append((op, outcome.by))
                if _has_one_name(op, facts):
                    ordered.add(op.partition)
            else:
                yield _not_disjoint(op, op, outcome, facts)
    for found in taken.values():
        names = {op: _names(op, facts) for op, _ in found}
        for n, (op, by) in enumerate(found):
            reason = f"{_coordinates(op, facts)} differs from point to point, by {by}"
            for earlier, _ in found[:n]:
                outcome = injectivity.disjoint(earlier, op, facts)
                if outcome.status != "proved" and not op.result.type.partition.covered:
                    outcome = injectivity.apart(earlier, op, facts)
                    ordered.add(op.partition)
                if outcome.status != "proved":
                    yield _not_disjoint(earlier, op, outcome, facts)
                    break
                if _share_a_name(names[earlier], names[op]) and not injectivity.exclusive(
                    facts.places[earlier], facts.places[op]
                ):
                    ordered.add(op.partition)
            else:
                op.discharge(DutyAttr.of(Duty.DISJOINT, Rung.PROVED, reason))
    for op in partitions:
        if op.result in ordered:
            reason = "a point may take a region again, so all its accesses are ordered"
            op.discharge(DutyAttr.of(Duty.ORDERED, Rung.TOKENS, reason))
        else:
            op.discharge(DutyAttr.of(Duty.ORDERED, Rung.PROVED))


def _has_one_name(op: RegionOp, facts: KernelFacts) -> bool:
    """Whether a region has the same coordinates in each turn of a loop, which has but one, or is never reached.

    Like `_share_a_name`: of names alone, without conditions, tokens are threaded and verified.
    """
    counters = {facts.counters.get(loop) for loop in facts.places[op].loops if isinstance(loop, ForOp)}
    return bool(counters) and any(
        not counters <= {n for p in found for a in atoms(p) for n in a.symbols()} for found in _names(op, facts) or [[]]
    )


def _names(op: RegionOp, facts: KernelFacts) -> list[list[Poly]]:
    """The coordinates of a region as they may be emitted: a symbol that has but one value may be that value.

    Nothing where any may be: the regions would overlap, if there were more than one, or the region is never taken, and
    what contradicts itself says nothing of values.
    """
    partition = op.result.type.partition
    if any(step < tile for tile, step in zip(partition.tile_shape, partition.steps, strict=True)):
        return []
    coordinates, bounds = facts.coordinates(op), facts.places[op].given.bounds
    values: dict[str, Term] = {}
    for name in sorted({n for c in coordinates for n in c.symbols()}):
        low, high = bound_atom(terms.sym(name), bounds)
        if low is not None and high is not None and low >= high:
            if low > high:
                return []
            values[name] = terms.const(low)
    return [[poly(c.substitute(known)) for c in coordinates] for known in ({}, values)]


def _share_a_name(first: list[list[Poly]], second: list[list[Poly]]) -> bool:
    """Whether two takings, by their names, are of different regions by conditions alone: one of them is never made, or
    not both."""
    return not first or not second or any(names in second for names in first)


def _coordinates(op: RegionOp, facts: KernelFacts) -> str:
    return f"[{', '.join(map(str, facts.coordinates(op)))}]"


def _not_disjoint(earlier: RegionOp, op: RegionOp, outcome: Outcome, facts: KernelFacts) -> Error:
    """The error for two takings of one region, at one point or at two, or for want of a proof."""
    name = name_of(op.partition)
    coordinates = facts.coordinates(op)
    if outcome.by == "loop":
        error = RegionTakenTwice(span_of(op), name, "again in every turn of the loop")
        return error.add(error.DeclareMut())
    if not isinstance(found := outcome.witness, Meeting):
        if found is None and earlier is not op and injectivity.apart(earlier, op, facts).status == "proved":
            return _taken_again(earlier, op, "may be taken")
        error = NotShownDisjoint(span_of(op), name, ", ".join(map(str, coordinates)))
        reasons = {symbol: why_unknown(facts.symbols[symbol]) for symbol in outcome.unknown}
        for symbol, why in reasons.items():
            error.add(
                error.UnknownNumber(
                    symbol, why if is_named(facts.symbols[symbol]) else f"stands for a value that {why}"
                )
            )
        error.add(error.Own())
        if FROM_MEMORY in reasons.values():
            error.add(error.Groups())
        if found is not None:
            does = "divides by zero to find its region"
            if found.visit.coordinates:
                taken = tuple_text(found.visit.coordinates).strip("()")
                does = f"takes region [{taken}] of {' x '.join(map(str, found.grid))}"
            where = f"where {sizes(found.launch)}, " if found.launch else ""
            error.add(error.NoSuchRegion(where, tuple_text(found.visit.point), does))
        return error
    if found.first.point == found.second.point:
        error = _taken_again(earlier, op, "is taken")
        where = f"where {sizes(found.launch)}, " if found.launch else ""
        place, who = tuple_text(found.second.coordinates).strip("()"), tuple_text(found.second.point)
        return error.add(error.Witness(where, place, f" by block {who}"))
    error = OverlappingRegions(
        span_of(op), name, f"takes the region `[{', '.join(map(str, coordinates))}]` of `{name}`"
    )
    if (at := races.box(found.second, found.launch)) is not None:
        error.add(_both(found.launch, found.first, found.second, span_text(*zip(*at, strict=True))))
    if op.mapped is not None:
        return error.add(error.OneRegion())
    error.add(error.OwnPlace())
    counters = {*map(terms.sym, facts.counters.values())}
    for axis in (n for n, coordinate in enumerate(coordinates) if coordinate in counters):
        return error.add(error.OwnAxis(axis))
    return error


def _taken_again(earlier: RegionOp, op: RegionOp, finding: str) -> RegionTakenTwice:
    """The error for one point that takes a region again."""
    when = "again in another turn of a loop" if earlier is op else "again here"
    error = RegionTakenTwice(span_of(op), name_of(op.partition), when, finding)
    if earlier is not op and (before := span_of(earlier)) is not None:
        error.add(error.First(before))
    error.add(error.DeclareMut())
    return error


# Outputs


def _covered(op: PartitionOp, facts: KernelFacts) -> Iterator[Error]:
    """Every region of an output is taken: there are as many takings as regions, and no two are of one."""
    partition = op.result.type
    if not partition.covered:
        return
    distribution = next((d for d in facts.points if op.result in d.partitions), None)
    if distribution is None:
        return  # reported where a region is taken, or as one that never is
    if partition.groups_axis is not None:
        if groups.covered(op, distribution, facts):
            reason = "the regions of each group are its points'"
            op.discharge(DutyAttr.of(Duty.COVERED, Rung.PROVED, reason))
        else:
            error = NotCovered(span_of(op), name_of(op.tensor), "none", "its groups'")
            yield error.add(error.Partial(), error.DeclareMut())
        return
    wanted = coverage.regions(op)
    if coverage.onto(op, distribution, facts):
        reason = f"the map reaches each of {_product(wanted)} regions"
        op.discharge(DutyAttr.of(Duty.COVERED, Rung.PROVED, reason))
        return
    taken = coverage.takings(op, distribution, facts)
    # Where no taking is certain by itself, `verify-borrows` may find that conditions leave no point without one.
    counted = distribution.extents if taken is None and coverage.by_paths(op, facts) else taken
    if counted is not None:
        equal = coverage.as_many(counted, wanted, facts.base)
        if equal == terms.TRUE or prove(equal, facts.base).proved:
            reason = f"{_product(counted)} takings of {_product(wanted)} regions, no two of one"
            op.discharge(DutyAttr.of(Duty.COVERED, Rung.PROVED, reason))
            return
        if equal.symbols() <= facts.launch and not prove(terms.negate(equal), facts.base).proved:
            op.discharge(DutyAttr.of(Duty.COVERED, Rung.LAUNCH, predicate=equal))
            return
    found = "none" if taken is None else _product(taken)
    error = NotCovered(span_of(op), name_of(op.tensor), found, _product(wanted))
    if (witness := races.left_out(op, distribution, facts)) is not None:
        error.add(error.Witness(*witness))
    yield error.add(error.Partial(), error.DeclareMut())


def _product(factors: Sequence[Term]) -> str:
    """Factors as one number, in the user's terms."""
    return str(reduce(terms.mul, factors, terms.const(1)))
