"""`verify-partitions`: no two points of a launch own overlapping regions, and no point owns one region twice.

Established: the regions of a partition do not overlap and those of an output leave no gaps; each region that is taken
differs from every other, over all points, all turns of loops, and all places where one is taken; and of an output each
is taken, where they are in bounds. What was shown, and how, is recorded on the operations (`disjoint`, `covered`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice, takewhile

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from freehold.dialects.location import span_of
from freehold.dialects.ownership import (
    DistributeOp,
    Duty,
    KernelOp,
    ObligationAttr,
    PartitionOp,
    RegionOp,
    Rung,
    StoreOp,
)
from freehold.passes.analysis import coverage, groups, injectivity, races
from freehold.passes.analysis.facts import KernelFacts, analyse
from freehold.passes.analysis.injectivity import Outcome
from freehold.passes.analysis.obligations import record
from freehold.passes.analysis.reached import may_leave
from freehold.passes.analysis.wording import name_of, sizes, span_text, tuple_text, why_unknown
from freehold.passes.errors.partition import (
    GapsInOutput,
    NotCovered,
    NotShownDisjoint,
    OutOfDistribution,
    OverlappingRegions,
    RegionTakenTwice,
)
from freehold.passes.prover import rules
from freehold.passes.prover.prove import prove
from freehold.passes.prover.search import find
from freehold.passes.verify_domains import verify_domains
from freehold.passes.verify_dominance import verify_dominance
from freehold.support import terms
from freehold.support.diagnostic import Error, Note, Rejected
from freehold.support.span import Span
from freehold.support.terms import Term


@dataclass(frozen=True)
class VerifyPartitionsPass(ModulePass):
    """Refuses kernels in which two blocks may own one element. Records what was shown on the operations."""

    name = "verify-partitions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Runs `verify-domains` first. Raises `Rejected` with every error (O101, O113 to O122) of every kernel."""
        if errors := verify_dominance(op):
            raise Rejected(errors)
        for kernel in op.body.block.ops:
            if isinstance(kernel, KernelOp):
                errors += verify_domains(kernel) or verify_partitions(kernel, analyse(kernel))
        if errors:
            raise Rejected(errors)


def verify_partitions(kernel: KernelOp, facts: KernelFacts) -> list[Error]:
    """What is wrong with a kernel's partitions; otherwise the obligations are recorded. Definitions dominate uses, and
    the kernel's domain has been verified."""
    errors: list[Error] = []
    partitions = [op for op in kernel.body.block.ops if isinstance(op, PartitionOp)]
    for op in partitions:
        errors += _regions_by_themselves(op, facts)
    if not errors:
        errors += _regions_taken(facts)
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
    shared = span_text(starts, ends)
    one, other = (", ".join(map(str, place)) for place in (first, second))
    witness: Note = error.Regions(one, other, shared)
    if any(_each_its_own(use.operation, facts) for use in op.result.uses):
        witness = error.Witness("", tuple_text(first), tuple_text(second), "write", shared)
    return error.add(witness, error.Step(steps + "," * (rank == 1)))


def _each_its_own(op: Operation, facts: KernelFacts) -> bool:
    """Whether every point takes the region with its own coordinates, and stores to it."""
    if not isinstance(op, RegionOp) or not isinstance(distribution := op.parent_op(), DistributeOp):
        return False
    points = tuple(map(terms.sym, facts.points[distribution]))
    return facts.coordinates(op) == points[: len(op.coordinates)] and _is_stored(op)


def _is_stored(op: RegionOp) -> bool:
    """Whether a region is stored whenever it is taken: in its block, in front of whatever may leave that."""
    assert op.parent is not None
    behind = islice(op.parent.ops, op.parent.get_operation_index(op) + 1, None)
    reached = takewhile(lambda o: not may_leave(o), behind)
    return any(isinstance(o, StoreOp) and o.target is op.result for o in reached)


def _first_store(op: PartitionOp) -> Span | None:
    """The first store to a region of a partition."""
    for use in sorted(op.result.uses, key=lambda u: u.index):
        if isinstance(use.operation, RegionOp):
            for inner in use.operation.result.uses:
                if isinstance(inner.operation, StoreOp):
                    return span_of(inner.operation)
    return None


# Regions that are taken


def _regions_taken(facts: KernelFacts) -> Iterator[Error]:
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
            else:
                yield _not_disjoint(op, op, outcome, facts)
    for found in taken.values():
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
            else:
                record(op, (Duty.DISJOINT,), [ObligationAttr.of(Duty.DISJOINT, Rung.PROVED, reason)])
    for partition in ordered & taken.keys():
        assert isinstance(partition.owner, PartitionOp)
        reason = "a point may take a region again, so all its accesses are ordered by tokens"
        record(partition.owner, (Duty.ORDERED,), [ObligationAttr.of(Duty.ORDERED, Rung.PROVED, reason)])


def _coordinates(op: RegionOp, facts: KernelFacts) -> str:
    return f"[{', '.join(map(str, facts.coordinates(op)))}]"


