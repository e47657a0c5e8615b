"""Operations of the ownership dialect.

A kernel is one `ownership.kernel`. Its arguments are tensors, which the launch holds, and scalars. `borrow` and
`partition` say what becomes of a tensor; `distribute` hands the points of a partition's index space to tile blocks;
`region` names the part of a partition that a point owns. Everything else is arithmetic on tiles, for which the
dialect uses `cuda_tile`'s own operations.

The operations accept more than the discipline allows (a `store` takes a shared borrow, `region` any coordinates), so
that `verify-borrows` and `verify-partitions` can say what is wrong in the user's words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr, SymbolNameConstraint, i32
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import (
    EffectInstance,
    IsolatedFromAbove,
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    NoMemoryEffect,
    SingleBlockImplicitTerminator,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.cuda_tile import OptimizationHintsAttr, PaddingValueAttr, TileType, TokenType
from freehold.dialects.ownership.attrs import BlocksAttr, BlocksKind, ObligationAttr, OrderAttr, OrderKind
from freehold.dialects.ownership.format import FormattedOp
from freehold.dialects.ownership.types import PartitionType, RefType, RegionType, TensorType

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

INDEX = TileType([], i32)
"""The type of coordinates, extents and tile counts: a 32-bit scalar."""


class _AccessEffect(MemoryEffect):
    """What is behind a shared borrow cannot change while the kernel runs, so reading it is no effect at all: such
    loads may be merged, moved and dropped. What a region holds can change, and only through that region."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        if isinstance(op, LoadOp):
            if isinstance(op.source.type, RefType):
                return set()
            return {EffectInstance(MemoryEffectKind.READ, op.source)}
        return {EffectInstance(MemoryEffectKind.WRITE)}


