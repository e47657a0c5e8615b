"""`verify-partitions`: no two points of a launch own overlapping regions, and no point owns one region twice.

Established: a kernel distributes points once, at its top level, by a schedule that hands out each point once; the
regions of a partition do not overlap and those of an output leave no gaps; all partitions of a distribution have one
index space; and each region that is taken differs from every other, over all points, all turns of loops, and all
places where one is taken. What was shown, and how, is recorded on the operations (`disjoint`, `same_grid`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from freehold.dialects.location import span_of
from freehold.dialects.ownership import (
    Access,
    DistributeOp,
    Duty,
    KernelOp,
    ObligationAttr,
    PartitionOp,
    PartitionType,
    RegionOp,
    Rung,
    StoreOp,
)
from freehold.passes.analysis import injectivity
from freehold.passes.analysis.facts import KernelFacts, analyse
from freehold.passes.analysis.injectivity import Outcome
from freehold.passes.analysis.obligations import record
from freehold.passes.analysis.schedule_lemmas import lemma
from freehold.passes.analysis.wording import name_of, sizes, span_text, tuple_text, why_unknown
from freehold.passes.errors.partition import (
    DifferentGrids,
    GapsInOutput,
    Misplaced,
    NoSuchLaunch,
    NotShownDisjoint,
    OutOfDistribution,
    OverlappingRegions,
    RegionTakenTwice,
)
from freehold.passes.prover.prove import prove, satisfiable
from freehold.passes.prover.search import find
from freehold.passes.verify_dominance import verify_dominance
from freehold.support import terms
from freehold.support.diagnostic import Error, Rejected
from freehold.support.span import Span


@dataclass(frozen=True)
class VerifyPartitionsPass(ModulePass):
    """Refuses kernels in which two blocks may own one element. Records what was shown on the operations."""

    name = "verify-partitions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Raises `Rejected` with every error (O101, O113 to O119) of every kernel."""
        if errors := verify_dominance(op):
            raise Rejected(errors)
        for kernel in op.body.block.ops:
            if isinstance(kernel, KernelOp):
                errors += verify_partitions(kernel, analyse(kernel))
        if errors:
            raise Rejected(errors)


def verify_partitions(kernel: KernelOp, facts: KernelFacts) -> list[Error]:
    """What is wrong with a kernel's partitions; otherwise the obligations are recorded. Definitions dominate uses."""
    errors = [*_placed(kernel), *_possible(kernel, facts)]
    if errors:
        return errors
    for op in kernel.body.block.ops:
        if isinstance(op, DistributeOp):
            errors += _distribution(op, facts)
        elif isinstance(op, PartitionOp):
            errors += _regions_by_themselves(op, facts)
    if not errors:
        errors += _regions_taken(facts)
    return errors


def _placed(kernel: KernelOp) -> Iterator[Error]:
    """Partitions and the one distribution stand at the top level."""
    distributions: list[DistributeOp] = []
    for op in kernel.walk():
        if isinstance(op, PartitionOp) and op.parent is not kernel.body.block:
            what = f"`{name_of(op.tensor)}` is partitioned inside another operation"
            yield Misplaced(span_of(op), what, "a partition is made once, at the top level of the kernel")
        if isinstance(op, DistributeOp):
            distributions.append(op)
            if op.parent is not kernel.body.block:
                what = "points are distributed inside another operation"
                yield Misplaced(span_of(op), what, "a distribution stands at the top level of the kernel")
    for second in distributions[1:]:
        what = "a kernel distributes its points once"
        yield Misplaced(span_of(second), what, "there is a distribution before this one")
    if not distributions:
        what = "the kernel distributes no points, so no tile block has any work"
        yield Misplaced(span_of(kernel), what, "a kernel has at least one partition, and distributes its points")


def _possible(kernel: KernelOp, facts: KernelFacts) -> Iterator[Error]:
    """The hypotheses have a model: from a contradiction everything would follow."""
    if satisfiable(facts.base).proved:
        extents = ", ".join(f"`{f}`" for f in facts.base.facts)
        yield NoSuchLaunch(span_of(kernel), kernel.sym_name.data, extents)


def _type(partition: SSAValue) -> PartitionType:
    assert isinstance(partition.type, PartitionType)
    return partition.type


# The schedule and the grid


