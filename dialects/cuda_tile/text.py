"""Whole modules as text: as NVIDIA's cuda-tile-opt writes them, and as tileirdisasm prints them.

`TileParser` reads what xDSL's parser lacks: location aliases, also at the end of a file; `fused<...>[...]` and
`#cuda_tile.di_loc<... in ...>` locations; `dense<...>` literals of tile types; and enumerations that MLIR's generic
form spells as integers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any, Final, cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    Builtin,
    BytesAttr,
    FusedLoc,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, AttributeInvT, Block, Operation, Region, SSAValue
from xdsl.parser import ForwardDeclaredValue, Parser, UnresolvedOperand
from xdsl.traits import SymbolTable
from xdsl.utils.lexer import Span as TextSpan
from xdsl.utils.mlir_lexer import MLIRTokenKind, PunctuationSpelling

from freehold.dialects.cuda_tile.text_lexer import TileLexer, TileToken
from freehold.dialects.cuda_tile.text_printer import TilePrinter
from freehold.dialects.cuda_tile.version import VERSIONS, Version
from freehold.support.large import MAX_NESTING, large

if TYPE_CHECKING:
    from freehold.dialects.cuda_tile.op import TileOp
    from freehold.dialects.cuda_tile.ops.module import TileModuleOp

_ALIAS: Final = re.compile(r"^#[\w.$-]+[ \t]*=", re.MULTILINE)
_PRODUCER: Final = re.compile(r"^// Producer: (.*)$", re.MULTILINE)
_DI_LOC: Final = "#cuda_tile.di_loc"
_AROUND: Final = 3
"""The regions around a kernel's own: of a builtin module, of a module, and of the entry."""
_NUMBER_TOKENS: Final = (MLIRTokenKind.INTEGER_LIT, MLIRTokenKind.FLOAT_LIT, MLIRTokenKind.MINUS)