class _OwnershipEffect(MemoryEffect):
    """Operations that make or end an ownership. Two equal ones are two acts: they are never merged or dropped."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        return {EffectInstance(MemoryEffectKind.WRITE)}


@irdl_op_definition
class ReturnOp(FormattedOp):
    """Ends a kernel."""

    name = "ownership.return"

    FORMAT: ClassVar[str] = "attr-dict"
    traits = traits_def(IsTerminator(), NoMemoryEffect())


@irdl_op_definition
class KernelOp(IRDLOperation):
    """A kernel: what every tile block of a launch runs.

    `ownership.kernel @saxpy(%y: !ownership.tensor<[N], f32>, %a: !cuda_tile.tile<f32>) { ... }`

    Arguments are tensors and scalars (rank-0 tiles). Distinct tensor arguments are distinct memory unless both are
    only borrowed: the launcher refuses a call in which they overlap. `optimization_hints` goes to the entry.
    Arguments carry the user's names as name hints.
    """

    name = "ownership.kernel"

    sym_name = prop_def(SymbolNameConstraint())
    optimization_hints = opt_prop_def(OptimizationHintsAttr)
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), SingleBlockImplicitTerminator(ReturnOp))

    def __post_init__(self) -> None:
        _ensure_terminator(self.body, ReturnOp)

    def __init__(self, name: str, body: Region, hints: OptimizationHintsAttr | None = None):
        super().__init__(properties={"sym_name": StringAttr(name), "optimization_hints": hints}, regions=[body])

    def verify_(self) -> None:
        for n, a in enumerate(self.body.block.args):
            scalar = isinstance(a.type, TileType) and not a.type.dims
            if not scalar and not isinstance(a.type, TensorType):
                raise VerifyException(f"{self.name}: argument {n} is neither a tensor nor a scalar")

    @classmethod
    def parse(cls, parser: Parser) -> KernelOp:
        name = parser.parse_symbol_name()
        args = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
        hints: Attribute | None = None
        if parser.parse_optional_keyword("hints"):
            hints = parser.parse_attribute()
            if not isinstance(hints, OptimizationHintsAttr):
                parser.raise_error("expected optimization hints")
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region(args)
        op = cls(name.data, body, hints)
        if attributes is not None:
            op.attributes |= attributes.data
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string("(")
        printer.print_list(self.body.block.args, printer.print_block_argument)
        printer.print_string(")")
        if self.optimization_hints is not None:
            printer.print_string(" hints ")
            printer.print_attribute(self.optimization_hints)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_block_terminators=False)


@irdl_op_definition
class BorrowOp(FormattedOp):
    """Lends a tensor to every tile block for reading, until the kernel ends."""

    name = "ownership.borrow"

    tensor = operand_def(TensorType)
    result = result_def(RefType)

    FORMAT: ClassVar[str] = "$tensor attr-dict `:` type($tensor) `->` type($result)"
    traits = traits_def(_OwnershipEffect())

    def __init__(self, tensor: SSAValue[TensorType]):
        super().__init__(operands=[tensor], result_types=[RefType(tensor.type)])

    def verify_(self) -> None:
        if self.result.type.tensor != self.tensor.type:
            raise VerifyException(f"{self.name}: a borrow of {self.tensor.type} is no {self.result.type}")


@irdl_op_definition
class PartitionOp(FormattedOp):
    """Splits a tensor into regions for the exclusive use of tile blocks; the tensor is spent."""

    name = "ownership.partition"

    tensor = operand_def(TensorType)
    result = result_def(PartitionType)

    FORMAT: ClassVar[str] = "$tensor attr-dict `:` type($tensor) `->` type($result)"
    traits = traits_def(_OwnershipEffect())

    def __init__(self, tensor: SSAValue, result_type: PartitionType):
        super().__init__(operands=[tensor], result_types=[result_type])

    def verify_(self) -> None:
        if self.result.type.tensor != self.tensor.type:
            raise VerifyException(f"{self.name}: a partition of {self.tensor.type} is no {self.result.type}")


@irdl_op_definition
class EndOp(FormattedOp):
    """Ends the work for one point of a distribution."""

    name = "ownership.end"

    FORMAT: ClassVar[str] = "attr-dict"
    traits = traits_def(IsTerminator(), NoMemoryEffect())


@irdl_op_definition
class DistributeOp(IRDLOperation):
    """Runs its body once for every point of the partitions' common index space, spread over the launch's tile blocks.

    `ownership.distribute %p, %q order #ownership.order<grouped 8> blocks #ownership.blocks<persistent> : T, U {
    ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>): ... }`

    The body's arguments are the point's coordinates. Points run in no order that a program may rely on: not those of
    different blocks, and not those that one block takes in turn. All partitions have the same index space (the duty
    `same_grid`); `order` and `blocks` choose the schedule and change nothing else.
    """

    name = "ownership.distribute"

    partitions = var_operand_def(PartitionType)
    order = prop_def(OrderAttr)
    blocks = prop_def(BlocksAttr)
    obligations = opt_prop_def(ArrayAttr[ObligationAttr])
    body = region_def("single_block")

    traits = traits_def(SingleBlockImplicitTerminator(EndOp))

    def __post_init__(self) -> None:
        _ensure_terminator(self.body, EndOp)

    def __init__(
        self,
        partitions: Sequence[SSAValue],
        body: Region,
        order: OrderAttr | None = None,
        blocks: BlocksAttr | None = None,
    ):
        super().__init__(
            operands=[partitions],
            properties={
                "order": order or OrderAttr(OrderKind.ROW),
                "blocks": blocks or BlocksAttr(BlocksKind.EACH),
            },
            regions=[body],
        )

    @property
    def domain(self) -> PartitionType:
        """The partition whose index space the points are taken from."""
        domain = self.partitions[0].type
        assert isinstance(domain, PartitionType)
        return domain

    def verify_(self) -> None:
        if not self.partitions:
            raise VerifyException(f"{self.name}: needs at least one partition to take its points from")
        rank = self.domain.tensor.rank
        if [a.type for a in self.body.block.args] != [INDEX] * rank:
            raise VerifyException(f"{self.name}: the body of a rank-{rank} domain takes {rank} arguments of {INDEX}")
        if self.order.order is OrderKind.GROUPED and rank < 2:
            raise VerifyException(f"{self.name}: a grouped order needs two axes, the domain has {rank}")

    @classmethod
    def parse(cls, parser: Parser) -> DistributeOp:
        names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        order = parser.parse_attribute() if parser.parse_optional_keyword("order") else OrderAttr(OrderKind.ROW)
        blocks = parser.parse_attribute() if parser.parse_optional_keyword("blocks") else BlocksAttr(BlocksKind.EACH)
        if not isinstance(order, OrderAttr) or not isinstance(blocks, BlocksAttr):
            parser.raise_error("expected #ownership.order<..> and #ownership.blocks<..>")
        attributes = parser.parse_optional_attr_dict_with_keyword()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        operands = parser.resolve_operands(names, types, parser.pos)
        body = parser.parse_region()
        op = cls(operands, body, order, blocks)
        if attributes is not None:
            found = dict(attributes.data)
            if (obligations := found.pop("obligations", None)) is not None:
                op.properties["obligations"] = obligations
            op.attributes |= found
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.partitions, printer.print_ssa_value)
        if self.order.order is not OrderKind.ROW:
            printer.print_string(" order ")
            printer.print_attribute(self.order)
        if self.blocks.data is not BlocksKind.EACH:
            printer.print_string(" blocks ")
            printer.print_attribute(self.blocks)
        extra = dict(self.attributes)
        if self.obligations is not None:
            extra["obligations"] = self.obligations
        printer.print_op_attributes(extra, print_keyword=True)
        printer.print_string(" : ")
        printer.print_list(self.partitions, lambda p: printer.print_attribute(p.type))
        printer.print_string(" ")
        printer.print_region(self.body, print_block_terminators=False)


@irdl_op_definition
class RegionOp(FormattedOp):
    """Takes the region of a partition at some coordinates, for the exclusive use of the point that takes it.

    Owes: each coordinate in the partition's index space (`in_bounds`), and that no other point takes a region that
    overlaps it (`disjoint`).
    """

    name = "ownership.region"

    partition = operand_def(PartitionType)
    coordinates = var_operand_def(INDEX)
    obligations = opt_prop_def(ArrayAttr[ObligationAttr])
    result = result_def(RegionType)

    FORMAT: ClassVar[str] = "$partition `[` $coordinates `]` attr-dict `:` type($partition) `->` type($result)"
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(_OwnershipEffect())

    def __init__(self, partition: SSAValue, coordinates: Sequence[SSAValue]):
        assert isinstance(partition.type, PartitionType)
        super().__init__(operands=[partition, coordinates], result_types=[RegionType(partition.type)])

    def verify_(self) -> None:
        partition = self.result.type.partition
        if partition != self.partition.type:
            raise VerifyException(f"{self.name}: a region of {self.partition.type} is no {self.result.type}")
        if len(self.coordinates) != partition.tensor.rank:
            raise VerifyException(
                f"{self.name}: {len(self.coordinates)} coordinates for a partition of rank {partition.tensor.rank}"
            )


@irdl_op_definition
class CoordinateOp(IRDLOperation):
    """The coordinate of a region along an axis, in its partition's index space."""

    name = "ownership.coordinate"

    region = operand_def(RegionType)
    axis = prop_def(IntAttr)
    result = result_def(INDEX)

    traits = traits_def(NoMemoryEffect())

    def __init__(self, region: SSAValue, axis: int):
        super().__init__(operands=[region], properties={"axis": IntAttr(axis)}, result_types=[INDEX])

    def verify_(self) -> None:
        assert isinstance(self.region.type, RegionType)
        _check_axis(self.name, self.axis.data, self.region.type.partition.tensor.rank)

    @classmethod
    def parse(cls, parser: Parser) -> CoordinateOp:
        return cls(*_parse_axis(parser))

    def print(self, printer: Printer) -> None:
        _print_axis(printer, self.region, self.axis.data)


