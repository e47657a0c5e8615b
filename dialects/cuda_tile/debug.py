"""
Debug information that a plain location cannot hold: whose source text a line is.

An operation's location is normally a position in a file, and what that position belongs to follows from the entry it
stands in. Where it does not (a file of another producer, a helper function with a name of its own), the location is
`fused<scope>[position]` with one of these attributes as the scope, as MLIR's LLVM dialect does it.
"""

from __future__ import annotations

import posixpath
from abc import ABC
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
)
from xdsl.ir import Attribute, Operation
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.classes import PlainAttribute, string, whole

if TYPE_CHECKING:
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer


class DebugAttr(PlainAttribute, ABC):
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
        return _parse_fields(parser, (("file", _file),))

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
                ("file", _file),
                ("line", _integer),
                ("name", _string),
                ("linkageName", _string),
                ("compileUnit", _unit),
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
            (("scope", _attribute), ("file", _file), ("line", _integer), ("column", _integer)),
            optional=("column",),
        )

    def print_parameters(self, printer: Printer) -> None:
        """Write `<scope = ..., file = ..., line = 20, column = 5>`."""
        column = self.column if self.column.data else None
        _print_fields(printer, (("scope", self.scope), ("file", self.file), ("line", self.line), ("column", column)))


DEBUG_ATTRS: Final[tuple[type[DebugAttr], ...]] = (DIFileAttr, DICompileUnitAttr, DISubprogramAttr, DILexicalBlockAttr)
"""The debug attributes of the dialect."""


Scope: TypeAlias = DISubprogramAttr | DILexicalBlockAttr
"""What a position may belong to."""


@lru_cache(maxsize=256)
def file_of(path: str) -> DIFileAttr:
    """The file of a path, as it is derived."""
    directory, name = posixpath.split(path)
    return DIFileAttr(string(name), string(directory))


@lru_cache(maxsize=256)
def subprogram_of(path: str, line: int, name: str) -> DISubprogramAttr:
    """The subprogram of an entry that begins at this position and has no scope of its own."""
    file, entry = file_of(path), string(name)
    return DISubprogramAttr(file, whole(line), entry, entry, DICompileUnitAttr(file), whole(line), whole(0))


def function_of(scope: Scope) -> DISubprogramAttr:
    """The function that a scope is a part of."""
    while isinstance(scope, DILexicalBlockAttr):
        scope = cast("Scope", scope.scope)
    return scope


def position_of(location: Attribute) -> tuple[FileLineColLoc | None, Scope | None]:
    """The position where a location's text begins, and the scope that it names itself."""
    if type(location) is FusedLoc and type(location.metadata) is NoneAttr:  # a span, as most locations are
        first = cast("ArrayAttr[Attribute]", location.locations).data[:1]
        if first and type(first[0]) is FileLineColLoc:
            return first[0], None
    match location:
        case FileLineColLoc():
            return location, None
        case NameLoc():
            return position_of(location.location)
        case CallSiteLoc():
            return position_of(location.callee)
        case FusedLoc():
            scope = location.metadata if isinstance(location.metadata, DISubprogramAttr | DILexicalBlockAttr) else None
            for part in cast("ArrayAttr[Attribute]", location.locations).data:
                position, inner = position_of(part)
                if position is not None:
                    return position, scope or inner
        case _:
            pass
    return None, None


def own_scope(location: Attribute) -> Scope | None:
    """The scope of the kernel's own text that a location names: of inlined text, that of the place of the call."""
    match location:
        case FusedLoc():
            if isinstance(location.metadata, DISubprogramAttr | DILexicalBlockAttr):
                return location.metadata
            parts = cast("ArrayAttr[Attribute]", location.locations).data
            return next((scope for part in parts if (scope := own_scope(part)) is not None), None)
        case NameLoc():
            return own_scope(location.location)
        case CallSiteLoc():
            return own_scope(location.caller)
        case _:
            return None


def wrong_scope(entry: Operation, name: str, ops: Iterable[Operation]) -> str | None:
    """What is wrong with the scopes of an entry and of the operations in it; None where nothing is."""
    if isinstance(entry.location, CallSiteLoc):
        return "the location of a kernel is no call site"
    scope = own_scope(entry.location)
    if isinstance(scope, DILexicalBlockAttr):
        return "the scope of a kernel is a di_subprogram, got a di_lexical_block"
    if scope is not None and scope.linkage_name.data != name:
        return f"the scope of the kernel has the linkage name `{scope.linkage_name.data}`"
    place, _ = position_of(entry.location)
    expected = scope
    if expected is None and place is not None:
        expected = subprogram_of(place.filename.data, place.line.data, name)
    for op in ops:
        if (inner := own_scope(op.location)) is not None and (function := function_of(inner)) != expected:
            if scope is None:
                return f"`{op.name}` in it has a scope, and the kernel has none"
            return f"the scope of `{op.name}` in it is of `{function.linkage_name.data}`, another function"
    return None


_Read: TypeAlias = Callable[["AttrParser"], Attribute]


def _attribute(parser: AttrParser) -> Attribute:
    return parser.parse_attribute()


def _file(parser: AttrParser) -> Attribute:
    return _short(parser, DIFileAttr)


def _unit(parser: AttrParser) -> Attribute:
    return _short(parser, DICompileUnitAttr)


def _short(parser: AttrParser, kind: type[DebugAttr]) -> Attribute:
    """Read an attribute of a field that takes one kind only, whose name may be left out."""
    if parser.lexer.input.content[parser.pos : parser.pos + 1] != "<":
        return parser.parse_attribute()
    return kind.new(kind.parse_parameters(parser))


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