def _distribution(op: DistributeOp, facts: KernelFacts) -> Iterator[Error]:
    rank = op.domain.tensor.rank
    why = lemma(op.order, rank, op.blocks.data)
    if why is None:
        yield Misplaced(span_of(op), f"`{op.order}` is no known schedule of {rank} axes", "no lemma about it is known")
        return
    found = [ObligationAttr.of(Duty.DISJOINT, Rung.PROVED, why)]
    for partition in op.partitions[1:]:
        if _type(partition).tensor.rank != rank:
            yield _different(op, partition, f"{rank} axes of", f"{_type(partition).tensor.rank} axes of")
            continue
        for axis in range(rank):
            wanted = op.domain.grid(axis).eq(_type(partition).grid(axis))
            if wanted == terms.TRUE:
                continue
            place = facts.places[op].given
            if prove(wanted, place).proved:
                found.append(ObligationAttr.of(Duty.SAME_GRID, Rung.PROVED, str(wanted), axis))
            elif prove(terms.negate(wanted), place).proved or not wanted.symbols() <= facts.launch:
                grids = (f"{op.domain.grid(axis)}", f"{_type(partition).grid(axis)}")
                yield _different(op, partition, *(f"{grid} (axis {axis})" for grid in grids))
            else:
                found.append(ObligationAttr.of(Duty.SAME_GRID, Rung.LAUNCH, str(wanted), axis))
    if not any(o.duty is Duty.SAME_GRID for o in found) and len(op.partitions) > 1:
        found.append(ObligationAttr.of(Duty.SAME_GRID, Rung.PROVED, "equal extents and steps"))
    record(op, (Duty.DISJOINT, Duty.SAME_GRID), found)


def _different(op: DistributeOp, partition: SSAValue, grid: str, other: str) -> Error:
    domain = op.partitions[0]
    error = DifferentGrids(span_of(op), name_of(domain), name_of(partition), grid, other)
    for each in (domain, partition):
        if (where := span_of(each)) is not None and where != error.place:
            error.add(error.Partitioned(where, name_of(each)))
    return error


# Regions of a partition, whoever takes them


def _regions_by_themselves(op: PartitionOp, facts: KernelFacts) -> Iterator[Error]:
    partition = op.result.type
    for axis, (tile, step) in enumerate(zip(partition.tile_shape, partition.steps, strict=True)):
        if step < tile and not prove(partition.grid(axis).le(1), facts.base, solver=False).proved:
            yield _overlapping(op, axis)
            return
        # A single region leaves a gap, too, where the tensor is longer than it.
        whole = partition.tensor.extent(axis).le(tile)
        if step > tile and partition.access.data is Access.OUT and not prove(whole, facts.base, solver=False).proved:
            error = GapsInOutput(span_of(op), name_of(op.tensor), axis, tile, step)
            yield error.add(error.DeclareMut())


def _overlapping(op: PartitionOp, axis: int) -> Error:
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
    witness = error.Witness("", tuple_text(first), tuple_text(second), span_text(starts, ends))
    return error.add(witness, error.Step(steps + "," * (rank == 1)))


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
            if outcome.status == "proved":
                taken.setdefault(op.partition, []).append((op, outcome.by))
            else:
                yield _not_disjoint(op, op, outcome, facts)
    for found in taken.values():
        for n, (op, by) in enumerate(found):
            reason = f"{_coordinates(op, facts)} differs from point to point, by {by}"
            for earlier, _ in found[:n]:
                outcome = injectivity.disjoint(earlier, op, facts)
                if outcome.status != "proved":
                    yield _not_disjoint(earlier, op, outcome, facts)
                    break
            else:
                record(op, (Duty.DISJOINT,), [ObligationAttr.of(Duty.DISJOINT, Rung.PROVED, reason)])


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
        return RegionTakenTwice(span_of(op), name, "again in every turn of the loop")
    if outcome.status == "unknown":
        error = NotShownDisjoint(span_of(op), name, ", ".join(map(str, coordinates)))
        for symbol in outcome.unknown:
            error.add(error.UnknownNumber(symbol, why_unknown(facts.symbols[symbol])))
        return error
    # Numbers that do not matter have no value in the counterexample; any that may occur will do.
    missing = {n for c in coordinates for n in c.symbols()} - outcome.second.keys()
    usual = (find(place.given.facts, terms.TRUE) or {}) if missing else {}
    index = [c.evaluate({**{n: usual.get(n, 0) for n in missing}, **outcome.second}) for c in coordinates]
    where = _where(outcome.first, facts)
    first, second = sorted([values.get(p, 0) for p in points] for values in (outcome.first, outcome.second))
    other_turn = any(outcome.first.get(n) != outcome.second.get(n) for n in facts.counters.values())
    if first == second:
        when = "again in another turn of a loop" if earlier is op else "again here"
        error = RegionTakenTwice(span_of(op), name, when if earlier is not op or other_turn else "again")
        if earlier is not op and (before := span_of(earlier)) is not None:
            error.add(error.First(before))
        return error.add(error.Witness(where, tuple_text(index).strip("()"), f" by block {tuple_text(first)}"))
    error = OverlappingRegions(
        span_of(op), name, f"takes the region `[{', '.join(map(str, coordinates))}]` of `{name}`"
    )
    partition = op.result.type.partition
    starts = [i * s for i, s in zip(index, partition.steps, strict=True)]
    ends = [a + t for a, t in zip(starts, partition.tile_shape, strict=True)]
    error.add(error.Witness(where, tuple_text(first), tuple_text(second), span_text(starts, ends)))
    return error.add(error.OwnPlace())


def _where(values: Mapping[str, int], facts: KernelFacts) -> str:
    extents = {name: value for name, value in values.items() if name in facts.uniform}
    return f"where {sizes(extents)}, " if extents else ""
