"""How types and attributes are read and written as text. Imported only where text is read or written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from io import StringIO
from typing import Final

from xdsl.dialects.builtin import DictionaryAttr, IntAttr, IntegerAttr, IntegerType, NoneAttr, i32
from xdsl.ir import Attribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from freehold.dialects.cuda_tile.attrs import OptimizationHintsAttr, PaddingValueAttr, PtrAttrAttr
from freehold.dialects.cuda_tile.types import (
    DYNAMIC,
    FNV8E5M3FNUType,
    GatherScatterViewType,
    PartitionViewType,
    PointerType,
    ShapeAttr,
    StridedViewType,
    TensorViewType,
    TileDialectType,
    TileType,
    TokenType,
    fnv8E5M3FNU,
    is_int,
    is_integer_attr,
    shape,
)

_SHORT: Final[dict[str, type[TileDialectType]]] = {
    cls.short_name(): cls
    for cls in (
        TileType,
        PointerType,
        TokenType,
        TensorViewType,
        PartitionViewType,
        StridedViewType,
        GatherScatterViewType,
    )
}


_WRITTEN: Final = re.compile(
    rf"(?:{'|'.join(_SHORT)})(?:<(?:[^<>]++|<(?:[^<>]++|<(?:[^<>]++|<(?:[^<>]++|<[^<>]*+>)*+>)*+>)*+>)*+>|\b(?!\s*<))"
)
"""A type in its short form, with nothing in brackets or all that is: they close what they open, five deep."""
_READ: Final[dict[str, Attribute]] = {}
"""Types by their text. A pure cache: what stands in it names no alias."""
_MOST_READ: Final = 4096


def parse_short_type(parser: AttrParser) -> Attribute:
    """Read a type as operations spell it, `tile<4xf32>`, or as `!cuda_tile.tile<4xf32>`, or a builtin type."""
    start = parser.pos
    written = _WRITTEN.match(parser.lexer.input.content, start)
    if written is not None and (known := _READ.get(written.group())) is not None:
        parser._resume_from(written.end())  # pyright: ignore[reportPrivateUsage] -- what it would read is known
        return known
    keyword = parser.parse_optional_keyword_in(_SHORT)
    if keyword is not None:
        cls = _SHORT[keyword]
        type_ = cls.new(cls.parse_parameters(parser))
        if written is not None and "#" not in written.group() and "!" not in written.group():
            if len(_READ) >= _MOST_READ:
                _READ.clear()
            _READ[written.group()] = type_
        return type_
    if parser.parse_optional_keyword_in(("fnv8E5M3FNU", "f8E5M3FNU")) is not None:
        return fnv8E5M3FNU
    return parser.parse_type()


def print_short_type(type_: Attribute, printer: Printer) -> None:
    """Write a type as operations spell it, without the dialect prefix."""
    if isinstance(type_, TileDialectType):
        printer.print_string(_short_text(type_))
    elif isinstance(type_, FNV8E5M3FNUType):
        printer.print_string("fnv8E5M3FNU")
    else:
        printer.print_attribute(type_)


@lru_cache(maxsize=_MOST_READ)
def _short_text(type_: TileDialectType) -> str:
    stream = StringIO()
    stream.write(type_.short_name())
    type_.print_parameters(Printer(stream))
    return stream.getvalue()


def parse_types(parser: AttrParser) -> list[Attribute]:
    """Read one or more types separated by commas."""
    types = [parse_short_type(parser)]
    while parser.parse_optional_punctuation(","):
        types.append(parse_short_type(parser))
    return types


def print_types(types: Sequence[Attribute], printer: Printer) -> None:
    """Write types separated by commas."""
    printer.print_list(types, lambda type_: print_short_type(type_, printer))


def _optional_int_or_question(parser: AttrParser) -> int | None:
    return None if parser.parse_optional_punctuation("?") else parser.parse_integer()


def _int_list(parser: AttrParser) -> ShapeAttr:
    def one() -> int:
        at = parser.pos
        value = _optional_int_or_question(parser)
        if value == DYNAMIC:  # the number that stands for `?`
            parser.raise_error(f"{value} is out of range", at)
        return DYNAMIC if value is None else value

    return shape(tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, one)))


def _dims(values: Sequence[int]) -> str:
    return "".join(("?" if value == DYNAMIC else str(value)) + "x" for value in values)


def _parse_ptr_attr(parser: AttrParser) -> PtrAttrAttr:
    """Read `<multicast>`, or the same with the attribute's full name before it."""
    if (attr := parser.parse_optional_attribute()) is not None:
        if not isinstance(attr, PtrAttrAttr):
            parser.raise_error("expected a ptr_attr")
        return attr
    with parser.in_angle_brackets():
        return PtrAttrAttr.parse_keyword(parser)


def parse_pointer(parser: AttrParser) -> Sequence[Attribute]:
    """Read the parameters of a pointer type."""
    with parser.in_angle_brackets():
        pointee = parse_short_type(parser)
        if parser.parse_optional_punctuation(","):
            return pointee, _parse_ptr_attr(parser)
    return pointee, NoneAttr()