def _not_disjoint(earlier: RegionOp, op: RegionOp, outcome: Outcome, facts: KernelFacts) -> Error:
    """The error for two takings of one region, at one point or at two, or for want of a proof."""
    name = name_of(op.partition)
    coordinates = facts.coordinates(op)
    place = facts.places[op]
    assert place.distribution is not None
    points = facts.points[place.distribution]
    if outcome.by == "loop":
        error = RegionTakenTwice(span_of(op), name, "again in every turn of the loop")
        return error.add(error.DeclareMut())
    if outcome.status == "unknown":
        error = NotShownDisjoint(span_of(op), name, ", ".join(map(str, coordinates)))
        for symbol in outcome.unknown:
            error.add(error.UnknownNumber(symbol, why_unknown(facts.symbols[symbol])))
        if (wrong := outcome.outside) is not None:
            does = "divides by zero to find its region"
            if wrong.coordinates:
                taken = tuple_text(wrong.coordinates).strip("()")
                does = f"takes region [{taken}] of {' x '.join(map(str, wrong.grid))}"
            where = f"where {sizes(wrong.extents)}, " if wrong.extents else ""
            error.add(error.NoSuchRegion(where, tuple_text(wrong.point), does))
        return error
    # Numbers that do not matter have no value in the counterexample; any that may occur will do.
    missing = {n for c in coordinates for n in c.symbols()} - outcome.second.keys()
    usual = (find(place.given.facts, terms.TRUE) or {}) if missing else {}
    index = [c.evaluate({**{n: usual.get(n, 1) for n in missing}, **outcome.second}) for c in coordinates]
    where = _where(outcome.first, facts)
    first, second = sorted([values.get(p, 0) for p in points] for values in (outcome.first, outcome.second))
    other_turn = any(outcome.first.get(n) != outcome.second.get(n) for n in facts.counters.values())
    if first == second:
        when = "again in another turn of a loop" if earlier is op else "again here"
        error = RegionTakenTwice(span_of(op), name, when if earlier is not op or other_turn else "again")
        if earlier is not op and (before := span_of(earlier)) is not None:
            error.add(error.First(before))
        witness = error.Witness(where, tuple_text(index).strip("()"), f" by block {tuple_text(first)}")
        return error.add(witness, error.DeclareMut())
    error = OverlappingRegions(
        span_of(op), name, f"takes the region `[{', '.join(map(str, coordinates))}]` of `{name}`"
    )
    partition = op.result.type.partition
    group, index = ("", index) if partition.groups_axis is None else (f"group {index[0]}: ", index[1:])
    starts = [i * s for i, s in zip(index, partition.steps, strict=True)]
    ends = [a + t for a, t in zip(starts, partition.tile_shape, strict=True)]
    does = "write" if _is_stored(op) and _is_stored(earlier) else "own"
    error.add(error.Witness(where, tuple_text(first), tuple_text(second), does, group + span_text(starts, ends)))
    return error.add(error.OneRegion() if op.mapped is not None else error.OwnPlace())


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
            record(op, (Duty.COVERED,), [ObligationAttr.of(Duty.COVERED, Rung.PROVED, reason)])
        else:
            error = NotCovered(span_of(op), name_of(op.tensor), "none", "its groups'")
            yield error.add(error.Partial(), error.DeclareMut())
        return
    wanted = coverage.regions(op)
    if coverage.onto(op, distribution, facts):
        reason = f"the map reaches each of {_product(wanted)} regions"
        record(op, (Duty.COVERED,), [ObligationAttr.of(Duty.COVERED, Rung.PROVED, reason)])
        return
    taken = coverage.takings(op, distribution, facts)
    if taken is not None:
        equal = coverage.as_many(taken, wanted, facts.base)
        if equal == terms.TRUE or prove(equal, facts.base).proved:
            reason = f"{_product(taken)} takings of {_product(wanted)} regions, no two of one"
            record(op, (Duty.COVERED,), [ObligationAttr.of(Duty.COVERED, Rung.PROVED, reason)])
            return
        if equal.symbols() <= facts.launch and not prove(terms.negate(equal), facts.base).proved:
            record(op, (Duty.COVERED,), [ObligationAttr.of(Duty.COVERED, Rung.LAUNCH, str(equal))])
            return
    found = "none" if taken is None else _product(taken)
    error = NotCovered(span_of(op), name_of(op.tensor), found, _product(wanted))
    if (witness := races.left_out(op, distribution, facts)) is not None:
        error.add(error.Witness(*witness))
    yield error.add(error.Partial(), error.DeclareMut())


def _product(factors: Sequence[Term]) -> str:
    """Factors as one number, in the user's terms."""
    return str(reduce(terms.mul, factors, terms.const(1)))


def _where(values: Mapping[str, int], facts: KernelFacts) -> str:
    extents = {name: value for name, value in values.items() if name in facts.uniform}
    return f"where {sizes(extents)}, " if extents else ""