class TileParser(Parser):
    """xDSL's parser with the forms that files of NVIDIA's tools use."""

    _exact_floats = False
    """Whether the operation that is being read is of this dialect, so that its floats are `FloatBitsAttr`."""

    def __init__(self, ctx: Context, input: str | bytes, name: str = "<unknown>"):
        super().__init__(ctx, input, name)
        self._parser_state.lexer = TileLexer(self.lexer.input)
        self._resume_from(0)
        self._placeholders: list[tuple[ForwardDeclaredValue, UnresolvedOperand]] = []
        self._defined: list[str] = []
        """The values that were defined in the region that is being read, and in none inside it."""
        self._depth = -_AROUND
        self._placed = False
        """Whether a location stands where one was looked for last."""
        self.name_at = 0
        """Where the name of the operation stands that is being read."""

    @property
    def pos(self) -> int:
        """Where the next token begins."""
        token = self._parser_state.current_token
        return token.start if type(token) is TileToken else token.span.start

    def parse_optional_characters(self, text: str) -> str | None:
        """Read a token that is just this text, if it is the next one."""
        state = self._parser_state
        if state.current_token.text != text:
            return None
        state.current_token = state.lexer.lex()
        return text

    def parse_optional_punctuation(self, punctuation: PunctuationSpelling) -> PunctuationSpelling | None:
        """Read a punctuation, if it is the next token."""
        return None if self.parse_optional_characters(punctuation) is None else punctuation

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        """Read a whole file. Aliases may stand after their uses."""
        self._aliases_at: set[int] = set()
        for match in _ALIAS.finditer(self.lexer.input.content):
            self._resume_from(match.start())
            self._parse_alias_def()
        self._resume_from(0)
        with large():
            module = self._parse_all(allow_implicit_module)
        for value, operand in self._placeholders:
            if value.first_use is not None:  # defined in a region of the operation that uses it
                self.raise_error(f"%{operand.operand_name} is not defined here", operand.span)
        return module

    def _parse_all(self, implicit: bool) -> ModuleOp:
        ops: list[Operation] = []
        while (kind := self._current_token.kind) is not MLIRTokenKind.EOF:
            if kind is MLIRTokenKind.HASH_IDENT or kind is MLIRTokenKind.EXCLAMATION_IDENT:
                self._parse_alias_def()
            elif kind is MLIRTokenKind.FILE_METADATA_BEGIN:
                self._parse_file_metadata_dictionary()
            else:
                op = self.parse_optional_operation()
                ops.append(self.raise_error("Could not parse entire input!") if op is None else op)
        if self.forward_ssa_references:
            names = ", ".join(f"%{name}" for name in self.forward_ssa_references)
            self.raise_error(f"values used but not defined: [{names}]")
        if len(ops) == 1 and isinstance(ops[0], ModuleOp):
            return ops[0]
        if not implicit and (len(ops) != 1 or not ops[0].has_trait(SymbolTable)):
            self.raise_error("a module is expected, and nothing beside it", 0)
        return ModuleOp(ops)

    def resolve_operand(self, operand: UnresolvedOperand, type: AttributeInvT) -> SSAValue[AttributeInvT]:
        """The value of this name, which may be defined further on."""
        value = super().resolve_operand(operand, type)
        if isinstance(value, ForwardDeclaredValue):
            self._placeholders.append((cast("ForwardDeclaredValue", value), operand))
        return value

    def _parse_alias_def(self) -> None:
        start, name = self._current_token.span.start, self._current_token.text
        if start in self._aliases_at:
            del self.attribute_aliases[name]
        self._aliases_at.add(start)
        if name.startswith("!"):
            super()._parse_alias_def()
            return
        self._consume_token(MLIRTokenKind.HASH_IDENT)
        if name in self.attribute_aliases:
            self.raise_error(f"re-declaration of alias '{name}'")
        self.parse_punctuation("=", " after attribute alias name")
        value: Attribute | None = self.parse_optional_location()
        if value is None:
            value = self._parse_location() if self._current_token.text == _DI_LOC else self.parse_attribute()
        self.attribute_aliases[name] = value

    def _parse_location(self) -> LocationAttr:
        if self._current_token.kind is MLIRTokenKind.HASH_IDENT and self._current_token.text == _DI_LOC:
            self._consume_token(MLIRTokenKind.HASH_IDENT)
            with self.in_angle_brackets():
                inner = self.parse_optional_location() or self._parse_location()
                self.parse_keyword("in")
                return FusedLoc(ArrayAttr([inner]), self.parse_attribute())
        state = self.pos
        if self.parse_optional_keyword("fused"):
            if self.parse_optional_punctuation("<"):
                scope = self.parse_attribute()
                self.parse_punctuation(">")
                parts = self.parse_comma_separated_list(self.Delimiter.SQUARE, self._parse_location)
                return FusedLoc(ArrayAttr(cast("list[Attribute]", parts)), scope)
            self._resume_from(state)
        return super()._parse_location()

    def _parse_builtin_dense_attr(self) -> Any:
        """`dense<1.0> : tile` as MLIR's generic form has it; of other types, as xDSL reads it."""
        from freehold.dialects.cuda_tile.text_dense import parse_builtin_dense

        state = self.pos
        attr = parse_builtin_dense(self)
        if attr is not None:
            return attr
        self._resume_from(state)
        return super()._parse_builtin_dense_attr()

    def parse_operation(self) -> Operation:
        """Read one operation, with its regions."""
        outside = self._exact_floats
        state = self._parser_state
        at = self.pos
        bound = self._parse_op_result_list() if state.current_token.kind is MLIRTokenKind.PERCENT_IDENT else ()
        token = state.current_token
        begin = self.name_at = self.pos
        name = token.text if token.kind is MLIRTokenKind.BARE_IDENT else None
        if name is None:
            name = self.expect(self.parse_optional_str_literal, "operation name expected")
            parse = self._parse_generic_operation
        else:
            state.current_token = state.lexer.lex()
            parse = self._parse_custom_operation
        op_type = self._get_op_by_name(name)
        # From here to the end of the operation floats are numbers of ours, in its regions those of what stands there.
        self._exact_floats = op_type.name.startswith("cuda_tile.")
        state.dialect_stack.append(op_type.dialect_name())
        op = parse(op_type)
        state.dialect_stack.pop()
        if not self._placed:
            self.locate(op, begin)
        results = op.results
        if bound and len(results) != (number := sum(size for _, size in bound)):
            self.raise_error(f"Operation has {len(results)} results, but was given {number} to bind.", at)
        first = 0
        for span, size in bound:
            self._register_ssa_definition(span.text[1:], results[first : first + size], span)
            first += size
        self._exact_floats = outside
        return op

    def locate(self, op: Operation, begin: int) -> None:
        """Called for each operation that was read without a location, and whose name begins at `begin`."""

    def _parse_custom_operation(self, op_type: type[Operation]) -> Operation:
        op = op_type.parse(self)
        self._placed = False
        if self._parser_state.current_token.text == "loc" and (location := self.parse_optional_location()) is not None:
            op.location = location
        return op

    def parse_optional_location(self) -> LocationAttr | None:
        """Read `loc(...)` if it stands here."""
        location = super().parse_optional_location()
        self._placed = location is not None
        return location

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: TextSpan) -> None:
        super()._register_ssa_definition(name, values, span)
        self._defined.append(name)

    def parse_optional_region(self, arguments: Iterable[Parser.Argument] | None = None) -> Region | None:
        """Read `{...}` if it stands here. What is defined inside goes out of scope at the end of it."""
        if self.parse_optional_characters("{") is None:
            return None
        if self._depth >= MAX_NESTING:
            self.raise_error(f"more than {MAX_NESTING} regions stand in one another")
        outside = self.blocks, self.forward_block_references, self._defined
        self.blocks, self.forward_block_references, self._defined = {}, defaultdict(list), []
        self._depth += 1
        region = Region()
        if arguments is not None:
            if self._current_token.kind is MLIRTokenKind.CARET_IDENT:
                self.raise_error("invalid block name in region with named arguments")
            given = tuple(arguments)
            block = Block(arg_types=[argument.type for argument in given])
            for value, argument in zip(block.args, given, strict=True):
                self._register_ssa_definition(argument.name.text[1:], (value,), argument.name)
                if argument.location is not None:
                    value.location = argument.location
            self._parse_block_body(block)
            region.add_block(block)
        elif self._current_token.text != "}" and self._current_token.kind is not MLIRTokenKind.CARET_IDENT:
            block = Block()
            self._parse_block_body(block)
            region.add_block(block)
        while self.parse_optional_characters("}") is None:
            region.add_block(self._parse_block())
        for name, spans in self.forward_block_references.items():
            self.raise_error(f"block {name} is not defined in this region", spans[0])
        for name in self._defined:
            del self.ssa_values[name]
        self.blocks, self.forward_block_references, self._defined = outside
        self._depth -= 1
        return region

    def _parse_optional_builtin_attr(self) -> Attribute | None:
        """As xDSL, but strings may have escapes that are bytes of UTF-8, and floats of ours keep their bits."""
        if self._exact_floats and self._current_token.kind in _NUMBER_TOKENS:
            from freehold.dialects.cuda_tile.text_dense import parse_optional_float

            if (number := parse_optional_float(self)) is not None:
                return number
        attr = super()._parse_optional_builtin_attr()
        if isinstance(attr, BytesAttr):
            try:
                return StringAttr(attr.data.decode())
            except UnicodeDecodeError:
                return attr
        return attr

    def _parse_generic_operation(self, op_type: type[Operation]) -> Operation:
        from freehold.dialects.cuda_tile.op import TileOp

        op = super()._parse_generic_operation(op_type)
        if isinstance(op, TileOp):
            _name_enumerations(op)
            _add_missing(op)
        return op