@irdl_op_definition
class DimOp(IRDLOperation):
    """The extent of a tensor along an axis, in elements. At least 1."""

    name = "ownership.dim"

    source = operand_def(TensorType | RefType | PartitionType | RegionType)
    axis = prop_def(IntAttr)
    result = result_def(INDEX)

    traits = traits_def(NoMemoryEffect())

    def __init__(self, source: SSAValue, axis: int):
        super().__init__(operands=[source], properties={"axis": IntAttr(axis)}, result_types=[INDEX])

    def verify_(self) -> None:
        _check_axis(self.name, self.axis.data, tensor_type(self.source).rank)

    @classmethod
    def parse(cls, parser: Parser) -> DimOp:
        return cls(*_parse_axis(parser))

    def print(self, printer: Printer) -> None:
        _print_axis(printer, self.source, self.axis.data)


@irdl_op_definition
class TilesOp(IRDLOperation):
    """How many tiles of `size` elements cover a tensor along an axis: `ceildiv(extent, size)`. At least 1.

    `%n = ownership.tiles %a, 1 by 64 : !ownership.ref<[M, K], f32>`
    """

    name = "ownership.tiles"

    source = operand_def(TensorType | RefType | PartitionType | RegionType)
    axis = prop_def(IntAttr)
    size = prop_def(IntAttr)
    result = result_def(INDEX)

    traits = traits_def(NoMemoryEffect())

    def __init__(self, source: SSAValue, axis: int, size: int):
        super().__init__(
            operands=[source], properties={"axis": IntAttr(axis), "size": IntAttr(size)}, result_types=[INDEX]
        )

    def verify_(self) -> None:
        _check_axis(self.name, self.axis.data, tensor_type(self.source).rank)
        if self.size.data < 1:
            raise VerifyException(f"{self.name}: a tile has at least one element, not {self.size.data}")

    @classmethod
    def parse(cls, parser: Parser) -> TilesOp:
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        axis = parser.parse_integer(allow_boolean=False, allow_negative=False)
        parser.parse_keyword("by")
        size = parser.parse_integer(allow_boolean=False)
        parser.parse_punctuation(":")
        return cls(parser.resolve_operand(name, parser.parse_type()), axis, size)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        printer.print_string(f", {self.axis.data} by {self.size.data} : ")
        printer.print_attribute(self.source.type)