def print_pointer(type_: PointerType, printer: Printer) -> None:
    """Write the parameters of a pointer type."""
    with printer.in_angle_brackets():
        print_short_type(type_.pointee, printer)
        if isinstance(type_.ptr_attr, PtrAttrAttr):
            printer.print_string(f", <{type_.ptr_attr.data.value}>")


def parse_tile(parser: AttrParser) -> Sequence[Attribute]:
    """Read the parameters of a tile type."""
    with parser.in_angle_brackets():
        dims = parser.parse_dimension_list()
        if dims:
            parser.parse_shape_delimiter()
        return shape(tuple(dims)), parse_short_type(parser)


def print_tile(type_: TileType, printer: Printer) -> None:
    """Write the parameters of a tile type."""
    with printer.in_angle_brackets():
        printer.print_string(_dims(type_.shape.data))
        print_short_type(type_.element_type, printer)


def parse_tensor_view(parser: AttrParser) -> Sequence[Attribute]:
    """Read the parameters of a tensor view type."""
    with parser.in_angle_brackets():
        dims = parser.parse_dimension_list()
        if dims:
            parser.parse_shape_delimiter()
        element = parse_short_type(parser)
        strides = shape(())
        ptr_attr: Attribute = NoneAttr()
        if dims:
            parser.parse_punctuation(",")
            parser.parse_keyword("strides")
            parser.parse_punctuation("=")
            strides = _int_list(parser)
        if parser.parse_optional_punctuation(","):
            ptr_attr = _parse_ptr_attr(parser)
        return element, shape(tuple(dims)), strides, ptr_attr


def print_tensor_view(type_: TensorViewType, printer: Printer) -> None:
    """Write the parameters of a tensor view type."""
    with printer.in_angle_brackets():
        printer.print_string(_dims(type_.shape.data))
        print_short_type(type_.element_type, printer)
        if type_.shape.data:
            strides = ",".join("?" if stride == DYNAMIC else str(stride) for stride in type_.strides.data)
            printer.print_string(f", strides=[{strides}]")
        if isinstance(type_.ptr_attr, PtrAttrAttr):
            printer.print_string(f", #cuda_tile.ptr_attr<{type_.ptr_attr.data.value}>")


def _parse_tile_shape(parser: AttrParser) -> ShapeAttr:
    parser.parse_keyword("tile")
    parser.parse_punctuation("=")
    with parser.in_parens():
        return shape(tuple(parser.parse_dimension_list()))


def _parse_padding_and_tensor(parser: AttrParser) -> tuple[PaddingValueAttr | NoneAttr, Attribute]:
    padding: PaddingValueAttr | NoneAttr = NoneAttr()
    if parser.parse_optional_keyword("padding_value"):
        parser.parse_punctuation("=")
        padding = PaddingValueAttr.parse_keyword(parser)
        parser.parse_punctuation(",")
    tensor = parse_short_type(parser)
    if not isinstance(tensor, TensorViewType):
        parser.raise_error("expected a tensor_view type")
    return padding, tensor


def _parse_dim_map(parser: AttrParser, rank: int) -> ShapeAttr:
    if parser.parse_optional_punctuation(","):
        parser.parse_keyword("dim_map")
        parser.parse_punctuation("=")
        return _int_list(parser)
    return shape(tuple(range(rank)))


def _print_tile_shape(dims: ShapeAttr, printer: Printer) -> None:
    printer.print_string(f"tile=({_dims(dims.data)[:-1]})")


def _print_padding_and_tensor(padding: Attribute, tensor: TensorViewType, printer: Printer) -> None:
    if isinstance(padding, PaddingValueAttr):
        printer.print_string(f", padding_value = {padding.data.value}")
    printer.print_string(", ")
    print_short_type(tensor, printer)


def _print_dim_map(dim_map: ShapeAttr, printer: Printer) -> None:
    if dim_map.data != tuple(range(len(dim_map.data))):
        printer.print_string(f", dim_map=[{', '.join(map(str, dim_map.data))}]")


def parse_partition_view(parser: AttrParser) -> Sequence[Attribute]:
    """Read the parameters of a partition view type."""
    with parser.in_angle_brackets():
        dims = _parse_tile_shape(parser)
        parser.parse_punctuation(",")
        padding, tensor = _parse_padding_and_tensor(parser)
        return dims, tensor, _parse_dim_map(parser, len(dims.data)), padding


def print_partition_view(type_: PartitionViewType, printer: Printer) -> None:
    """Write the parameters of a partition view type."""
    with printer.in_angle_brackets():
        _print_tile_shape(type_.tile_shape, printer)
        _print_padding_and_tensor(type_.padding, type_.tensor_view, printer)
        _print_dim_map(type_.dim_map, printer)


