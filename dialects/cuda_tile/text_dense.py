"""How dense literals are read and written as text."""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from xdsl.dialects.builtin import BytesAttr, Float64Type, IntegerAttr, IntegerType
from xdsl.ir import Attribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from freehold.dialects.cuda_tile.dense import DenseElementsAttr, element_bytes_exact, element_value, storage_bytes
from freehold.dialects.cuda_tile.float_bits import FloatBitsAttr
from freehold.dialects.cuda_tile.text_types import parse_short_type, print_short_type
from freehold.dialects.cuda_tile.types import ELEMENT_BITS, FLOATS, TileType, element_name, is_int, is_integer_attr
from freehold.support.integers import limits

MAX_LISTED: Final = 100
"""Literals with more elements than this that are not fills print as one hexadecimal string of their bytes."""

_PRECISION: Final = {
    "f16": 11,
    "bf16": 8,
    "tf32": 11,
    "f32": 24,
    "f64": 53,
    "f8E4M3FN": 4,
    "f8E5M2": 3,
    "f8E8M0FNU": 1,
    "fnv8E5M3FNU": 4,
    "f4E2M1FN": 2,
}
"""The bits of each float type's significand, the leading one included."""

Nested = bytes | list["Nested"]

_LISTED: Final = re.compile(r"\[[\[\]0-9eE+\-.,\s]*+(?<=\])")
"""Numbers in brackets: JSON, unless one of them is written as JSON does not have it."""
_NO_POINT: Final = re.compile(r"[\[,\s\-][0-9]++[eE]")
"""A number with an exponent and no point, which JSON has and MLIR has not."""
_PACKED: Final = {"i8": "b", "i16": "h", "i32": "i", "i64": "q", "f16": "e", "f32": "f", "f64": "d"}
"""The `struct` codes of element types."""


@dataclass
class Packed:
    """The elements of nested lists, row by row, as they are stored, and the lengths of the lists."""

    data: bytes
    dims: tuple[int, ...]


def _bit_pattern(parser: AttrParser, text: str, negative: bool, element: Attribute, start: int) -> int:
    """The bits of a float that are written in hexadecimal."""
    bits, name = int(text, 16), element_name(element)
    if negative or bits >= 1 << ELEMENT_BITS.get(name, 64):
        parser.raise_error(f"{text} is not a bit pattern of {name}", start)
    return bits


def _is_written(value: int, width: int) -> bool:
    """Whether an integer of a width may be written so, with a sign or without one."""
    return limits(width)[0] <= value <= limits(width, signed=False)[1]


def _parse_element(parser: AttrParser, element: Attribute) -> bytes:
    name = element_name(element)
    if is_int(element):
        width = element.width.data
        if (boolean := parser.parse_optional_boolean()) is not None:
            if width != 1:
                parser.raise_error(f"true and false are values of i1, not of {name}")
            return bytes([int(boolean)])
        position = parser.pos
        value = parser.parse_integer()
        if not _is_written(value, width):
            parser.raise_error(f"{value} does not fit in {name}", position)
        return element_bytes_exact(value, element)
    negative = parser.parse_optional_punctuation("-") is not None
    start = parser.pos
    number = parser.parse_number(allow_boolean=False)
    text = parser.lexer.input.content[start : parser.pos].strip()
    if text.lower().startswith("0x"):
        bits = _bit_pattern(parser, text, negative, element, start)
        return bits.to_bytes(storage_bytes(element), "little")
    return element_bytes_exact(-float(number) if negative else float(number), element)


def _parse_nested(parser: AttrParser, element: Attribute) -> Nested:
    items = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_nested(parser, element))
    return _parse_element(parser, element) if items is None else items


def _parse_packed(parser: AttrParser, element: Attribute) -> Packed | None:
    """Nested lists of decimal numbers that fit, as most literals are; nothing is read where they are anything else."""
    code = _PACKED.get(element_name(element))
    listed = _LISTED.match(parser.lexer.input.content, parser.pos)
    if code is None or listed is None or _NO_POINT.search(listed.group()):
        return None
    try:
        values = json.loads(listed.group())
        dims = [len(values)]
        while values and isinstance(values[0], list):
            dims.append(len(values[0]))
            if any(len(row) != dims[-1] for row in values):
                return None
            values = list(chain.from_iterable(values))
        data = struct.pack(f"<{len(values)}{code}", *values)
    except (ValueError, TypeError, OverflowError, struct.error):
        return None
    parser._resume_from(listed.end())  # pyright: ignore[reportPrivateUsage] -- what stands there has been read
    return Packed(data, tuple(dims))


