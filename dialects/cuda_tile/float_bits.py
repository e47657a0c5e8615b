"""Floats as attributes, kept as their bits: the identities of reductions and scans, and what dictionaries hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from typing_extensions import TypeIs
from xdsl.dialects.builtin import FloatAttr, IntAttr
from xdsl.ir import Attribute, BuiltinAttribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.cuda_tile.dense import element_bytes_exact, element_value, storage_bytes
from freehold.dialects.cuda_tile.types import ELEMENT_BITS, FLOATS, element_name

if TYPE_CHECKING:
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer


def _is_float_attr(attr: Attribute) -> TypeIs[FloatAttr]:
    return isinstance(attr, FloatAttr)


@irdl_attr_definition
class FloatBitsAttr(ParametrizedAttribute, BuiltinAttribute):
    """
    `0xFF800000 : f32`: a float of one of Tile IR's element types, as its bits.

    It prints as MLIR's own float attribute does, and `TileParser` reads it where an operation of this dialect has a
    float. xDSL's `FloatAttr` holds a Python float, which loses what NaNs carry and has no `fnv8E5M3FNU`.
    """

    name = "cuda_tile.float_bits"
    type: Attribute
    bits: IntAttr

    @classmethod
    def of(cls, value: float, type_: Attribute) -> FloatBitsAttr:
        """The float nearest to `value`, to even. Raises `VerifyException` where the type is no float of Tile IR."""
        return cls(type_, IntAttr(int.from_bytes(element_bytes_exact(value, type_), "little")))

    @classmethod
    def from_bits(cls, bits: int, type_: Attribute) -> FloatBitsAttr:
        """The float with these bits. Raises `VerifyException` where the type is no float or has fewer bits."""
        return cls(type_, IntAttr(bits))

    def verify(self) -> None:
        """The type is a float of Tile IR, and has as many bits."""
        name = element_name(self.type)
        if name not in FLOATS:
            raise VerifyException(f"cuda_tile.float_bits: {self.type} is no float type of Tile IR")
        if not 0 <= self.bits.data < 1 << ELEMENT_BITS[name]:
            raise VerifyException(f"cuda_tile.float_bits: {self.bits.data:#x} is not a bit pattern of {name}")

    @property
    def data(self) -> bytes:
        """The bits as a literal stores them."""
        return self.bits.data.to_bytes(storage_bytes(self.type), "little")

    @property
    def value(self) -> float:
        """The number; NaN for every NaN."""
        return float(element_value(self.data, self.type))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<0xFF800000 : f32>`, a form that nothing prints."""
        from freehold.dialects.cuda_tile.text_dense import parse_number

        with parser.in_angle_brackets():
            number = parse_number(parser)
        if not isinstance(number, FloatBitsAttr):
            parser.raise_error("this is no float")
        return number.type, number.bits

    def print_builtin(self, printer: Printer) -> None:
        """Write `0xFF800000 : f32`."""
        from freehold.dialects.cuda_tile.text_dense import float_text

        printer.print_string(f"{float_text(self.data, self.type)} : ")
        printer.print_attribute(self.type)


def exact_float(attr: Attribute) -> Attribute:
    """xDSL's float attribute as its bits; other attributes, and floats that Tile IR has not, as they are."""
    if _is_float_attr(attr) and element_name(type_ := cast(Attribute, attr.type)) in FLOATS:
        return FloatBitsAttr.of(attr.value.data, type_)
    return attr