def parse_strided_view(parser: AttrParser) -> Sequence[Attribute]:
    """Read the parameters of a strided view type."""
    with parser.in_angle_brackets():
        dims = _parse_tile_shape(parser)
        parser.parse_punctuation(",")
        parser.parse_keyword("traversal_strides")
        parser.parse_punctuation("=")
        strides = _int_list(parser)
        parser.parse_punctuation(",")
        padding, tensor = _parse_padding_and_tensor(parser)
        return dims, strides, tensor, _parse_dim_map(parser, len(dims.data)), padding


def print_strided_view(type_: StridedViewType, printer: Printer) -> None:
    """Write the parameters of a strided view type."""
    with printer.in_angle_brackets():
        _print_tile_shape(type_.tile_shape, printer)
        printer.print_string(f", traversal_strides=[{','.join(map(str, type_.traversal_strides.data))}]")
        _print_padding_and_tensor(type_.padding, type_.tensor_view, printer)
        _print_dim_map(type_.dim_map, printer)


def parse_gather_scatter_view(parser: AttrParser) -> Sequence[Attribute]:
    """Read the parameters of a gather/scatter view type."""
    with parser.in_angle_brackets():
        dims = _parse_tile_shape(parser)
        parser.parse_punctuation(",")
        padding, tensor = _parse_padding_and_tensor(parser)
        parser.parse_punctuation(",")
        parser.parse_keyword("sparse_dim")
        parser.parse_punctuation("=")
        return dims, tensor, shape((parser.parse_integer(),)), padding


def print_gather_scatter_view(type_: GatherScatterViewType, printer: Printer) -> None:
    """Write the parameters of a gather/scatter view type."""
    with printer.in_angle_brackets():
        _print_tile_shape(type_.tile_shape, printer)
        _print_padding_and_tensor(type_.padding, type_.tensor_view, printer)
        printer.print_string(f", sparse_dim={type_.sparse_dimension}")


def parse_div_by(parser: AttrParser) -> Sequence[Attribute]:
    """Read `<4, every 2 along 0>`."""
    with parser.in_angle_brackets():
        divisor = IntAttr(parser.parse_integer())
        if parser.parse_optional_punctuation(","):
            parser.parse_keyword("every")
            every = parser.parse_integer()
            parser.parse_keyword("along")
            return divisor, IntAttr(every), IntAttr(parser.parse_integer())
    return divisor, NoneAttr(), NoneAttr()


def parse_bounded(parser: AttrParser) -> Sequence[Attribute]:
    """Read `<0, ?>`."""

    def bound() -> Attribute:
        value = _optional_int_or_question(parser)
        return NoneAttr() if value is None else IntAttr(value)

    with parser.in_angle_brackets():
        lower = bound()
        parser.parse_punctuation(",")
        return lower, bound()


def _parse_entries(parser: AttrParser, value: Callable[[], Attribute]) -> tuple[str, Attribute]:
    key = parser.parse_identifier_or_str_literal()
    parser.parse_punctuation("=")
    return key, value()


def _parse_hint_value(parser: AttrParser) -> Attribute:
    """Read a hint: an integer is an i32, `true` and `false` are an i1, unless a type follows."""
    if (boolean := parser.parse_optional_boolean()) is not None:
        return IntegerAttr(int(boolean), IntegerType(1))
    if (number := parser.parse_optional_integer()) is not None:
        if parser.parse_optional_punctuation(":"):
            type_ = parser.parse_type()
            if not is_int(type_):
                parser.raise_error("expected an integer type")
            return IntegerAttr(number, type_)
        return IntegerAttr(number, i32)
    return parser.parse_attribute()


def parse_hints(parser: AttrParser) -> Sequence[Attribute]:
    """Read `<sm_100 = {num_cta_in_cga = 2}, default = {}>`."""

    def arch() -> Attribute:
        entries = parser.parse_comma_separated_list(
            parser.Delimiter.BRACES, lambda: _parse_entries(parser, lambda: _parse_hint_value(parser))
        )
        return DictionaryAttr(dict(entries))

    entries = parser.parse_comma_separated_list(parser.Delimiter.ANGLE, lambda: _parse_entries(parser, arch))
    return (DictionaryAttr(dict(entries)),)


def _print_hint_value(value: Attribute, printer: Printer) -> None:
    if is_integer_attr(value):
        if value.type == IntegerType(1):
            printer.print_string("true" if value.value.data else "false")
            return
        if value.type == i32:
            printer.print_string(str(value.value.data))
            return
    printer.print_attribute(value)


def print_hints(attr: OptimizationHintsAttr, printer: Printer) -> None:
    """Write `<default = {}, sm_100 = {num_cta_in_cga = 2}>`: sorted at both levels."""
    with printer.in_angle_brackets():
        for index, (arch, values) in enumerate(sorted(attr.hints.data.items())):
            printer.print_string(", " if index else "")
            printer.print_identifier_or_string_literal(arch)
            printer.print_string(" = {")
            entries: Mapping[str, Attribute] = values.data if isinstance(values, DictionaryAttr) else {}
            for position, (key, value) in enumerate(sorted(entries.items())):
                printer.print_string(", " if position else "")
                printer.print_identifier_or_string_literal(key)
                printer.print_string(" = ")
                _print_hint_value(value, printer)
            printer.print_string("}")
