"""
Debug information that a plain location cannot hold: whose source text a line is.

An operation's location is normally a position in a file, and what that position belongs to follows from the entry it
stands in. Where it does not (a file of another producer, a helper function with a name of its own), the location is
`fused<scope>[position]` with one of these attributes as the scope, as MLIR's LLVM dialect does it.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

if TYPE_CHECKING:
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer


class DebugAttr(ParametrizedAttribute, ABC):
    """Base of the debug attributes."""


@irdl_attr_definition
class DIFileAttr(DebugAttr):
    """`di_file<"k.py" in "/project">`: a source file, by its name and the directory that the name is relative to."""

    name = "cuda_tile.di_file"
    file_name: StringAttr
    directory: StringAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<"k.py" in "/project">`."""
        with parser.in_angle_brackets():
            file_name = parser.parse_str_literal()
            parser.parse_characters("in")
            return StringAttr(file_name), StringAttr(parser.parse_str_literal())

    def print_parameters(self, printer: Printer) -> None:
        """Write `<"k.py" in "/project">`."""
        with printer.in_angle_brackets():
            printer.print_string_literal(self.file_name.data)
            printer.print_string(" in ")
            printer.print_string_literal(self.directory.data)


@irdl_attr_definition
class DICompileUnitAttr(DebugAttr):
    """`di_compile_unit<file = #cuda_tile.di_file<...>>`: what was compiled at once."""

    name = "cuda_tile.di_compile_unit"
    file: DIFileAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<file = ...>`."""
        return _parse_fields(parser, (("file", _attribute),))

    def print_parameters(self, printer: Printer) -> None:
        """Write `<file = ...>`."""
        _print_fields(printer, (("file", self.file),))


@irdl_attr_definition
class DISubprogramAttr(DebugAttr):
    """
    `di_subprogram<file = ..., line = 3, name = "k", linkageName = "k", compileUnit = ..., scopeLine = 4>`: a function.

    `line` is where its definition begins and `scope_line` where its body does, 0 where that is not known, which text
    leaves out. `declaration` (13.5) marks a function
    that is defined elsewhere. The subprogram of an entry has the entry's name as its linkage name.
    """

    name = "cuda_tile.di_subprogram"
    file: DIFileAttr
    line: IntAttr
    function_name: StringAttr
    linkage_name: StringAttr
    compile_unit: DICompileUnitAttr
    scope_line: IntAttr
    declaration: IntAttr

    def verify(self) -> None:
        """Lines are not negative; `declaration` is 0 or 1."""
        if self.line.data < 0 or self.scope_line.data < 0:
            raise VerifyException(f"{self.name}: lines cannot be negative")
        if self.declaration.data not in (0, 1):
            raise VerifyException(f"{self.name}: declaration must be 0 or 1, got {self.declaration.data}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<file = ..., line = 3, ...>`."""
        return _parse_fields(
            parser,
            (
                ("file", _attribute),
                ("line", _integer),
                ("name", _string),
                ("linkageName", _string),
                ("compileUnit", _attribute),
                ("scopeLine", _integer),
                ("flags", _declaration),
            ),
            optional=("scopeLine", "flags"),
        )

    def print_parameters(self, printer: Printer) -> None:
        """Write `<file = ..., line = 3, ...>`."""
        _print_fields(
            printer,
            (
                ("file", self.file),
                ("line", self.line),
                ("name", self.function_name),
                ("linkageName", self.linkage_name),
                ("compileUnit", self.compile_unit),
                ("scopeLine", self.scope_line if self.scope_line.data else None),
                ("flags", "declaration" if self.declaration.data else None),
            ),
        )


@irdl_attr_definition
class DILexicalBlockAttr(DebugAttr):
    """
    `di_lexical_block<scope = ..., file = ..., line = 20, column = 5>`: a part of a function, of any file.

    A column of 0 is not known, and left out of text.
    """

    name = "cuda_tile.di_lexical_block"
    scope: Attribute
    file: DIFileAttr
    line: IntAttr
    column: IntAttr

    def verify(self) -> None:
        """The scope is a function or a part of one; positions are not negative."""
        if not isinstance(self.scope, DISubprogramAttr | DILexicalBlockAttr):
            raise VerifyException(f"{self.name}: the scope must be a di_subprogram or a di_lexical_block")
        if self.line.data < 0 or self.column.data < 0:
            raise VerifyException(f"{self.name}: line and column cannot be negative")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<scope = ..., file = ..., line = 20, column = 5>`."""
        return _parse_fields(
            parser,
            (("scope", _attribute), ("file", _attribute), ("line", _integer), ("column", _integer)),
            optional=("column",),
        )

    def print_parameters(self, printer: Printer) -> None:
        """Write `<scope = ..., file = ..., line = 20, column = 5>`."""
        column = self.column if self.column.data else None
        _print_fields(printer, (("scope", self.scope), ("file", self.file), ("line", self.line), ("column", column)))


DEBUG_ATTRS: Final[tuple[type[DebugAttr], ...]] = (DIFileAttr, DICompileUnitAttr, DISubprogramAttr, DILexicalBlockAttr)
"""The debug attributes of the dialect."""


_Read: TypeAlias = Callable[["AttrParser"], Attribute]


def _attribute(parser: AttrParser) -> Attribute:
    return parser.parse_attribute()


def _integer(parser: AttrParser) -> Attribute:
    return IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False))


def _string(parser: AttrParser) -> Attribute:
    return StringAttr(parser.parse_str_literal())


def _declaration(parser: AttrParser) -> Attribute:
    parser.parse_keyword("declaration")
    return IntAttr(1)


def _parse_fields(
    parser: AttrParser, fields: Sequence[tuple[str, _Read]], optional: Sequence[str] = ()
) -> list[Attribute]:
    """Read `<name = value, ...>` in any order; integers that are optional and not given are 0."""
    readers = dict(fields)
    given: dict[str, Attribute] = {}

    def read() -> None:
        position = parser.pos
        name = parser.parse_identifier()
        if name in given:
            parser.raise_error(f"`{name}` is given twice", position)
        parser.parse_punctuation("=")
        if name not in readers:
            parser.raise_error(f"there is no field `{name}` here", position)
        given[name] = readers[name](parser)

    parser.parse_comma_separated_list(parser.Delimiter.ANGLE, read)
    given = {**dict.fromkeys(optional, IntAttr(0)), **given}
    missing = [f"`{name}`" for name in readers if name not in given]
    if missing:
        parser.raise_error(f"missing {', '.join(missing)}")
    return [given[name] for name in readers]


def _print_fields(printer: Printer, fields: Sequence[tuple[str, Attribute | str | None]]) -> None:
    """Write `<name = value, ...>`, without the fields that have no value."""
    with printer.in_angle_brackets():
        for index, (name, value) in enumerate((name, value) for name, value in fields if value is not None):
            printer.print_string(f"{', ' if index else ''}{name} = ")
            if isinstance(value, str):
                printer.print_string(value)
            elif isinstance(value, IntAttr):
                printer.print_string(str(cast("IntAttr", value).data))
            else:
                printer.print_attribute(value)
