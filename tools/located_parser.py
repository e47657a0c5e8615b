"""Reading `.mlir` text so that every error about it can point into it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr, ModuleOp
from xdsl.ir import AttributeInvT, BlockArgument, Operation, SSAValue
from xdsl.parser import UnresolvedOperand
from xdsl.utils.exceptions import MultipleSpansParseError, ParseError, VerifyException
from xdsl.utils.lexer import Span as TextSpan

from freehold.dialects.cuda_tile.text import TileParser
from freehold.dialects.location import location_at
from freehold.support.diagnostic import Rejected
from freehold.support.span import SourceMap, Span
from freehold.tools.errors import NotIR

_CODE = re.compile(r'(?:"(?:\\.|[^"\\\n])*"|(?!//)[^\n])*')


class LocatedParser(TileParser):
    """
    A parser that gives operations and block arguments without a location the place where they stand in the text.

    xDSL's parser leaves them unknown. A location that is written stays as it is. The span of an operation begins at
    its name and goes no further than its first line, so that a region's operation is not underlined as a whole.
    """

    def __init__(self, context: Context, text: str, file: str):
        super().__init__(context, text, file)
        self._first_use: dict[str, TextSpan] = {}  # of a value that was not defined there
        self._lines = [0, *(newline.end() for newline in re.finditer("\n", text))]  # where they begin

    def locate(self, op: Operation, begin: int) -> None:
        """Gives an operation that has no location the place where it stands, which begins at `begin`."""
        code = _CODE.match(self.lexer.input.content, begin, self.pos)
        line = code.group() if code else ""
        # What opens a region is left out: it belongs to what follows.
        op.location = self._location(begin, begin + max(1, len(line.rstrip().removesuffix("{").rstrip())))

    def resolve_operand(self, operand: UnresolvedOperand, type: AttributeInvT) -> SSAValue[AttributeInvT]:
        """The value of this name, which may be defined further on."""
        if operand.operand_name not in self.ssa_values:
            self._first_use.setdefault(operand.operand_name, operand.span)
        return super().resolve_operand(operand, type)

    def position(self) -> Span:
        """From the name of the operation that is being parsed to where parsing is, on one line."""
        code = _CODE.match(self.lexer.input.content, self.name_at, max(self.pos, self.name_at + 1))
        return self._span(self.name_at, self.name_at + max(1, len(code.group().rstrip()) if code else 1))

    def undefined(self) -> list[NotIR]:
        """An error for each value that was used and never defined, where it was used first."""
        names = [name for name in self._first_use if name in self.forward_ssa_references]
        spans = [_span(self._first_use[name]) for name in names]
        return [
            NotIR(span, f"`%{name}` is used and nothing defines it", "used here")
            for name, span in zip(names, spans, strict=True)
        ]

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: TextSpan) -> None:
        # The one place where the parser learns of every block argument, however its operation spells them.
        super()._register_ssa_definition(name, values, span)
        for value in values:
            if isinstance(value, BlockArgument) and value.location == UNKNOWN_LOC:
                value.location = self._location(span.start, span.end)

    def _get_op_by_name(self, name: str) -> type[Operation]:
        try:
            return super()._get_op_by_name(name)
        except ParseError as error:  # it points at what follows the name
            quotes = 2 * self.lexer.input.content.startswith('"', self.name_at)
            self.raise_error(error.msg, self.name_at, self.name_at + len(name) + quotes)

    def _span(self, begin: int, end: int) -> Span:
        return _span(TextSpan(begin, end, self.lexer.input))

    def _location(self, begin: int, end: int) -> LocationAttr:
        """The location of a place on one line: there is one for every operation, so lines are not counted each time."""
        line = bisect_right(self._lines, begin)
        start = self._lines[line - 1]
        return location_at(self.lexer.input.name, line, begin - start, line, end - start)


def parse_module(
    context: Context,
    text: str,
    file: str,
    *,
    implicit_module: bool = True,
    locate: bool = True,
    sources: SourceMap | None = None,
) -> ModuleOp:
    """
    The module that `text` is, with `locate` every operation with a location in `file` unless it has one of its own.

    Raises `Rejected` (O501) where the text is no IR. The text is added to `sources`, from which the error shows its
    excerpt.
    """
    sources = sources if sources is not None else SourceMap()
    sources.add(file, text)
    parser: TileParser | None = None
    try:
        # Reading the first token can fail, too, so that a parser may not even be made.
        parser = (LocatedParser if locate else TileParser)(context, text, file)
        return parser.parse_module(implicit_module)
    except ParseError as error:
        at_end = parser is not None and parser.pos >= len(text.rstrip())
        undefined = parser.undefined() if at_end and isinstance(parser, LocatedParser) else []
        raise Rejected(undefined or [_not_ir(error)], sources=sources) from error
    except (VerifyException, ValueError, OverflowError) as error:
        # A type or attribute that is well-written and not allowed: its class refuses it and knows no position.
        at = parser.position() if isinstance(parser, LocatedParser) else None
        raise Rejected([NotIR(at, str(error), "in this operation")], sources=sources) from error


def _not_ir(error: ParseError) -> NotIR:
    # The text of the token that was met stands first, and is empty at the end.
    refused = NotIR(_span(error.span), f"the text ends{error.msg}" if error.msg.startswith(" in ") else error.msg)
    if isinstance(error, MultipleSpansParseError):
        refused.add(*(refused.Related(_span(span), what or "") for span, what in error.refs))
    return refused


def _span(span: TextSpan[str] | TextSpan[bytes]) -> Span:
    content = span.input.content
    text = content if isinstance(content, str) else content.decode(errors="replace")
    begin = min(span.start, len(text))
    line_start = text.rfind("\n", 0, begin) + 1
    line = text.count("\n", 0, begin) + 1
    end = max(begin, min(span.end, len(text)))
    end_line_start = text.rfind("\n", 0, end) + 1
    return Span(span.input.name, line, begin - line_start, line + text.count("\n", begin, end), end - end_line_start)