def _name_enumerations(op: Operation) -> None:
    """Turn the integers by which MLIR's generic form spells some enumerations into these."""
    from freehold.dialects.cuda_tile.attrs import AtomicRMWModeAttr, MemoryOrderingSemanticsAttr, MemoryScopeAttr

    classes = {
        "memory_ordering_semantics": MemoryOrderingSemanticsAttr,
        "memory_scope": MemoryScopeAttr,
        "mode": AtomicRMWModeAttr,
    }
    for name, cls in classes.items():
        given = op.properties.get(name)
        if isinstance(given, IntegerAttr):
            op.properties[name] = cls.from_wire(cast("IntegerAttr[IntegerType]", given).value.data)


def _add_missing(op: TileOp) -> None:
    """Give the properties that text of an older version does not have what their absence means."""
    sizes = op.operand_sizes()
    for name in op.field_since:
        if name in op.get_irdl_definition().properties and name not in op.properties:
            value = op.missing_property(name, sizes)
            if value is not None:
                op.properties[name] = value


def print_module(
    module: Operation, *, locations: bool = False, aliases: bool = True, version: Version = VERSIONS[-1]
) -> str:
    """The text of a module, as cuda-tile-opt writes it. A builtin module around a single one is left out.

    With `locations`, every operation says where it comes from, by `aliases` if that is true. Operations have the names
    of `version`.
    """
    from freehold.dialects.cuda_tile.op import TileOp

    if isinstance(module, ModuleOp) and not module.attributes:
        inner = list(module.body.ops)
        if len(inner) == 1 and isinstance(inner[0], TileOp):
            module = inner[0]
    return text_of(module, locations=locations, elide=True, aliases=aliases, version=version)


