"""`verify-domains`: the points of a launch are handed out once each, and its partitions agree on what they are.

Established: the extents of the arguments do not contradict each other, nor what the kernel requires of its launch; a
kernel makes its partitions and distributes its points once, at its top level, by a schedule that hands out each point
once; the extents of the domain have a value in every launch; and the partitions agree on it where it is taken from one
of them. A partition with fewer axes than the domain has the leading ones, so the domain has extent 1 along the others.
What is left to the launch is recorded on the distribution (`same_grid`); the analyses of the other verifiers take it
for granted from there: this pass runs first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from freehold.dialects.classes import ops_of
from freehold.dialects.location import span_of
from freehold.dialects.ownership import (
    DistributeOp,
    Duty,
    DutyAttr,
    KernelOp,
    PartitionOp,
    PartitionType,
    RegionOp,
    RequireOp,
    Rung,
    WindowOp,
)
from freehold.passes.analysis.facts import Guarantees, guarantees, is_uniform
from freehold.passes.analysis.schedule_lemmas import lemma
from freehold.passes.analysis.wording import name_of
from freehold.passes.errors.partition import DifferentGrids, Misplaced, NoExtent, NoSuchLaunch, RequirementUnknown
from freehold.passes.errors.windows import WindowLength
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.passes.prover.prove import prove, satisfiable
from freehold.passes.rewriting import of_kind
from freehold.passes.verify_dominance import refuse
from freehold.support import terms
from freehold.support.diagnostic import Error
from freehold.support.terms import Term


@dataclass(frozen=True)
class VerifyDomainsPass(ModulePass):
    """Refuses kernels whose points are not well-defined. Records on each distribution how partitions agree on it."""

    name = "verify-domains"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Raises `Rejected` with every error (O115, O118, O119, O121, O123, O133) of every kernel."""
        refuse(op, verify_domains)


def verify_domains(kernel: KernelOp, known: Guarantees | None = None) -> list[Error]:
    """What is wrong with a kernel's domain; otherwise the obligations are recorded. Definitions dominate uses. `known`
    are the kernel's `guarantees`, where they have been found."""
    errors = [*_placed(kernel)]
    if errors:
        return errors
    given, launch = guarantees(kernel) if known is None else known
    errors = [*_requirements(kernel, launch)]
    if not errors and satisfiable(given).proved:  # from a contradiction everything would follow
        errors.append(_no_such_launch(kernel, given))
    if errors:
        return errors
    ops = ops_of(kernel.body.block)
    errors = [error for op in ops if isinstance(op, WindowOp) for error in _window(op, given, launch)]
    if errors:
        return errors
    errors = [error for op in ops if isinstance(op, DistributeOp) for error in _distribution(op, given, launch)]
    if not errors:
        kernel.discharge(DutyAttr.of(Duty.LAUNCHABLE, Rung.PROVED))
    return errors


def _window(op: WindowOp, given: Hypotheses, launch: frozenset[str]) -> Iterator[Error]:
    """How long a window is has a value in every launch: its regions may be the domain."""
    axis = op.axis.data
    length = op.result.type.extent(axis)
    if (wrong := _without_value(length, given, launch)) is not None:
        why, divisor = wrong
        error = WindowLength(span_of(op), name_of(op.tensor), axis, str(length), why)
        yield error.add(error.Require(divisor)) if divisor else error


def _requirements(kernel: KernelOp, launch: frozenset[str]) -> Iterator[Error]:
    """A requirement speaks of what the launcher knows."""
    for op in ops_of(kernel.body.block):
        if isinstance(op, RequireOp) and (unknown := sorted(op.condition.symbols() - launch)):
            yield RequirementUnknown(span_of(op), str(op.predicate.data), unknown[0])


def _no_such_launch(kernel: KernelOp, given: Hypotheses) -> Error:
    facts = ", ".join(f"`{f}`" for f in given.facts)
    error = NoSuchLaunch(span_of(kernel), kernel.sym_name.data, facts)
    for op in ops_of(kernel.body.block):
        if isinstance(op, RequireOp) and (where := span_of(op)) is not None:
            error.add(error.Required(where))
    return error


def _placed(kernel: KernelOp) -> Iterator[Error]:
    """Partitions and the one distribution stand at the top level."""
    distributions: list[DistributeOp] = []
    for op in of_kind(kernel, PartitionOp, RequireOp, WindowOp, DistributeOp):
        if isinstance(op, PartitionOp) and op.parent is not kernel.body.block:
            what = f"`{name_of(op.tensor)}` is partitioned inside another operation"
            yield Misplaced(span_of(op), what, "a partition is made once, at the top level of the kernel")
        if isinstance(op, RequireOp) and op.parent is not kernel.body.block:
            what = "a requirement stands inside another operation"
            yield Misplaced(span_of(op), what, "the launcher checks it, whatever the kernel does: at the top level")
        if isinstance(op, WindowOp) and op.parent is not kernel.body.block:
            what = f"a window of `{name_of(op.tensor)}` is made inside another operation"
            yield Misplaced(span_of(op), what, "it is the same for all tile blocks: it is made at the top level")
        elif isinstance(op, WindowOp) and not is_uniform(op.start, kernel):
            what = f"a window of `{name_of(op.tensor)}` begins at another place in each tile block"
            yield Misplaced(span_of(op), what, "windows of two blocks may overlap, and so may their regions")
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


