"""Who owns what: borrows and partitions of tensors, points handed to tile blocks, and the regions that they take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr, UnitAttr, i32
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import IsTerminator, NoMemoryEffect, SingleBlockImplicitTerminator
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.classes import PlainOp, array, build, string, whole
from freehold.dialects.ownership.attrs import BlocksAttr, BlocksKind, OrderAttr, OrderKind
from freehold.dialects.ownership.duties import Duty, Owed, OwingOp, Rung
from freehold.dialects.ownership.format import FormattedOp
from freehold.dialects.ownership.interface import AccessOp, Action, Indexing
from freehold.dialects.ownership.ops.common import (
    INDEX,
    OwnershipEffect,
    check_axis,
    ensure_terminator,
    in_bounds,
    parse_axis,
    parsed_duties,
    print_axis,
    print_duties,
    tensor_type,
)
from freehold.dialects.ownership.types import (
    PartitionType,
    RefType,
    RegionType,
    TensorType,
    parse_terms,
    print_terms,
    term_of_text,
)
from freehold.support.terms import Term

if TYPE_CHECKING:
    from typing import Self

    from xdsl.parser import Parser
    from xdsl.printer import Printer


@irdl_op_definition
class BorrowOp(OwingOp, FormattedOp):
    """Lends a tensor to every tile block for reading, until the kernel ends."""

    name = "ownership.borrow"

    tensor = operand_def(TensorType)
    result = result_def(RefType)

    FORMAT: ClassVar[str] = "$tensor attr-dict `:` type($tensor) `->` type($result)"
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(OwnershipEffect())

    def __init__(self, tensor: SSAValue[TensorType]):
        super().__init__(operands=[tensor], result_types=[RefType(tensor.type)])

    @property
    def owed(self) -> Sequence[Owed]:
        return ((Duty.APART, -1),)

    def verify_(self) -> None:
        if self.result.type.tensor != self.tensor.type:
            raise VerifyException(f"{self.name}: a borrow of {self.tensor.type} is no {self.result.type}")


@irdl_op_definition
class PartitionOp(OwingOp, FormattedOp):
    """Splits a tensor into regions for the exclusive use of tile blocks; the tensor is spent.

    Owes, of an output: that every region is stored (`covered`), unless the partition is `partial`.

    A partition with groups is made `by` offsets, of i32: group `g` has the elements from `offsets[g]` up to but not
    `offsets[g + 1]` along its axis. It owes that these are ascending and in bounds, which is checked in the kernel
    (`grouped`); of an output, that the groups are the whole tensor, and that the domain has as many points as the
    largest of them needs.
    """

    name = "ownership.partition"

    tensor = operand_def(TensorType)
    offsets = opt_operand_def(RefType)
    result = result_def(PartitionType)

    irdl_options = (ParsePropInAttrDict(),)

    FORMAT: ClassVar[str] = (
        "$tensor (`by` $offsets^ `:` type($offsets) `,`)? attr-dict `:` type($tensor) `->` type($result)"
    )
    traits = traits_def(OwnershipEffect())

    def __init__(self, tensor: SSAValue, result_type: PartitionType, offsets: SSAValue | None = None):
        super().__init__(operands=[tensor, offsets], result_types=[result_type])

    @property
    def groups(self) -> Term:
        """How many groups there are, where there are any."""
        assert self.offsets is not None
        return tensor_type(self.offsets).extent(0) - 1

    @property
    def owed(self) -> Sequence[Owed]:
        groups = self.result.type.groups_axis
        found = [(Duty.APART, -1), (Duty.DISJOINT, -1), (Duty.ORDERED, -1)]
        if self.result.type.covered:
            found += ((Duty.DISTRIBUTED, -1), (Duty.COVERED, -1), (Duty.STORED, -1))
        if groups is not None:
            found.append((Duty.GROUPED, groups))
        return found

    def verify_(self) -> None:
        if self.result.type.tensor != self.tensor.type:
            raise VerifyException(f"{self.name}: a partition of {self.tensor.type} is no {self.result.type}")
        if (self.offsets is None) != (self.result.type.groups_axis is None):
            raise VerifyException(f"{self.name}: offsets bound groups, and groups have offsets")
        if self.offsets is not None:
            found = tensor_type(self.offsets)
            if found.rank != 1 or found.element != i32:
                raise VerifyException(f"{self.name}: offsets are a line of i32, not {found}")


@irdl_op_definition
class EndOp(FormattedOp):
    """Ends the work for one point of a distribution."""

    name = "ownership.end"

    FORMAT: ClassVar[str] = "attr-dict"
    traits = traits_def(IsTerminator(), NoMemoryEffect())


@irdl_op_definition
class DistributeOp(OwingOp):
    """Runs its body once for every point of a domain, spread over the launch's tile blocks.

    `ownership.distribute %p, %q over [B, "ceildiv(N, 64)"] order #ownership.order<grouped 8>
    blocks #ownership.blocks<persistent> : T, U { ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>): ... }`

    The body's arguments are the point's coordinates. Points run in no order that a program may rely on: not those of
    different blocks, and not those that one block takes in turn; `order` and `blocks` choose the schedule and change
    nothing else. `over` lists the domain's extents, as terms over the launch's symbols, each of which the launcher sees
    to be at least 1. Without it the domain is the index space of the partition with the most axes (the first of those),
    and the others agree with it (the duty `same_grid`): a partition with fewer axes has the leading ones.
    """

    name = "ownership.distribute"

    partitions = var_operand_def(PartitionType)
    domain = opt_prop_def(ArrayAttr[StringAttr])
    order = prop_def(OrderAttr)
    blocks = prop_def(BlocksAttr)
    body = region_def("single_block")

    traits = traits_def(SingleBlockImplicitTerminator(EndOp))

    def __post_init__(self) -> None:
        ensure_terminator(self.body, EndOp)

    def __init__(
        self,
        partitions: Sequence[SSAValue],
        body: Region,
        order: OrderAttr | None = None,
        blocks: BlocksAttr | None = None,
        domain: Sequence[str] | None = None,
    ):
        given: dict[str, Attribute] = {} if domain is None else {"domain": array(map(string, domain))}
        given["order"] = order or OrderAttr(OrderKind.ROW)
        given["blocks"] = blocks or BlocksAttr(BlocksKind.EACH)
        build(self, partitions, (), given, [body])
        self.__post_init__()

    @property
    def leader(self) -> int:
        """The number of the partition whose index space is the domain where none is given: the first of most axes."""
        ranks = [_partition(p).tensor.rank for p in self.partitions]
        return ranks.index(max(ranks))

    @property
    def extents(self) -> tuple[Term, ...]:
        """The domain: its extents, as terms over the launch's symbols."""
        if self.domain is not None:
            return tuple([term_of_text(d.data) for d in self.domain.data])
        return _partition(self.partitions[self.leader]).regions

    @property
    def owed(self) -> Sequence[Owed]:
        agree = len(self.partitions) > (self.domain is None)
        return (Duty.DISJOINT, -1), *((Duty.SAME_GRID, axis) for axis in range(len(self.extents)) if agree)

    def verify_(self) -> None:
        if self.domain is None and not self.partitions:
            raise VerifyException(f"{self.name}: needs a domain, or a partition to take its points from")
        if self.domain is None and any(_partition(p).groups_axis is not None for p in self.partitions):
            raise VerifyException(f"{self.name}: needs a domain where a partition has groups")
        try:
            extents = self.extents
        except ValueError as e:
            raise VerifyException(f"{self.name}: an extent of the domain is a term over symbols: {e}") from e
        rank = len(extents)
        if [a.type for a in self.body.block.args] != [INDEX] * rank:
            raise VerifyException(f"{self.name}: the body of a rank-{rank} domain takes {rank} arguments of {INDEX}")
        if self.order.order is OrderKind.GROUPED and rank < 2:
            raise VerifyException(f"{self.name}: a grouped order needs two axes, the domain has {rank}")

    @classmethod
    def parse(cls, parser: Parser) -> DistributeOp:
        names = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        domain = parse_terms(parser) if parser.parse_optional_keyword("over") else None
        order = parser.parse_attribute() if parser.parse_optional_keyword("order") else OrderAttr(OrderKind.ROW)
        blocks = parser.parse_attribute() if parser.parse_optional_keyword("blocks") else BlocksAttr(BlocksKind.EACH)
        if not isinstance(order, OrderAttr) or not isinstance(blocks, BlocksAttr):
            parser.raise_error("expected #ownership.order<..> and #ownership.blocks<..>")
        attributes = parser.parse_optional_attr_dict_with_keyword()
        operands: Sequence[SSAValue] = ()
        if names:
            parser.parse_punctuation(":")
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
            operands = parser.resolve_operands(names, types, parser.pos)
        body = parser.parse_region()
        op = cls(operands, body, order, blocks, None if domain is None else [d.data for d in domain])
        parsed_duties(op, attributes)
        return op

    def print(self, printer: Printer) -> None:
        if self.partitions:
            printer.print_string(" ")
            printer.print_list(self.partitions, printer.print_ssa_value)
        if self.domain is not None:
            printer.print_string(" over ")
            print_terms(printer, self.domain)
        if self.order.order is not OrderKind.ROW:
            printer.print_string(" order ")
            printer.print_attribute(self.order)
        if self.blocks.kind is not BlocksKind.EACH:
            printer.print_string(" blocks ")
            printer.print_attribute(self.blocks)
        print_duties(self, printer)
        if self.partitions:
            printer.print_string(" : ")
            printer.print_list(self.partitions, lambda p: printer.print_attribute(p.type))
        printer.print_string(" ")
        printer.print_region(self.body, print_block_terminators=False)


