"""Places in source text, and where that text is found when somebody wants to see it."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Span:
    """
    A half-open range of source text.

    Lines count from 1, columns from 0. Columns count characters of the line, neither UTF-8 bytes (as `ast` does) nor
    columns of the terminal.
    """

    file: str
    """The file as the user knows it: a path, or a name such as `<stdin>` or `<ipython-input-3>`."""
    line: int
    """First line."""
    start: int
    """Column of the first character, in `line`."""
    end_line: int
    """Last line."""
    end: int
    """Column after the last character, in `end_line`."""
    call_site: Span | None = None
    """The call that was inlined, where this text belongs to a helper function; it may have a call site of its own."""

    @classmethod
    def on_line(cls, file: str, line: int, start: int, end: int) -> Span:
        """A span inside one line."""
        return cls(file, line, start, line, end)

    @classmethod
    def of_node(cls, node: ast.AST, file: str, lines: Sequence[str], first_line: int = 1, indent: int = 0) -> Span:
        """
        The span of a syntax node that has positions (an expression, a statement, an argument).

        `lines` is the text that was parsed. Where that was a function cut out of its file and dedented, `first_line`
        is the line of the file that `lines[0]` is, and `indent` the number of characters that were cut from each line.
        """
        if not isinstance(node, ast.expr | ast.stmt | ast.arg | ast.keyword | ast.alias | ast.excepthandler):
            raise TypeError(f"a {type(node).__name__} has no position in the source")
        end_line = node.lineno if node.end_lineno is None else node.end_lineno
        start = char_column(lines[node.lineno - 1], node.col_offset)
        end = start if node.end_col_offset is None else char_column(lines[end_line - 1], node.end_col_offset)
        down = first_line - 1
        return cls(file, node.lineno + down, start + indent, end_line + down, end + indent)

    def inlined_at(self, call_site: Span) -> Span:
        """This span, as text that was inlined at `call_site` (outside any call site that it already has)."""
        outer = call_site if self.call_site is None else self.call_site.inlined_at(call_site)
        return Span(self.file, self.line, self.start, self.end_line, self.end, outer)

    def to(self, other: Span) -> Span:
        """From the start of this span to the end of a later one in the same file."""
        if other.file != self.file:
            raise ValueError(f"a span cannot begin in {self.file} and end in {other.file}")
        return Span(self.file, self.line, self.start, other.end_line, other.end, self.call_site)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.start + 1}"


def char_column(line: str, byte_column: int) -> int:
    """The character column of a UTF-8 byte offset into `line` (what `ast` calls `col_offset`)."""
    if line.isascii():
        return byte_column
    return len(line.encode()[:byte_column].decode(errors="ignore"))


def byte_column(line: str, column: int) -> int:
    """The UTF-8 byte offset of a character column: the inverse of `char_column`."""
    return column if line.isascii() else len(line[:column].encode())


@dataclass
class SourceMap:
    """Source text by file name: first what was added here, then `linecache` (files, shells, notebooks)."""

    _texts: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def add(self, file: str, text: str) -> None:
        """Adds or replaces the text of one file."""
        self._texts[file] = text.splitlines()

    def lines(self, file: str) -> Sequence[str] | None:
        """The lines of a file without their ends, or None where its text cannot be had."""
        if (known := self._texts.get(file)) is not None:
            return known
        try:
            lines = linecache.getlines(file)
        except (OSError, ValueError):  # ValueError: a name with a null byte
            return None
        return [line.rstrip("\r\n") for line in lines] or None