def _distribution(op: DistributeOp, given: Hypotheses, launch: frozenset[str]) -> Iterator[Error]:
    extents = op.extents
    why = lemma(op.order, len(extents), op.blocks.kind)
    if why is None:
        what = f"`{op.order}` is no known schedule of {len(extents)} axes"
        yield Misplaced(span_of(op), what, "no lemma about it is known")
        return
    for axis, extent in enumerate(extents):
        if (wrong := _without_value(extent, given, launch)) is not None:
            why, divisor = wrong
            error = NoExtent(span_of(op), axis, str(extent), why)
            yield error.add(error.Require(divisor)) if divisor else error
            return
    agreed: list[tuple[int, bool, Term]] = []
    for partition in op.partitions:
        yield from _agreement(op, partition, extents, given, launch, agreed)
    op.discharge(DutyAttr.of(Duty.DISJOINT, Rung.PROVED, why), *(_agree(axis, agreed) for axis in range(len(extents))))


def _agree(axis: int, agreed: Sequence[tuple[int, bool, Term]]) -> DutyAttr:
    """How it is met that all partitions agree along an axis of the domain."""
    open_ = terms.all_of(*(equal for n, proved, equal in agreed if n == axis and not proved))
    if open_ != terms.TRUE:
        return DutyAttr.of(Duty.SAME_GRID, Rung.LAUNCH, axis=axis, predicate=open_)
    shown = dict.fromkeys(str(equal) for n, _, equal in agreed if n == axis)
    return DutyAttr.of(Duty.SAME_GRID, Rung.PROVED, " and ".join(shown) or "equal extents and steps", axis)


def _without_value(extent: Term, given: Hypotheses, launch: frozenset[str]) -> tuple[str, str] | None:
    """Why the launcher cannot compute a positive extent, if so, and the divisor that may not be positive, if any."""
    if unknown := sorted(extent.symbols() - launch):
        return f"`{unknown[0]}` is no extent of an argument, and no integer scalar", ""
    for part in extent.walk():
        if part.op in ("//", "%", "ceildiv") and not prove(terms.const(1).le(part.args[1]), given).proved:
            return f"`{part.args[1]}` divides, and may be 0 or less", "" if part.args[1].is_const else str(part.args[1])
    some = satisfiable(given).witness
    if extent.symbols() <= some.keys() and extent.evaluate(some) > 0:
        return None  # a launch that has points, found before
    return ("it is never positive", "") if prove(extent.le(0), given).proved else None


def _agreement(
    op: DistributeOp,
    partition: SSAValue,
    extents: tuple[Term, ...],
    given: Hypotheses,
    launch: frozenset[str],
    agreed: list[tuple[int, bool, Term]],
) -> Iterator[Error]:
    """A partition and the domain: equal along the axes of both, where nobody says more; and 1 along the others.

    `agreed` becomes the axes, whether it is proved, and what has to hold."""
    assert isinstance(partition.type, PartitionType)
    rank = partition.type.tensor.rank
    leader = None if op.domain is not None else op.partitions[op.leader]
    axes = rank if leader is not None else _leading(op, partition)
    for axis, extent in enumerate(extents):
        if axis < axes and (leader is None or partition is leader):
            continue  # where its regions lie is what their coordinates say
        wanted = extent.eq(partition.type.grid(axis) if axis < axes else 1)
        if wanted == terms.TRUE:
            continue
        if prove(wanted, given).proved:
            agreed.append((axis, True, wanted))
        elif prove(terms.negate(wanted), given).proved or not wanted.symbols() <= launch:
            other = str(partition.type.grid(axis)) if axis < axes else "1 axis" if axes == 1 else f"{axes} axes"
            what = "points" if leader is None else "regions"
            error = _different(op, leader, partition, f"{extent} {what} along axis {axis}", other)
            if leader is None and axis >= axes:
                error.add(error.AsManyAxes(name_of(partition), ", ".join("ijklmn"[:rank])))
            yield error
        else:
            agreed.append((axis, False, wanted))


def _leading(op: DistributeOp, partition: SSAValue) -> int:
    """How many leading axes of the domain a partition speaks of: as many as it says, or has coordinates at which its
    regions are taken."""
    assert isinstance(partition.type, PartitionType)
    rank, point = partition.type.tensor.rank, op.body.block.args
    regions = [u.operation for u in partition.uses if isinstance(u.operation, RegionOp)]
    if any(r.axes is not None for r in regions):
        return max(len(point) if r.axes is None else r.axes.data for r in regions)
    if rank < len(point) and regions and all([*r.coordinates] == [*point[:rank]] for r in regions):
        return rank
    return len(point)


def _different(op: DistributeOp, leader: SSAValue | None, partition: SSAValue, grid: str, other: str) -> DifferentGrids:
    name = "the launch" if leader is None else f"`{name_of(leader)}`"
    error = DifferentGrids(span_of(op), name, name_of(partition), grid, other)
    for each in (leader, partition):
        if each is not None and (where := span_of(each)) is not None and where != error.place:
            error.add(error.Partitioned(where, name_of(each)))
    return error