def _partition(value: SSAValue) -> PartitionType:
    assert isinstance(value.type, PartitionType)
    return value.type


_PROVED: Final = frozenset((Rung.PROVED,))


@irdl_op_definition
class RegionOp(AccessOp, FormattedOp):
    """Takes the region of a partition at some coordinates, for the exclusive use of the point that takes it.

    Owes: each coordinate in the partition's index space (`in_bounds`), and that no other point takes a region that
    overlaps it (`disjoint`). `mapped` says, for messages, that the coordinates are those of the partition's own map.
    `axes` says that the partition speaks of so many leading axes of the domain, so the others have extent 1.
    """

    name = "ownership.region"
    ACTION: ClassVar[Action] = Action.TAKE
    CALLED: ClassVar[str] = "region of"

    partition = operand_def(PartitionType)
    coordinates = var_operand_def(INDEX)
    mapped = opt_prop_def(UnitAttr)
    axes = opt_prop_def(IntAttr)
    result = result_def(RegionType)

    FORMAT: ClassVar[str] = "$partition `[` $coordinates `]` attr-dict `:` type($partition) `->` type($result)"
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(OwnershipEffect())

    def __init__(
        self, partition: SSAValue, coordinates: Sequence[SSAValue], *, mapped: bool = False, axes: int | None = None
    ):
        assert isinstance(partition.type, PartitionType)
        super().__init__(
            operands=[partition, coordinates],
            properties={"mapped": UnitAttr() if mapped else None, "axes": None if axes is None else IntAttr(axes)},
            result_types=[RegionType(partition.type)],
        )

    @property
    def indexing(self) -> Indexing:
        return Indexing.TILES

    @property
    def places(self) -> Sequence[SSAValue]:
        return self.coordinates

    @property
    def shape(self) -> tuple[int, ...]:
        return self.result.type.partition.tile_shape

    @property
    def steps(self) -> tuple[int, ...]:
        return self.result.type.partition.steps

    @property
    def owed(self) -> Sequence[Owed]:
        partition = self.result.type.partition
        found = [(Duty.DISJOINT, -1), *in_bounds(partition.tensor.rank), (Duty.HELD, -1)]
        if partition.stored_first:
            found += ((Duty.INITIALISED, -1), (Duty.STORED, -1))
        return found

    @property
    def rungs(self) -> frozenset[Rung] | None:
        grouped = self.result.type.partition.groups_axis is not None
        return _PROVED if grouped else None  # nothing of a group is checked

    def verify_(self) -> None:
        partition = self.result.type.partition
        if partition != self.partition.type:
            raise VerifyException(f"{self.name}: a region of {self.partition.type} is no {self.result.type}")
        if len(self.coordinates) != partition.index_rank:
            raise VerifyException(
                f"{self.name}: {len(self.coordinates)} coordinates for a partition of rank {partition.index_rank}"
            )