def text_of(
    op: Operation,
    *,
    locations: bool = False,
    generic: bool = False,
    elide: bool = False,
    aliases: bool = True,
    version: Version = VERSIONS[-1],
) -> str:
    """The text of an operation, with all that is inside it.

    With `locations`, every operation says where it comes from. In `generic` form nothing is spelled as its dialect has
    it. With `elide` it is as NVIDIA's tools print it: operations inside a `cuda_tile.module` stand without the name of
    the dialect, values without a name have theirs, and locations stand as aliases that are defined after all else,
    unless `aliases` is false. Operations have the names of `version`.
    """
    stream = StringIO()
    aliases = aliases and locations and elide and not generic
    printer = TilePrinter(
        stream,
        print_debuginfo=locations,
        print_generic_format=generic,
        elide=elide,
        aliases=aliases,
        version=version,
    )
    with large():
        printer.print_op(op)
    return "".join((stream.getvalue(), "\n", *printer.definitions))


def _context() -> Context:
    from freehold.dialects.cuda_tile import CudaTile

    context = Context()
    context.register_dialect("builtin", lambda: Builtin)
    context.register_dialect("cuda_tile", lambda: CudaTile)
    return context


def parse_disassembly(text: str, name: str = "kernels", file: str = "<disassembly>") -> ModuleOp:
    """Read what tileirdisasm prints, with or without `-g`, into a builtin module around a `cuda_tile.module`.

    Text that has a module line is read as it is. Raises xDSL's `ParseError` with the place of the first mistake.
    """
    from freehold.dialects.cuda_tile.ops.module import TileModuleOp

    parser = TileParser(_context(), text, file)
    stack: list[str] = parser._parser_state.dialect_stack  # pyright: ignore[reportPrivateUsage] -- there is no other way in
    stack.append("cuda_tile")
    module = parser.parse_module()
    ops = list(module.body.ops)
    if any(isinstance(op, TileModuleOp) for op in ops):
        return module
    for op in ops:
        op.detach()
    producer = _PRODUCER.search(text)
    inner: TileModuleOp = TileModuleOp(name, ops, None if producer is None else producer.group(1))
    return ModuleOp([inner])
