"""What groups of partitions are, as terms over the offsets that bound them: as asked for, not as they are made.

Group `g` has the elements from `offsets[g]` up to `offsets[g + 1]` along the partition's axis. Offsets are data, so a
kernel looks for the first group that is none of the tensor, before it does anything else. Nobody writes offsets while
the kernel runs, so what is read of them is told apart by where it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from xdsl.ir import Attribute, Operation, SSAValue

from freehold.dialects.classes import ops_of
from freehold.dialects.cuda_tile.types import TileType
from freehold.dialects.ownership import INDEX, GroupTilesOp, KernelOp, PartitionOp, PartitionType, RegionOp, tensor_type
from freehold.passes.analysis.groups import reach
from freehold.passes.analysis.launch_values import Launch
from freehold.passes.analysis.tile_values import NotFollowedError, Place, Values
from freehold.support import terms
from freehold.support.terms import Term

ALL_FIT: Final = terms.const(2**31 - 1)
"""The number of the first group that is none, where there is no such group."""

Parts = dict[str, object]
"""Parts of an access, by name (`access_maps.Access`)."""


def read_once(parts: Parts, type_: Attribute) -> object:
    """What tells a read of memory from others that nobody writes while the kernel runs."""
    return ("loaded", None, 0, tuple(parts.items()), type_)


def takes_group(op: Operation) -> bool:
    """Whether an operation asks where a group lies."""
    return isinstance(op, GroupTilesOp) or (
        isinstance(op, RegionOp) and op.result.type.partition.groups_axis is not None
    )


class Groups:
    """The groups of the partitions of a verified kernel."""

    def __init__(self, kernel: KernelOp, launch: Launch, values: Values, element: Callable[[SSAValue, Term], Parts]):
        self.launch = launch
        self.values = values
        self.element = element
        """The parts of an access to an element of a tensor with one axis, which is in bounds."""
        self.partitions = [
            op for op in ops_of(kernel.body.block) if isinstance(op, PartitionOp) and op.offsets is not None
        ]
        values.rules[GroupTilesOp] = self._tiles

    # That offsets bound groups

    def first_bad(self, op: PartitionOp) -> Term:
        """The number of the first group that is none of the tensor, or `ALL_FIT`."""
        number = self.partitions.index(op)
        return self.values.integers.symbol(f"first bad group of partition {number}", 0, ALL_FIT.value)

    def count(self, op: PartitionOp) -> Term:
        """How many groups there are."""
        return self.launch.number(op.groups)

    def fit(self, op: PartitionOp) -> Term:
        """Whether all groups are of the tensor."""
        return self.values.integers.equal(self.first_bad(op), ALL_FIT)

    def line(self, op: PartitionOp, group: Term, type_: TileType) -> tuple[list[tuple[Parts, object]], Term]:
        """Of many groups at once, of which `group` is any: what is read of offsets, with what tells each read from
        others, and the group's number if it is none of the tensor, or `ALL_FIT`.

        A number that is that of no group counts for nothing; those that wrap around are among them.
        """
        i, launch, place = self.values.integers, self.launch, self.values.everywhere(type_)
        assert op.offsets is not None
        there = i.less(group, launch.number(tensor_type(op.offsets).extent(0) - 1))
        reads: list[tuple[Parts, object]] = []
        for number in (group, i.wrapped(i.plus(group, 1), 32)):
            parts = self.element(op.offsets, number) | {"elements": type_.dims, "mask": there}
            if there != terms.TRUE:
                parts["padding"] = terms.const(0)
            reads.append((parts, read_once(parts, type_)))
        low, high = (self.values.element(("bound", key), type_, place) for _, key in reads)
        bad = i.both(there, self._is_bad(op, group, low, high))
        return reads, i.chosen(bad, group, ALL_FIT, 32)

    def _is_bad(self, op: PartitionOp, group: Term, low: Term, high: Term) -> Term:
        """Whether a group from `low` up to `high` does not ascend, is none of the tensor, leaves a gap at an end of one
        that is covered, or has more than the points reach. To an unsigned reading, what is negative is large."""
        i, type_ = self.values.integers, op.result.type
        axis = type_.groups_axis
        assert axis is not None
        extent, size = self.launch.number(type_.tensor.extent(axis)), type_.tile_shape[axis]
        found = [i.less(extent, i.unsigned(high, 32)), i.less(i.unsigned(high, 32), i.unsigned(low, 32))]
        if type_.covered:
            last = i.wrapped(i.minus(self.count(op), 1), 32)
            begins, ends = i.equal(group, terms.const(0)), i.equal(group, last)
            found.append(i.both(begins, i.negated(i.equal(low, terms.const(0)))))
            found.append(i.both(ends, i.negated(i.equal(high, extent))))
        if (tiles := reach(op)) is not None:
            number = self.launch.number(tiles)
            fits = i.less(number, terms.const(ALL_FIT.value // size))  # if not, the points reach more than there can be
            most = i.chosen(fits, i.wrapped(i.times(number, size), 32), ALL_FIT, 32)
            found.append(i.less(i.unsigned(most, 32), i.unsigned(i.wrapped(i.minus(high, low), 32), 32)))
        return i.either(*found)

    # Where groups lie

    def reads(self, op: Operation) -> list[tuple[Parts, object]]:
        """What is read of offsets to know where the group lies that an operation asks for (`takes_group`)."""
        match op:
            case GroupTilesOp():
                found = self._bounds(op.partition, op.group)
            case RegionOp():
                found = self._bounds(op.partition, op.coordinates[0])
            case _:
                raise NotFollowedError(op, "is taken for what has groups")
        return [(parts, read_once(parts, INDEX)) for parts in found]

    def where(self, region: RegionOp) -> tuple[Term, Term]:
        """The first element of the group that a region is of, and how many it has; none, where not all groups fit."""
        return self._lies(region.partition, region.coordinates[0])

    def _lies(self, partition: SSAValue, group: SSAValue) -> tuple[Term, Term]:
        i = self.values.integers
        low, high = (
            self.values.element(("bound", read_once(parts, INDEX)), INDEX, ())
            for parts in self._bounds(partition, group)
        )
        all_fit = i.both(*map(self.fit, self.partitions))
        return low, i.chosen(all_fit, i.wrapped(i.minus(high, low), 32), terms.const(0), 32)

    def _bounds(self, partition: SSAValue, group: SSAValue) -> tuple[Parts, Parts]:
        """The reads of the two offsets that bound a group."""
        op, i, number = partition.owner, self.values.integers, self.values.whole(group)
        assert isinstance(op, PartitionOp)
        assert op.offsets is not None
        return self.element(op.offsets, number), self.element(op.offsets, i.wrapped(i.plus(number, 1), 32))

    def _tiles(self, values: Values, op: GroupTilesOp, place: Place) -> Term:
        """How many regions a group has: none, if it has no element."""
        assert isinstance(op.partition.type, PartitionType)
        i, type_ = values.integers, op.partition.type
        axis = type_.groups_axis
        assert axis is not None
        _, size = self._lies(op.partition, op.group)
        last = i.divided(i.wrapped(i.minus(size, 1), 32), terms.const(type_.tile_shape[axis]), 32, True, "zero")
        return i.chosen(i.less(terms.const(0), size), i.wrapped(i.plus(last, 1), 32), terms.const(0), 32)