def _flatten(nested: Nested, dims: tuple[int, ...], parser: AttrParser, out: list[bytes]) -> None:
    if isinstance(nested, bytes):
        if dims:
            parser.raise_error("the literal has fewer dimensions than its type")
        out.append(nested)
        return
    if not dims or len(nested) != dims[0]:
        parser.raise_error(f"the literal does not have the shape of its type: got {len(nested)} items")
    for item in nested:
        _flatten(item, dims[1:], parser, out)


def _from_hex(parser: AttrParser, text: str, type_: TileType) -> DenseElementsAttr:
    """The literal printed as raw element bytes: `i1` one byte an element, others as they are stored."""
    try:
        raw = bytes.fromhex(text.removeprefix("0x").removeprefix("0X"))
    except ValueError:
        parser.raise_error("a literal in quotes must be hexadecimal")
    size, count = storage_bytes(type_.element_type), type_.num_elements
    if len(raw) not in (size, size * count):
        parser.raise_error(f"{type_} takes {size * count} bytes, got {len(raw)}")
    if len(raw) == size:
        raw *= count
    return DenseElementsAttr.from_elements(type_, [raw[at : at + size] for at in range(0, len(raw), size)])


def _parse_elements(parser: AttrParser, element: Attribute) -> Nested | Packed | str:
    text = parser.parse_optional_str_literal()
    return text if text is not None else _parse_packed(parser, element) or _parse_nested(parser, element)


def _parse_value(parser: AttrParser) -> tuple[Attribute, Nested | Packed | str]:
    element = parse_short_type(parser)
    storage_bytes(element)
    parser.parse_punctuation(":")
    return element, _parse_elements(parser, element)


def _finish(
    parser: AttrParser, element: Attribute, value: Nested | Packed | str, type_: Attribute
) -> DenseElementsAttr:
    if not isinstance(type_, TileType):
        parser.raise_error("a literal has a tile type")
    if type_.element_type != element:
        parser.raise_error(f"the literal has elements of {element} but its type is {type_}")
    if isinstance(value, str):
        return _from_hex(parser, value, type_)
    if isinstance(value, bytes):
        return DenseElementsAttr.from_elements(type_, [value])
    if isinstance(value, Packed):
        if len(value.dims) < type_.rank:
            parser.raise_error("the literal has fewer dimensions than its type")
        if value.dims != type_.dims:
            parser.raise_error(f"the literal does not have the shape of its type: got {value.dims[0]} items")
        first = value.data[: storage_bytes(element)]
        return DenseElementsAttr(type_, first if first * type_.num_elements == value.data else value.data)
    flat: list[bytes] = []
    _flatten(value, type_.dims, parser, flat)
    return DenseElementsAttr.from_elements(type_, flat)


def parse_literal(parser: AttrParser) -> DenseElementsAttr:
    """Read `<f32: [1.0, 2.0]> : tile<2xf32>`."""
    with parser.in_angle_brackets():
        element, value = _parse_value(parser)
    parser.parse_punctuation(":")
    return _finish(parser, element, value, parse_short_type(parser))


def parse_dense_parameters(parser: AttrParser) -> Sequence[Attribute]:
    """Read `<f32: [1.0, 2.0], tile<2xf32>>`."""
    with parser.in_angle_brackets():
        element, value = _parse_value(parser)
        parser.parse_punctuation(",")
        attr = _finish(parser, element, value, parse_short_type(parser))
    return attr.type, BytesAttr(attr.data.data)


def print_element(data: bytes, element: Attribute, printer: Printer) -> None:
    """Write one element: `true`, an integer, a float, or the bits of an infinity or NaN."""
    value = element_value(data, element)
    if is_int(element):
        printer.print_string(("true" if value else "false") if element.width.data == 1 else str(value))
        return
    printer.print_string(float_text(data, element))


