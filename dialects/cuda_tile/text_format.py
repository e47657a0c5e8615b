"""The custom directives of the dialect's assembly formats. Imported only when text is parsed or printed.

`custom<Ty>(type($x))` is the type of a field in its short form; `custom<Round>($rounding_mode)` an optional
`rounding<...>`; `custom<Overflow>($overflow)` an optional `overflow<...>`; `custom<Key>($x)` a bare enumeration
keyword; `custom<OptKey>($x)` one that may be absent; `custom<Flag>($x)` a bare word that is present or not;
`custom<Int>($x)`, `custom<Str>($x)`, `custom<Ints>($x)` literals without their types.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, StringAttr, UnitAttr, i1, i32, i64
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation, IRDLOperationInvT, OpDef
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    FormatProgram,
    OptionalOperandVariable,
    ParsingState,
    PrintingState,
    TypeDirective,
    UniqueBaseAttributeVariable,
    VariadicVariable,
    irdl_custom_directive,
)
from xdsl.irdl.declarative_assembly_format_parser import FormatParser
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from freehold.dialects.classes import build
from freehold.dialects.cuda_tile.attrs import OptimizationHintsAttr, WireEnum, WireEnumAttr
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.op import SEGMENTS, TileOp, segments
from freehold.dialects.cuda_tile.text_dense import parse_literal, print_literal
from freehold.dialects.cuda_tile.text_types import parse_short_type, parse_types, print_short_type, print_types
from freehold.dialects.cuda_tile.types import TileType, TileViewType
from freehold.dialects.optional_groups import with_values


def _enum_class(variable: AttributeVariable) -> type[WireEnumAttr[WireEnum]]:
    assert isinstance(variable, UniqueBaseAttributeVariable)
    return cast("type[WireEnumAttr[WireEnum]]", variable.unique_base)


def _emit(text: str, printer: Printer, state: PrintingState) -> None:
    state.print_whitespace(printer)
    printer.print_string(text)


@irdl_custom_directive
class Ty(CustomDirective):
    """The type of one field, or the types of a variadic one, in short form."""

    types: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Read the type or types."""
        if isinstance(self.types.inner, VariadicVariable):
            self.types.set(state, parse_types(parser))
        else:
            self.types.set(state, (parse_short_type(parser),))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        """Write the type or types."""
        types = self.types.get(op)
        if types:
            state.print_whitespace(printer)
            print_types(types, printer)

    def is_present(self, op: IRDLOperation) -> bool:
        """Whether the field has a type in this operation."""
        return self.types.is_present(op)

    def is_anchorable(self) -> bool:
        """Whether the field may be absent."""
        return self.types.is_anchorable()

    def is_optional_like(self) -> bool:
        """Whether the field may be absent."""
        return self.types.is_optional_like()

    def set_empty(self, state: ParsingState) -> None:
        """Record that an optional group was left out."""
        self.types.set_empty(state)


@irdl_custom_directive
class Ty3(CustomDirective):
    """One type that stands for three results."""

    first: TypeDirective
    second: TypeDirective
    third: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Read the type."""
        types = (parse_short_type(parser),)
        for directive in (self.first, self.second, self.third):
            directive.set(state, types)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        """Write the type."""
        state.print_whitespace(printer)
        print_types(self.first.get(op), printer)


@irdl_custom_directive
class ViewTy(CustomDirective):
    """The type of a tile view, which names the type of the tensor view it is made from."""

    tensor: TypeDirective
    view: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Read the view's type."""
        type_ = parse_short_type(parser)
        if not isinstance(type_, TileViewType):
            parser.raise_error("expected a tile view type")
        self.tensor.set(state, (type_.tensor,))
        self.view.set(state, (type_,))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        """Write the view's type."""
        state.print_whitespace(printer)
        print_types(self.view.get(op), printer)


