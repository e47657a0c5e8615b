"""What the operations share: the type of coordinates, effects, and how an axis of a tensor is read and written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from xdsl.dialects.builtin import DictionaryAttr, i32
from xdsl.ir import Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.traits import EffectInstance, IsTerminator, MemoryEffect, MemoryEffectKind
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.classes import has_trait
from freehold.dialects.cuda_tile import TileType
from freehold.dialects.ownership.duties import Duty, Owed, OwingOp, Rung
from freehold.dialects.ownership.symbols import Argument
from freehold.dialects.ownership.types import AccType, PartitionType, RawType, RefType, RegionType, TensorType

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

INDEX = TileType([], i32)
"""The type of coordinates, extents and tile counts: a 32-bit scalar."""


class OwnershipEffect(MemoryEffect):
    """Operations that make or end an ownership. Two equal ones are two acts: they are never merged or dropped."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        return {EffectInstance(MemoryEffectKind.WRITE)}


def tensor_type(value: Argument) -> TensorType:
    """The tensor that `value` is, lends, partitions, or is a region of. Raises `TypeError` for other values."""
    match value.type:
        case TensorType() as t:
            return t
        case RefType(tensor=t) | AccType(tensor=t) | RawType(tensor=t) | PartitionType(tensor=t):
            return t
        case RegionType(partition=PartitionType(tensor=t)):
            return t
        case _:
            raise TypeError(f"{value.type} is no tensor, borrow, accumulator, partition or region")


def tile_shape(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tile."""
    assert isinstance(value.type, TileType)
    return value.type.dims


def checked_tile(name: str, does: str, value: SSAValue, tensor: TensorType) -> TileType:
    """The type of a tile that is read from a tensor or written to it. Refuses one of other elements."""
    tile = value.type
    assert isinstance(tile, TileType)
    if tile.element_type != tensor.element:
        raise VerifyException(f"{name}: {does} {tensor.element}, not {tile.element_type}")
    return tile


def in_bounds(rank: int) -> Sequence[Owed]:
    """What an access owes of its index along each of so many axes."""
    return [(Duty.IN_BOUNDS, axis) for axis in range(rank)]


MASKABLE: Final = frozenset((Rung.PROVED, Rung.MASKED))
"""How accesses by element are in bounds: those that are not are left out."""


def parsed_duties(op: OwingOp, attributes: DictionaryAttr | None) -> None:
    """Takes over the attributes that stand in the text of an operation; what it owes is one of its properties."""
    found = {} if attributes is None else dict(attributes.data)
    if (duties := found.pop("duties", None)) is not None:
        op.properties["duties"] = duties
    op.attributes |= found


def print_duties(op: OwingOp, printer: Printer) -> None:
    """Writes the attributes of an operation, and what it owes among them."""
    duties = {} if op.duties is None else {"duties": op.duties}
    printer.print_op_attributes(op.attributes | duties, print_keyword=True)


def ensure_terminator(region: Region, terminator: type[IRDLOperation]) -> None:
    """Adds the terminator that was left out. A region without a block stays without: a clone is filled later."""
    for block in region.blocks:
        last = block.last_op
        if last is None or not has_trait(type(last), IsTerminator):
            block.add_op(terminator())


def check_axis(name: str, axis: int, rank: int) -> None:
    """Refuses an axis that a tensor of `rank` has not."""
    if not 0 <= axis < rank:
        raise VerifyException(f"{name}: no axis {axis} in a tensor of rank {rank}")


def parse_axis(parser: Parser) -> tuple[SSAValue, int]:
    """Reads `%x, 1 : type`: a value and an axis of it."""
    name = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    axis = parser.parse_integer(allow_boolean=False, allow_negative=False)
    parser.parse_punctuation(":")
    return parser.resolve_operand(name, parser.parse_type()), axis


def print_axis(printer: Printer, source: SSAValue, axis: int) -> None:
    """Writes what `parse_axis` reads."""
    printer.print_string(" ")
    printer.print_ssa_value(source)
    printer.print_string(f", {axis} : ")
    printer.print_attribute(source.type)