class RegionAxisOp(PlainOp):
    """Base of the operations that say where a region lies along an axis."""

    region = operand_def(RegionType)
    axis = prop_def(IntAttr)
    result = result_def(INDEX)

    traits = traits_def(NoMemoryEffect())

    def __init__(self, region: SSAValue, axis: int):
        build(self, [region], [INDEX], {"axis": whole(axis)})

    def verify_(self) -> None:
        assert isinstance(self.region.type, RegionType)
        check_axis(self.name, self.axis.data, self.axes_of(self.region.type.partition))

    @staticmethod
    def axes_of(partition: PartitionType) -> int:
        """How many axes there are: the tensor's."""
        return partition.tensor.rank

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return cls(*parse_axis(parser))

    def print(self, printer: Printer) -> None:
        print_axis(printer, self.region, self.axis.data)


@irdl_op_definition
class CoordinateOp(RegionAxisOp):
    """A coordinate of a region in its partition's index space; the first is the group's, where there are groups."""

    name = "ownership.coordinate"

    @staticmethod
    def axes_of(partition: PartitionType) -> int:
        """How many axes there are: the index space's."""
        return partition.index_rank


@irdl_op_definition
class ReleaseOp(FormattedOp):
    """Gives a region back before its point's work ends. It may not be used afterwards."""

    name = "ownership.release"

    region = operand_def(RegionType)

    FORMAT: ClassVar[str] = "$region attr-dict `:` type($region)"
    traits = traits_def(OwnershipEffect())

    def __init__(self, region: SSAValue):
        super().__init__(operands=[region])
