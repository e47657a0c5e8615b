"""Groups: what is known of the regions of a partition whose groups offsets bound."""

from __future__ import annotations

from xdsl.ir import SSAValue

from freehold.dialects.ownership import DistributeOp, PartitionOp, RegionOp
from freehold.passes.analysis.facts import KernelFacts
from freehold.passes.prover import rules
from freehold.support.terms import Term


def tiles_axis(op: PartitionOp, distribution: DistributeOp) -> int | None:
    """The axis of the domain that counts the tiles of a group: the coordinate of the point at which regions of the
    partition are taken along the axis with groups. None where that is no coordinate of the point, or not always one."""
    axis = op.result.type.groups_axis
    point: list[SSAValue] = list(distribution.body.block.args)
    assert axis is not None
    taken = [use.operation for use in op.result.uses if isinstance(use.operation, RegionOp)]
    found = {region.coordinates[1 + axis] for region in taken}
    return point.index(found.pop()) if len(found) == 1 and found <= {*point} else None


def reach(op: PartitionOp) -> Term | None:
    """How many regions of a group the points take, where that may be too few: a limit on groups, which is checked with
    the offsets. None where they reach as far as the tensor, or the partition says that some are left."""
    type_ = op.result.type
    axis, distribution = (
        type_.groups_axis,
        next((u.operation for u in op.result.uses if isinstance(u.operation, DistributeOp)), None),
    )
    if axis is None or distribution is None or type_.partial:
        return None
    counts = tiles_axis(op, distribution)
    tiles = None if counts is None else distribution.extents[counts]
    return None if tiles == type_.grid(axis) else tiles


def index_space(op: RegionOp) -> list[Term]:
    """The numbers of regions of a partition, by coordinate; along the axis with groups, of the largest that may be."""
    type_ = op.result.type.partition
    counts = [type_.grid(axis) for axis in range(type_.tensor.rank)]
    owner = op.partition.owner
    return counts if type_.groups_axis is None or not isinstance(owner, PartitionOp) else [owner.groups, *counts]


def covered(op: PartitionOp, distribution: DistributeOp, facts: KernelFacts) -> bool:
    """Whether every region of every group is some point's.

    It is where a region is taken at the point's own coordinates, each of them once, under no condition but that it is
    one of its group; where the domain has as many points as there are groups, and as regions along the other axes; and
    where it has as many as the largest group needs, which is checked with the offsets.
    """
    taken = [use.operation for use in op.result.uses if isinstance(use.operation, RegionOp)]
    counts, axis = tiles_axis(op, distribution), op.result.type.groups_axis
    if len(taken) != 1 or counts is None or axis is None or facts.places[taken[0]].loops:
        return False
    region, place = taken[0], facts.places[taken[0]]
    point: list[SSAValue] = list(distribution.body.block.args)
    coordinates = list(region.coordinates)
    if len({*coordinates}) != len(coordinates) or not {*coordinates} <= {*point}:
        return False
    group, *others = coordinates
    wanted = {point.index(group): op.groups}
    wanted |= {point.index(c): op.result.type.grid(n) for n, c in enumerate(others) if n != axis}
    extents = distribution.extents
    if not all(rules.holds(extents[n].eq(extent), facts.base) for n, extent in wanted.items()):
        return False
    tiles = facts.tiles_of(op.result, facts.terms[group])
    if tiles is None:
        return False
    inside = facts.base.extended([facts.terms[others[axis]].lt(tiles)])
    return all(rules.holds(condition, inside) for condition in place.conditions)