@irdl_op_definition
class LoadOp(FormattedOp):
    """Reads a tile.

    From a shared borrow: the tile at `coordinates`, counted in tiles of the result's shape along each axis. Owes
    `in_bounds` for each axis. From a region: the region, without coordinates. Elements that overhang the tensor
    read as `padding_value`, by default zero. `hints` carries what is known about speed only (latency, TMA).
    Accesses to one region are ordered by `token` once `thread-tokens` has run.
    """

    name = "ownership.load"

    source = operand_def(RefType | RegionType)
    coordinates = var_operand_def(INDEX)
    token = opt_operand_def(TokenType)
    padding_value = opt_prop_def(PaddingValueAttr)
    hints = opt_prop_def(OptimizationHintsAttr)
    obligations = opt_prop_def(ArrayAttr[ObligationAttr])
    result = result_def(TileType)
    result_token = opt_result_def(TokenType)

    FORMAT: ClassVar[str] = (
        "$source (`[` $coordinates^ `]`)? (`token` $token^)? attr-dict `:` type($source) `->` type($result)"
        " (`,` type($result_token)^)?"
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(_AccessEffect())

    def __init__(
        self,
        source: SSAValue,
        coordinates: Sequence[SSAValue],
        result_type: TileType,
        *,
        padding: PaddingValueAttr | None = None,
        hints: OptimizationHintsAttr | None = None,
    ):
        super().__init__(
            operands=[source, coordinates, None],
            properties={"padding_value": padding, "hints": hints},
            result_types=[result_type, None],
        )

    def verify_(self) -> None:
        source, tile = self.source.type, self.result.type
        if tile.element_type != tensor_type(self.source).element:
            raise VerifyException(f"{self.name}: loads {tensor_type(self.source).element}, not {tile.element_type}")
        if isinstance(source, RegionType):
            if self.coordinates:
                raise VerifyException(f"{self.name}: a region is loaded without coordinates")
            if tile.dims != source.partition.tile_shape:
                raise VerifyException(f"{self.name}: the region is {source.partition.tile_shape}, not {tile.dims}")
        else:
            rank = tensor_type(self.source).rank
            if not len(self.coordinates) == len(tile.dims) == rank:
                raise VerifyException(
                    f"{self.name}: a tile of rank {len(tile.dims)} at {len(self.coordinates)} coordinates "
                    f"of a tensor of rank {rank}"
                )


@irdl_op_definition
class StoreOp(FormattedOp):
    """Writes a tile to a region. What overhangs the tensor is not written.

    A shared borrow is accepted as a target so that `verify-borrows` can refuse it with the user's own line.
    """

    name = "ownership.store"

    tile = operand_def(TileType)
    target = operand_def(RegionType | RefType)
    coordinates = var_operand_def(INDEX)
    token = opt_operand_def(TokenType)
    hints = opt_prop_def(OptimizationHintsAttr)
    result_token = opt_result_def(TokenType)

    FORMAT: ClassVar[str] = (
        "$tile `,` $target (`[` $coordinates^ `]`)? (`token` $token^)? attr-dict `:` type($tile) `,` type($target)"
        " (`->` type($result_token)^)?"
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(_AccessEffect())

    def __init__(
        self,
        tile: SSAValue,
        target: SSAValue,
        coordinates: Sequence[SSAValue] = (),
        *,
        hints: OptimizationHintsAttr | None = None,
    ):
        super().__init__(operands=[tile, target, coordinates, None], properties={"hints": hints}, result_types=[None])

    def verify_(self) -> None:
        tile = self.tile.type
        assert isinstance(tile, TileType)
        if tile.element_type != tensor_type(self.target).element:
            raise VerifyException(f"{self.name}: stores {tensor_type(self.target).element}, not {tile.element_type}")
        if isinstance(self.target.type, RegionType):
            if self.coordinates:
                raise VerifyException(f"{self.name}: a region is stored without coordinates")
            shape = self.target.type.partition.tile_shape
            if tile.dims != shape:
                raise VerifyException(f"{self.name}: the region is {shape}, not {tile.dims}")


@irdl_op_definition
class ReleaseOp(FormattedOp):
    """Gives a region back before its point's work ends. It may not be used afterwards."""

    name = "ownership.release"

    region = operand_def(RegionType)

    FORMAT: ClassVar[str] = "$region attr-dict `:` type($region)"
    traits = traits_def(_OwnershipEffect())

    def __init__(self, region: SSAValue):
        super().__init__(operands=[region])


def tensor_type(value: SSAValue) -> TensorType:
    """The tensor that `value` is, borrows, partitions, or is a region of. Raises `TypeError` for other values."""
    match value.type:
        case TensorType() as t:
            return t
        case RefType(tensor=t) | PartitionType(tensor=t) | RegionType(partition=PartitionType(tensor=t)):
            return t
        case _:
            raise TypeError(f"{value.type} is no tensor, borrow, partition or region")


def _ensure_terminator(region: Region, terminator: type[ReturnOp | EndOp]) -> None:
    """Adds the terminator that was left out. A region without a block stays without: a clone is filled later."""
    for block in region.blocks:
        last = block.last_op
        if last is None or not last.has_trait(IsTerminator, value_if_unregistered=False):
            block.add_op(terminator())


def _check_axis(name: str, axis: int, rank: int) -> None:
    if not 0 <= axis < rank:
        raise VerifyException(f"{name}: no axis {axis} in a tensor of rank {rank}")


def _parse_axis(parser: Parser) -> tuple[SSAValue, int]:
    name = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    axis = parser.parse_integer(allow_boolean=False, allow_negative=False)
    parser.parse_punctuation(":")
    return parser.resolve_operand(name, parser.parse_type()), axis


def _print_axis(printer: Printer, source: SSAValue, axis: int) -> None:
    printer.print_string(" ")
    printer.print_ssa_value(source)
    printer.print_string(f", {axis} : ")
    printer.print_attribute(source.type)


OPS: tuple[type[IRDLOperation], ...] = (
    KernelOp,
    ReturnOp,
    BorrowOp,
    PartitionOp,
    DistributeOp,
    EndOp,
    RegionOp,
    CoordinateOp,
    DimOp,
    TilesOp,
    LoadOp,
    StoreOp,
    ReleaseOp,
)
"""Every operation of the dialect."""