@irdl_custom_directive
class Dense(CustomDirective):
    """A dense literal, whose type is that of the result."""

    attr: AttributeVariable
    type: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Read the literal."""
        literal = parse_literal(parser)
        self.attr.set(state, literal)
        self.type.set(state, (literal.type,))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        """Write the literal."""
        attr = self.attr.get(op)
        if isinstance(attr, DenseElementsAttr):
            state.print_whitespace(printer)
            print_literal(attr, printer)


@irdl_custom_directive
class Round(CustomDirective):
    """`rounding<zero>`, left out where it is the field's default."""

    attr: AttributeVariable
    keyword = "rounding"

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Read the clause if it stands here."""
        if parser.parse_optional_keyword(self.keyword):
            with parser.in_angle_brackets():
                self.attr.set(state, _enum_class(self.attr).parse_keyword(parser))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        """Write the clause where it is not the default."""
        attr = self.attr.get(op)
        if attr is not None and attr != self.attr.default_value:
            _emit(f"{self.keyword}<{cast('WireEnumAttr[WireEnum]', attr).data.value}>", printer, state)


@irdl_custom_directive
class Overflow(Round):
    """`overflow<no_wrap>`, left out for `none`."""

    attr: AttributeVariable
    keyword = "overflow"


@irdl_custom_directive
class Key(CustomDirective):
    """A bare enumeration keyword. The full attribute, `#cuda_tile.signedness<signed>`, is read too."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Read the keyword."""
        cls = _enum_class(self.attr)
        attr = cls.parse_optional_keyword(parser)
        if attr is None:
            given = parser.parse_optional_attribute()
            if given is None or type(given) is not cls:
                names = ", ".join(member.value for member in cls.enum_type)
                parser.raise_error(f"expected one of {names}")
            self.attr.set(state, given)
            return
        self.attr.set(state, attr)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        """Write the keyword."""
        attr = self.attr.get(op)
        if attr is not None:
            _emit(cast("WireEnumAttr[WireEnum]", attr).data.value, printer, state)


@irdl_custom_directive
class OptKey(Key):
    """A bare enumeration keyword that may be absent."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Read the keyword if one stands here."""
        if (attr := _enum_class(self.attr).parse_optional_keyword(parser)) is not None:
            self.attr.set(state, attr)


@irdl_custom_directive
class Flag(CustomDirective):
    """The name of a flag, present or not."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Read the flag if it stands here."""
        if parser.parse_optional_keyword(self.attr.name):
            self.attr.set(state, UnitAttr())

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        """Write the flag if it is set."""
        if self.attr.get(op) is not None:
            _emit(self.attr.name, printer, state)


@irdl_custom_directive
class NanFtz(CustomDirective):
    """`flush_to_zero` and `propagate_nan` in any order; written in that order."""

    ftz: AttributeVariable
    nan: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Read the flags that stand here."""
        flags = {"flush_to_zero": self.ftz, "propagate_nan": self.nan}
        while (flag := parser.parse_optional_keyword_in(flags)) is not None:
            flags.pop(flag).set(state, UnitAttr())

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        """Write the flags that are set."""
        for variable in (self.ftz, self.nan):
            if variable.get(op) is not None:
                _emit(variable.name, printer, state)


@irdl_custom_directive
class Int(CustomDirective):
    """An integer without its type, which is i32."""

    attr: AttributeVariable
    default = i32

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Read the integer."""
        self.attr.set(state, IntegerAttr(parser.parse_integer(), self.default))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        """Write the integer."""
        attr = self.attr.get(op)
        if isinstance(attr, IntegerAttr):
            _emit(str(cast("IntegerAttr[IntegerType]", attr).value.data), printer, state)


@irdl_custom_directive
class Int64(Int):
    """An integer without its type, which is i64."""

    attr: AttributeVariable
    default = i64


@irdl_custom_directive
class Bool(CustomDirective):
    """`true` or `false`."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Read the word."""
        self.attr.set(state, IntegerAttr(int(parser.parse_boolean()), i1))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        """Write the word."""
        attr = self.attr.get(op)
        if isinstance(attr, IntegerAttr):
            value = cast("IntegerAttr[IntegerType]", attr).value.data
            _emit("true" if value else "false", printer, state)