def _digits(value: float, precision: int) -> tuple[str, int]:
    """The decimal digits of a positive number, and the power of ten of the last, as LLVM cuts and rounds them.

    It drops most digits too many by division, which truncates, and rounds the rest half up.
    """
    significand, denominator = value.as_integer_ratio()
    exponent = 1 - denominator.bit_length()
    significand *= 5**-exponent
    removable = (significand.bit_length() - (precision * 196 + 58) // 59) * 59 // 196
    if removable > 0:
        exponent += removable
        significand //= 10**removable
    excess = len(str(significand).rstrip("0")) - precision
    if excess > 0:
        unit = 10 ** (len(str(significand)) - precision)
        significand = (significand + unit // 2) // unit * unit
    text = str(significand)
    digits = text.rstrip("0")
    return digits, exponent + len(text) - len(digits)


def _short_text(value: float) -> str:
    """A positive number with six digits and an exponent of two."""
    digits, exponent = _digits(value, 6)
    exponent += len(digits) - 1
    return f"{digits[0]}.{digits[1:]:0<6}e{'-' if exponent < 0 else '+'}{abs(exponent):02}"


def _long_text(value: float, precision: int) -> str:
    """A positive number with as many digits as tell it from others: in full, unless that takes many zeros."""
    digits, exponent = _digits(value, precision)
    leading = exponent + len(digits) - 1
    if exponent > 3 or (exponent >= 0 and len(digits) + exponent > precision) or leading < -3:
        return f"{digits[0]}.{digits[1:] or '0'}E{'-' if leading < 0 else '+'}{abs(leading)}"
    if exponent >= 0:
        return digits + "0" * exponent
    if leading >= 0:
        return f"{digits[: leading + 1]}.{digits[leading + 1 :]}"
    return f"0.{'0' * (-leading - 1)}{digits}"


def float_text(data: bytes, element: Attribute) -> str:
    """A float as MLIR writes it: six digits where they are exact, more or the bits where not."""
    value = element_value(data, element)
    bits = int.from_bytes(data, "little")
    name = element_name(element)
    if value != value or value in (float("inf"), float("-inf")):
        return f"0x{bits:0{(ELEMENT_BITS[name] + 3) // 4}X}"
    sign, size = "-" if math.copysign(1.0, value) < 0 else "", abs(value)
    text = f"{sign}{_short_text(size)}" if size else f"{sign}0.000000e+00"
    if element_bytes_exact(float(text), element) == data:
        return text
    text = f"{sign}{_long_text(size, 2 + _PRECISION[name] * 59 // 196)}"
    if "." in text and element_bytes_exact(float(text), element) == data:
        return text
    return f"0x{bits:0{(ELEMENT_BITS[name] + 3) // 4}X}"


def _print_nested(elements: list[bytes], dims: tuple[int, ...], element: Attribute, printer: Printer) -> None:
    if not dims:
        print_element(elements[0], element, printer)
        return
    step = len(elements) // dims[0]
    with printer.in_square_brackets():
        for index in range(dims[0]):
            printer.print_string(", " if index else "")
            _print_nested(elements[index * step : (index + 1) * step], dims[1:], element, printer)


def _print_value(attr: DenseElementsAttr, printer: Printer) -> None:
    print_short_type(attr.type.element_type, printer)
    printer.print_string(": ")
    _print_elements(attr, printer)


def print_builtin_dense(attr: DenseElementsAttr, printer: Printer) -> None:
    """Write `dense<1.0> : !cuda_tile.tile<4xf32>`, as MLIR's generic form has it."""
    printer.print_string("dense<")
    _print_elements(attr, printer)
    printer.print_string("> : ")
    printer.print_attribute(attr.type)


def _print_elements(attr: DenseElementsAttr, printer: Printer) -> None:
    element = attr.type.element_type
    elements = attr.elements()
    if attr.is_splat or all(data == elements[0] for data in elements):
        print_element(elements[0], element, printer)
    elif len(elements) > MAX_LISTED:
        printer.print_string(f'"0x{b"".join(elements).hex().upper()}"')
    else:
        _print_nested(elements, attr.type.dims, element, printer)


def print_literal(attr: DenseElementsAttr, printer: Printer) -> None:
    """Write `<f32: [1.0, 2.0]> : tile<2xf32>`."""
    with printer.in_angle_brackets():
        _print_value(attr, printer)
    printer.print_string(" : ")
    print_short_type(attr.type, printer)


def print_dense_parameters(attr: DenseElementsAttr, printer: Printer) -> None:
    """Write `<f32: [1.0, 2.0], tile<2xf32>>`."""
    with printer.in_angle_brackets():
        _print_value(attr, printer)
        printer.print_string(", ")
        print_short_type(attr.type, printer)


def parse_number(parser: AttrParser) -> Attribute:
    """Read a typed number such as `0 : i32`, `-1.0 : f32` or `0xFF800000 : f32`: an integer or float attribute."""
    negative = parser.parse_optional_punctuation("-") is not None
    start = parser.pos
    if (boolean := parser.parse_optional_boolean()) is not None:
        if parser.parse_optional_punctuation(":"):
            parse_short_type(parser)
        return IntegerAttr(int(boolean), IntegerType(1))
    number = parser.parse_number(allow_boolean=False)
    text = parser.lexer.input.content[start : parser.pos].strip()
    element: Attribute  # MLIR leaves out the types i64 and f64
    if parser.parse_optional_punctuation(":") is not None:
        element = parse_short_type(parser)
    else:
        element = IntegerType(64) if isinstance(number, int) else Float64Type()
    if is_int(element):
        value = -number if negative else number
        width = element.width.data
        if isinstance(value, float) or not _is_written(value, width):
            parser.raise_error(f"{value} is no value of {element_name(element)}", start)
        return IntegerAttr(value, element, truncate_bits=True)
    if element_name(element) not in FLOATS:
        parser.raise_error(f"{element} is no type of a number")
    if text.lower().startswith("0x"):
        return FloatBitsAttr.from_bits(_bit_pattern(parser, text, negative, element, start), element)
    return FloatBitsAttr.of(-float(number) if negative else float(number), element)


def parse_optional_float(parser: AttrParser) -> Attribute | None:
    """Read a number as `parse_number` does if it is a float; read nothing if it is anything else."""
    start = parser.pos
    number = parser.parse_optional_number()
    is_float = isinstance(number, float)
    if number is not None and parser.parse_optional_punctuation(":") is not None:
        is_float = element_name(parse_short_type(parser)) in FLOATS
    parser._resume_from(start)  # pyright: ignore[reportPrivateUsage] -- the type, which decides, stands after the number
    return parse_number(parser) if is_float else None


def element_text(attr: Attribute) -> str:
    """A typed number as text: `0 : i32`, `-1.000000e+00 : f32`, `0xFF800000 : f32`, `true`."""
    if is_integer_attr(attr):
        integer = attr
        if integer.type.width.data == 1:
            return "true" if integer.value.data else "false"
        return str(integer.value.data) + ("" if integer.type.width.data == 64 else f" : {element_name(integer.type)}")
    if isinstance(attr, FloatBitsAttr):
        text = float_text(attr.data, attr.type)
        elided = isinstance(attr.type, Float64Type) and not text.startswith("0x")
        return text if elided else f"{text} : {element_name(attr.type)}"
    return str(attr)


def _skip_nested(parser: AttrParser) -> None:
    """Pass over the literal between the angle brackets of `dense<...>`."""
    if parser.parse_optional_str_literal() is not None:
        return
    if (listed := _LISTED.match(parser.lexer.input.content, parser.pos)) is not None:
        parser._resume_from(listed.end())  # pyright: ignore[reportPrivateUsage] -- to the next token
        return
    items = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, lambda: _skip_nested(parser))
    if items is None and parser.parse_optional_boolean() is None:
        parser.parse_optional_punctuation("-")
        parser.parse_number()


def parse_builtin_dense(parser: AttrParser) -> DenseElementsAttr | None:
    """Read `<1.0> : tile<4xf32>` after the keyword `dense`; None where the type is not a tile's."""
    start = parser.pos
    with parser.in_angle_brackets():
        if parser.parse_optional_punctuation(">"):
            return None
        _skip_nested(parser)
    parser.parse_punctuation(":")
    if parser.parse_optional_keyword("tile") is None:
        type_ = parser.parse_optional_type()
    else:
        type_ = TileType.new(TileType.parse_parameters(parser))
    if not isinstance(type_, TileType):
        return None
    end = parser.pos
    parser._resume_from(start)  # pyright: ignore[reportPrivateUsage] -- the type stands after the values it is needed for
    with parser.in_angle_brackets():
        value = _parse_elements(parser, type_.element_type)
    parser._resume_from(end)  # pyright: ignore[reportPrivateUsage]
    return _finish(parser, type_.element_type, value, type_)
