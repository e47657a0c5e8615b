"""Extents of tensors, in elements and in tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import NoMemoryEffect
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.classes import PlainOp, build, whole
from freehold.dialects.ownership.ops.common import INDEX, check_axis, parse_axis, print_axis, tensor_type
from freehold.dialects.ownership.types import AccType, PartitionType, RawType, RefType, RegionType, TensorType

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer


@irdl_op_definition
class DimOp(PlainOp):
    """The extent of a tensor along an axis, in elements. At least 1."""

    name = "ownership.dim"

    source = operand_def(TensorType | RefType | AccType | RawType | PartitionType | RegionType)
    axis = prop_def(IntAttr)
    result = result_def(INDEX)

    traits = traits_def(NoMemoryEffect())

    def __init__(self, source: SSAValue, axis: int):
        build(self, [source], [INDEX], {"axis": whole(axis)})

    def verify_(self) -> None:
        check_axis(self.name, self.axis.data, tensor_type(self.source).rank)

    @classmethod
    def parse(cls, parser: Parser) -> DimOp:
        return cls(*parse_axis(parser))

    def print(self, printer: Printer) -> None:
        print_axis(printer, self.source, self.axis.data)


@irdl_op_definition
class TilesOp(PlainOp):
    """How many tiles of `size` elements cover a tensor along an axis: `ceildiv(extent, size)`. At least 1.

    `%n = ownership.tiles %a, 1 by 64 : !ownership.ref<[M, K], f32>`
    """

    name = "ownership.tiles"

    source = operand_def(TensorType | RefType | AccType | RawType | PartitionType | RegionType)
    axis = prop_def(IntAttr)
    size = prop_def(IntAttr)
    result = result_def(INDEX)

    traits = traits_def(NoMemoryEffect())

    def __init__(self, source: SSAValue, axis: int, size: int):
        build(self, [source], [INDEX], {"axis": whole(axis), "size": whole(size)})

    def verify_(self) -> None:
        check_axis(self.name, self.axis.data, tensor_type(self.source).rank)
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