def parse_string(parser: Parser) -> str:
    """Read a string literal; one that is not UTF-8 is refused."""
    text = parser.parse_optional_str_literal()
    if text is None:
        try:
            text = parser.parse_bytes_literal().decode()
        except UnicodeDecodeError:
            parser.raise_error("a string must be UTF-8")
    return text


@irdl_custom_directive
class Str(CustomDirective):
    """A string literal."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Read the literal; one that is not UTF-8 is refused."""
        self.attr.set(state, StringAttr(parse_string(parser)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        """Write the literal."""
        attr = self.attr.get(op)
        if isinstance(attr, StringAttr):
            state.print_whitespace(printer)
            printer.print_string_literal(attr.data)


@irdl_custom_directive
class Ints(CustomDirective):
    """A bare list of integers, kept as i32."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Read the list."""
        values = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        self.attr.set(state, DenseArrayBase.from_list(i32, values))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        """Write the list."""
        attr = self.attr.get(op)
        if isinstance(attr, DenseArrayBase):
            values = cast("DenseArrayBase[IntegerType]", attr).get_values()
            _emit(f"[{', '.join(map(str, values))}]", printer, state)


@irdl_custom_directive
class Hints(CustomDirective):
    """`optimization_hints = <...>`, or nothing."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Read the clause if it stands here."""
        if (attr := parse_optional_hints(parser)) is not None:
            self.attr.set(state, attr)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        """Write the clause if there is one."""
        attr = self.attr.get(op)
        if isinstance(attr, OptimizationHintsAttr):
            _emit("optimization_hints = ", printer, state)
            attr.print_parameters(printer)


def parse_optional_hints(parser: Parser) -> OptimizationHintsAttr | None:
    """Read `optimization_hints = <...>` if it stands here."""
    if not parser.parse_optional_keyword("optimization_hints"):
        return None
    parser.parse_punctuation("=")
    if (attr := parser.parse_optional_attribute()) is not None:
        if not isinstance(attr, OptimizationHintsAttr):
            parser.raise_error("expected optimization hints")
        return attr
    return OptimizationHintsAttr.new(OptimizationHintsAttr.parse_parameters(parser))


@irdl_custom_directive
class Sym(CustomDirective):
    """A symbol name."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Read `@name`."""
        from xdsl.dialects.builtin import SymbolRefAttr

        self.attr.set(state, SymbolRefAttr(parser.parse_symbol_name()))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        """Write `@name`."""
        from xdsl.dialects.builtin import SymbolRefAttr

        attr = self.attr.get(op)
        if isinstance(attr, SymbolRefAttr):
            state.print_whitespace(printer)
            printer.print_symbol_name(attr.root_reference.data)


@irdl_custom_directive
class Predicate(CustomDirective):
    """An assumption predicate: `div_by<16>`."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Read the predicate, with or without `#cuda_tile.` before it."""
        from freehold.dialects.cuda_tile.attrs import AssumePredicateAttr, BoundedAttr, DivByAttr, SameElementsAttr

        classes = {"div_by": DivByAttr, "same_elements": SameElementsAttr, "bounded": BoundedAttr}
        attr: Attribute | None
        if (name := parser.parse_optional_keyword_in(classes)) is not None:
            attr = classes[name].new(classes[name].parse_parameters(parser))
        else:
            attr = parser.parse_optional_attribute()
            if not isinstance(attr, AssumePredicateAttr):
                parser.raise_error("expected div_by, same_elements or bounded")
        self.attr.set(state, attr)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        """Write the predicate."""
        from freehold.dialects.cuda_tile.attrs import AssumePredicateAttr

        attr = self.attr.get(op)
        if isinstance(attr, AssumePredicateAttr):
            _emit(attr.name.removeprefix("cuda_tile."), printer, state)
            attr.print_parameters(printer)


@irdl_custom_directive
class MaskPad(CustomDirective):
    """`, %mask`, `, %mask, %padding`, ` padding=%padding`, or nothing."""

    mask: OptionalOperandVariable
    padding: OptionalOperandVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Read the operands. What stands alone behind a comma is a mask until its type says otherwise."""
        mask = parser.parse_unresolved_operand() if parser.parse_optional_punctuation(",") else None
        padding = None
        if mask is not None and parser.parse_optional_punctuation(","):
            padding = parser.parse_unresolved_operand()
        elif mask is None and parser.parse_optional_keyword("padding"):
            parser.parse_punctuation("=")
            padding = parser.parse_unresolved_operand()
        self.mask.set(state, mask)
        self.padding.set(state, padding)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        """Write the operands."""
        mask, padding = self.mask.get(op), self.padding.get(op)
        if mask is not None:
            printer.print_string(", ")
            printer.print_ssa_value(mask)
        if padding is not None:
            printer.print_string(", " if mask is not None else " padding=")
            printer.print_ssa_value(padding)


@irdl_custom_directive
class MaskPadTy(CustomDirective):
    """The types of `MaskPad`, each after a comma."""

    mask: TypeDirective
    padding: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Read the types. NVIDIA's tools print a padding value without a mask as if it were one."""
        mask, padding = (cast("OptionalOperandVariable", types.inner) for types in (self.mask, self.padding))
        masks, paddings = state.operands[mask.index] or (), state.operands[padding.index] or ()
        types: list[Attribute] = []
        for _ in (*masks, *paddings):
            parser.parse_punctuation(",")
            types.append(parse_short_type(parser))
        if masks and not paddings and not (isinstance(types[0], TileType) and types[0].element_type == i1):
            masks, paddings = (), masks
            state.operands[mask.index], state.operands[padding.index] = masks, paddings
        self.mask.set(state, types[: len(masks)])
        self.padding.set(state, types[len(masks) :])

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        """Write the types."""
        for type_ in (*self.mask.get(op), *self.padding.get(op)):
            printer.print_string(", ")
            print_short_type(type_, printer)


DIRECTIVES: Sequence[type[CustomDirective]] = (
    Ty,
    Ty3,
    ViewTy,
    Dense,
    Round,
    Overflow,
    Key,
    OptKey,
    Flag,
    NanFtz,
    Int,
    Int64,
    Bool,
    Str,
    Ints,
    Hints,
    Sym,
    Predicate,
    MaskPad,
    MaskPadTy,
)


class TileFormat(FormatProgram):
    """A format that makes an operation of what was read without IRDL's general handling of arguments."""

    def parse(self, parser: Parser, op_type: type[IRDLOperationInvT]) -> IRDLOperationInvT:
        """Read the operation. Types that stand in the text are not checked here: verification does it."""
        state = ParsingState(op_type)
        for statement in self.stmts:
            statement.parse(parser, state)
        definition = op_type.get_irdl_definition()
        operand_types, result_types = state.operand_types, state.result_types
        if None in operand_types or None in result_types:
            self.resolve_constraint_variables(state, definition)
            operand_types = self.resolve_operand_types(state, definition)
            result_types = self.resolve_result_types(state, definition)
        at = parser.pos
        operands = [
            parser.resolve_operands(cast("Sequence[UnresolvedOperand]", given), cast("Sequence[Attribute]", types), at)
            for given, types in zip(state.operands, operand_types, strict=True)
        ]
        if definition.options and (sizes := tuple(len(values) for values in operands)):
            state.properties[SEGMENTS] = segments(*sizes)
        op = op_type.__new__(op_type)
        results = [type_ for types in result_types for type_ in cast("Sequence[Attribute]", types)]
        build(op, [value for values in operands for value in values], results, state.properties)
        op.attributes = state.attributes
        op.__post_init__()
        return op


def compile_format(cls: type[TileOp]) -> FormatProgram:
    """Compile a class's `FORMAT`."""
    definition: OpDef = cls.get_irdl_definition()
    assert cls.FORMAT is not None, f"{cls.name} has no assembly format"
    assert not definition.regions, f"{cls.name} has regions, which formats here do not speak of"
    definition.custom_directives = {directive.__name__: directive for directive in DIRECTIVES}
    return TileFormat(with_values(FormatParser(cls.FORMAT, definition).parse_format().stmts))
