"""Text of the operations with regions and of the module level, which the assembly format language cannot say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    UnitAttr,
    UnknownLoc,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from freehold.dialects.cuda_tile.attrs import OptimizationHintsAttr, SymbolVisibilityAttr
from freehold.dialects.cuda_tile.ops.control_flow import ContinueOp, ForOp, IfOp, LoopOp, ReturnOp, YieldOp
from freehold.dialects.cuda_tile.ops.module import EntryOp, GlobalOp, TileModuleOp
from freehold.dialects.cuda_tile.ops.reduce import Aggregate, ScanOp
from freehold.dialects.cuda_tile.text_dense import element_text, parse_literal, parse_number, print_literal
from freehold.dialects.cuda_tile.text_format import parse_optional_hints
from freehold.dialects.cuda_tile.text_types import parse_short_type, parse_types, print_short_type, print_types

AggregateT = TypeVar("AggregateT", bound=Aggregate)


def _ensure_terminator(region: Region, make: Callable[[], Operation]) -> None:
    """Add the terminator that text may leave out."""
    from xdsl.traits import IsTerminator

    if not region.blocks:
        region.add_block(Block())
    block = region.block
    if block.last_op is None or not block.last_op.has_trait(IsTerminator):
        block.add_op(make())


def _parse_region(parser: Parser, arguments: Sequence[Parser.Argument], make: Callable[[], Operation]) -> Region:
    region = parser.parse_region(arguments)
    if not region.blocks and arguments:
        region.add_block(Block(arg_types=[argument.type for argument in arguments]))
    _ensure_terminator(region, make)
    return region


def _print_region(region: Region, elided: type[Operation], printer: Printer) -> None:
    """Write a region without its arguments, and without its terminator where that says nothing.

    Where locations are printed, one that the terminator has is something to say.
    """
    last = region.block.last_op
    silent = isinstance(last, elided) and not last.operands and not last.attributes
    if isinstance(last, elided) and printer.print_debuginfo:
        silent = silent and isinstance(last.location, UnknownLoc)
    printer.print_region(
        region, print_entry_block_args=False, print_empty_block=False, print_block_terminators=not silent
    )


def _print_attributes(op: Operation, printer: Printer, keyword: bool = False) -> None:
    printer.print_op_attributes(op.attributes, print_keyword=keyword)


def _parse_arguments(parser: Parser) -> tuple[list[Parser.Argument], list[DictionaryAttr]]:
    """Read `(%a: T {k = v} loc(...), ...)`: the arguments of a region, and the attributes of each."""
    attributes: list[DictionaryAttr] = []

    def argument() -> Parser.Argument:
        name = parser.parse_argument(expect_type=False)
        parser.parse_punctuation(":")
        parsed = name.resolve(parse_short_type(parser))
        attributes.append(DictionaryAttr(parser.parse_optional_attr_dict()))
        parsed.location = parser.parse_optional_location()
        return parsed

    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, argument), attributes


def _print_arguments(arguments: Sequence[BlockArgument], attributes: Sequence[Attribute], printer: Printer) -> None:
    """Write `(%a: T {k = v} loc(...), ...)`, locations where they are printed at all."""
    with printer.in_parens():
        for index, argument in enumerate(arguments):
            printer.print_string(", " if index else "")
            printer.print_ssa_value(argument)
            printer.print_string(": ")
            print_short_type(argument.type, printer)
            extra = attributes[index] if index < len(attributes) else None
            if isinstance(extra, DictionaryAttr) and extra.data:
                printer.print_string(" ")
                printer.print_attr_dict(extra.data)
            if printer.print_debuginfo:
                printer.print_string(" ")
                printer.print_attribute(argument.location)


def parse_module(cls: type[TileModuleOp], parser: Parser) -> TileModuleOp:
    """Read `@name attributes {producer = "..."} {...}`."""
    name = parser.parse_symbol_name()
    attributes = parser.parse_optional_attr_dict_with_keyword(("sym_name",))
    entries = dict(attributes.data) if attributes is not None else {}
    properties: dict[str, Attribute] = {"sym_name": name}
    if (producer := entries.pop("producer", None)) is not None:
        properties["producer"] = producer
    region = parser.parse_region()
    if not region.blocks:
        region.add_block(Block())
    return cls.create(properties=properties, attributes=entries, regions=(region,))


def print_module(op: TileModuleOp, printer: Printer) -> None:
    """Write `@name attributes {producer = "..."} {...}`."""
    printer.print_string(" ")
    printer.print_symbol_name(op.sym_name.data)
    attributes = dict(op.attributes)
    if op.producer is not None:
        attributes["producer"] = op.producer
    printer.print_op_attributes(attributes, print_keyword=True)
    printer.print_string(" ")
    printer.print_region(op.body, print_empty_block=False)


def parse_entry(cls: type[EntryOp], parser: Parser) -> EntryOp:
    """Read `@name(%a: T {k = v}) -> (R) optimization_hints=<...> {...} {...}`."""
    properties: dict[str, Attribute] = {"sym_name": parser.parse_symbol_name()}
    arguments, attributes = _parse_arguments(parser)
    results: Sequence[Attribute] = ()
    if parser.parse_optional_punctuation("->"):
        if parser.parse_optional_punctuation("("):
            results = [] if parser.parse_optional_punctuation(")") else parse_types(parser)
            if results:
                parser.parse_punctuation(")")
        else:
            results = (parse_short_type(parser),)
    properties["function_type"] = FunctionType.from_lists([argument.type for argument in arguments], results)
    if any(entry.data for entry in attributes):
        properties["arg_attrs"] = ArrayAttr(attributes)
    if (hints := parse_optional_hints(parser)) is not None and hints.hints.data:
        properties["optimization_hints"] = hints
    region = _parse_region(parser, arguments, ReturnOp)
    return cls.create(properties=properties, attributes=parser.parse_optional_attr_dict(), regions=(region,))


def print_entry(op: EntryOp, printer: Printer) -> None:
    """Write `@name(%a: T {k = v}) optimization_hints=<...> {...} {...}`."""
    printer.print_string(" ")
    printer.print_symbol_name(op.sym_name.data)
    _print_arguments(op.body.block.args, op.arg_attrs.data if op.arg_attrs is not None else (), printer)
    if results := op.function_type.outputs.data:
        printer.print_string(" -> " if len(results) == 1 else " -> (")
        print_types(results, printer)
        printer.print_string("" if len(results) == 1 else ")")
    if isinstance(op.optimization_hints, OptimizationHintsAttr) and op.optimization_hints.hints.data:
        printer.print_string(" optimization_hints=")
        op.optimization_hints.print_parameters(printer)
    printer.print_string(" ")
    printer.print_region(op.body, print_entry_block_args=False, print_empty_block=False)
    _print_attributes(op, printer)


def parse_global(cls: type[GlobalOp], parser: Parser) -> GlobalOp:
    """Read `private constant @g alignment = 16 <f32: 1.0> : tile<4xf32>`."""
    properties: dict[str, Attribute] = {}
    if (visibility := SymbolVisibilityAttr.parse_optional_keyword(parser)) is not None:
        properties["symbol_visibility"] = visibility
    if parser.parse_optional_keyword("constant"):
        properties["constant"] = UnitAttr()
    properties["sym_name"] = parser.parse_symbol_name()
    if parser.parse_optional_keyword("alignment"):
        parser.parse_punctuation("=")
        properties["alignment"] = IntegerAttr(parser.parse_integer(), i64)
        if parser.parse_optional_punctuation(":"):
            parser.parse_type()
    attributes = parser.parse_optional_attr_dict()
    properties["value"] = parse_literal(parser)
    return cls.create(properties=properties, attributes=attributes)


def print_global(op: GlobalOp, printer: Printer) -> None:
    """Write `private constant @g alignment = 16 <f32: 1.0> : tile<4xf32>`."""
    if op.symbol_visibility.data.value != "public":
        printer.print_string(f" {op.symbol_visibility.data.value}")
    printer.print_string(" constant " if op.constant is not None else " ")
    printer.print_symbol_name(op.sym_name.data)
    alignment = cast("IntegerAttr[IntegerType]", op.alignment).value.data
    if alignment:
        printer.print_string(f" alignment = {alignment}")
    _print_attributes(op, printer)
    printer.print_string(" ")
    print_literal(op.value, printer)


def _parse_if_region(parser: Parser) -> Region:
    region = parser.parse_region()
    _ensure_terminator(region, YieldOp)
    return region


def parse_if(cls: type[IfOp], parser: Parser) -> IfOp:
    """Read `%c -> (T) {...} else {...}`."""
    from freehold.dialects.cuda_tile.types import tile

    condition = parser.resolve_operand(parser.parse_unresolved_operand(), tile((), i1))
    results: Sequence[Attribute] = ()
    if parser.parse_optional_punctuation("->"):
        with parser.in_parens():
            results = parse_types(parser)
    then = _parse_if_region(parser)
    other = _parse_if_region(parser) if parser.parse_optional_keyword("else") else Region()
    return cls.create(
        operands=(condition,),
        result_types=results,
        attributes=parser.parse_optional_attr_dict(),
        regions=(then, other),
    )


def print_if(op: IfOp, printer: Printer) -> None:
    """Write `%c -> (T) {...} else {...}`."""
    printer.print_string(" ")
    printer.print_ssa_value(op.condition)
    if op.results:
        printer.print_string(" -> (")
        print_types(op.result_types, printer)
        printer.print_string(")")
    printer.print_string(" ")
    _print_region(op.thenRegion, YieldOp, printer)
    if op.elseRegion.blocks:
        printer.print_string(" else ")
        _print_region(op.elseRegion, YieldOp, printer)
    _print_attributes(op, printer)


def _parse_carried(parser: Parser) -> list[tuple[Parser.UnresolvedArgument, UnresolvedOperand]]:
    def one() -> tuple[Parser.UnresolvedArgument, UnresolvedOperand]:
        argument = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        return argument, parser.parse_unresolved_operand()

    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, one)


def _resolve_carried(
    parser: Parser, carried: Sequence[tuple[Parser.UnresolvedArgument, UnresolvedOperand]], types: Sequence[Attribute]
) -> tuple[list[Parser.Argument], list[SSAValue]]:
    if len(types) != len(carried):
        parser.raise_error(f"{len(carried)} carried values need as many types, got {len(types)}")
    arguments = [argument.resolve(type_) for (argument, _), type_ in zip(carried, types, strict=True)]
    values = [parser.resolve_operand(value, type_) for (_, value), type_ in zip(carried, types, strict=True)]
    return arguments, values


def _print_carried(arguments: Sequence[BlockArgument], values: Sequence[SSAValue], printer: Printer) -> None:
    printer.print_string("iter_values(")
    for index, (argument, value) in enumerate(zip(arguments, values, strict=True)):
        printer.print_string(", " if index else "")
        printer.print_ssa_value(argument)
        printer.print_string(" = ")
        printer.print_ssa_value(value)
    printer.print_string(")")


def parse_for(cls: type[ForOp], parser: Parser) -> ForOp:
    """Read `unsigned %i in (%lb to %ub, step %s) : T iter_values(%a = %x) -> (T) {...}`."""
    properties: dict[str, Attribute] = {}
    if parser.parse_optional_keyword("unsigned"):
        properties["unsignedCmp"] = UnitAttr()
    variable = parser.parse_argument(expect_type=False)
    parser.parse_keyword("in")
    with parser.in_parens():
        lower = parser.parse_unresolved_operand()
        parser.parse_keyword("to")
        upper = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        parser.parse_keyword("step")
        step = parser.parse_unresolved_operand()
    parser.parse_punctuation(":")
    type_ = parse_short_type(parser)
    bounds = [parser.resolve_operand(bound, type_) for bound in (lower, upper, step)]
    arguments: list[Parser.Argument] = []
    values: list[SSAValue] = []
    types: Sequence[Attribute] = ()
    if parser.parse_optional_keyword("iter_values"):
        carried = _parse_carried(parser)
        parser.parse_punctuation("->")
        with parser.in_parens():
            types = parse_types(parser)
        arguments, values = _resolve_carried(parser, carried, types)
    region = _parse_region(parser, [variable.resolve(type_), *arguments], ContinueOp)
    return cls.create(
        operands=[*bounds, *values],
        result_types=types,
        properties=properties,
        attributes=parser.parse_optional_attr_dict(),
        regions=(region,),
    )


def print_for(op: ForOp, printer: Printer) -> None:
    """Write `unsigned %i in (%lb to %ub, step %s) : T iter_values(%a = %x) -> (T) {...}`."""
    variable, *carried = op.region.block.args
    printer.print_string(" unsigned " if op.unsignedCmp is not None else " ")
    printer.print_ssa_value(variable)
    printer.print_string(" in (")
    printer.print_ssa_value(op.lowerBound)
    printer.print_string(" to ")
    printer.print_ssa_value(op.upperBound)
    printer.print_string(", step ")
    printer.print_ssa_value(op.step)
    printer.print_string(") : ")
    print_short_type(variable.type, printer)
    printer.print_string(" ")
    if carried:
        _print_carried(carried, op.initValues, printer)
        printer.print_string(" -> (")
        print_types(op.result_types, printer)
        printer.print_string(") ")
    _print_region(op.region, ContinueOp, printer)
    _print_attributes(op, printer)


def parse_loop(cls: type[LoopOp], parser: Parser) -> LoopOp:
    """Read `iter_values(%a = %x) : T -> R {...}` or `: R {...}`."""
    arguments: list[Parser.Argument] = []
    values: list[SSAValue] = []
    results: Sequence[Attribute] = ()
    if parser.parse_optional_keyword("iter_values"):
        carried = _parse_carried(parser)
        parser.parse_punctuation(":")
        arguments, values = _resolve_carried(parser, carried, parse_types(parser))
        if parser.parse_optional_punctuation("->"):
            results = parse_types(parser)
    elif parser.parse_optional_punctuation(":"):
        results = parse_types(parser)
    region = _parse_region(parser, arguments, ContinueOp)
    return cls.create(
        operands=values,
        result_types=results,
        attributes=parser.parse_optional_attr_dict(),
        regions=(region,),
    )


def print_loop(op: LoopOp, printer: Printer) -> None:
    """Write `iter_values(%a = %x) : T -> R {...}` or `: R {...}`."""
    printer.print_string(" ")
    if op.initValues:
        _print_carried(op.region.block.args, op.initValues, printer)
        printer.print_string(" : ")
        print_types([value.type for value in op.initValues], printer)
        printer.print_string(" ")
    if op.results:
        printer.print_string("-> " if op.initValues else ": ")
        print_types(op.result_types, printer)
        printer.print_string(" ")
    _print_region(op.region, ContinueOp, printer)
    _print_attributes(op, printer)


def parse_aggregate(cls: type[AggregateT], parser: Parser) -> AggregateT:
    """Read `%x dim=0 reverse=false identities=[0 : i32] : T -> R (%a: S, %b: S) {...}`."""
    operands = parser.parse_optional_undelimited_comma_separated_list(
        parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
    )
    attributes = parser.parse_optional_attr_dict()
    properties: dict[str, Attribute] = {}
    parser.parse_keyword("dim")
    parser.parse_punctuation("=")
    properties["dim"] = IntegerAttr(parser.parse_integer(), i32)
    if parser.parse_optional_punctuation(":"):
        parser.parse_type()
    if issubclass(cls, ScanOp):
        parser.parse_keyword("reverse")
        parser.parse_punctuation("=")
        properties["reverse"] = IntegerAttr(int(parser.parse_boolean()), i1)
    parser.parse_keyword("identities")
    parser.parse_punctuation("=")
    identities = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_number(parser))
    properties["identities"] = ArrayAttr(identities)
    parser.parse_punctuation(":")
    position = parser.pos
    types = parse_types(parser)
    parser.parse_punctuation("->")
    results = parse_types(parser)
    arguments, _ = _parse_arguments(parser)
    region = _parse_region(parser, arguments, YieldOp)
    return cls.create(
        operands=parser.resolve_operands(operands or [], types, position),
        result_types=results,
        properties=properties,
        attributes=attributes,
        regions=(region,),
    )


def print_aggregate(op: Aggregate, printer: Printer) -> None:
    """Write `%x dim=0 reverse=false identities=[0 : i32] : T -> R`, and on a new line `(%a: S, %b: S) {...}`."""
    printer.print_string(" ")
    printer.print_list(op.operands, printer.print_operand)
    _print_attributes(op, printer)
    printer.print_string(f" dim={op.dimension}")
    if isinstance(op, ScanOp):
        printer.print_string(f" reverse={'true' if op.is_reverse else 'false'}")
    printer.print_string(" identities=[")
    identities = cast("ArrayAttr[Attribute]", op.properties["identities"]).data
    printer.print_string(", ".join(element_text(identity) for identity in identities))
    printer.print_string("] : ")
    print_types(op.operand_types, printer)
    printer.print_string(" -> ")
    print_types(op.result_types, printer)
    printer.print_string("\n")
    _print_arguments(op.regions[0].block.args, (), printer)
    printer.print_string(" ")
    printer.print_region(op.regions[0], print_entry_block_args=False, print_empty_block=False)
