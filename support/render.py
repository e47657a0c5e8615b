"""
Errors as terminal text. No other file draws an excerpt or a caret.

One excerpt a file, the labels of one line merged, `...` between lines that are far apart, `:::` before a further file.
`^` underlines the primary place and `-` the others.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TextIO
from unicodedata import category, east_asian_width

from freehold.support.report import Argument, PlacedText, Report
from freehold.support.span import SourceMap

TAB = 4
"""Columns of a tab in an excerpt."""
UNDERLINED_LINES = 4
"""A span of more lines is underlined on its first and last line only."""

WIDEST = 160
"""Columns of a line that are shown; generated code and IR have lines of any length."""

_RED, _BLUE, _GREEN, _BOLD = "1;31", "1;34", "1;32", "1"


def render(report: Report, sources: SourceMap | None = None, colour: bool = False) -> str:
    """One error, without a line end."""
    return _Renderer(sources or SourceMap(), colour).error(report)


def render_all(
    reports: Sequence[Report], kernel: str | None = None, sources: SourceMap | None = None, colour: bool = False
) -> str:
    """All errors, a blank line between them, and the closing line that counts them; without a line end."""
    renderer = _Renderer(sources or SourceMap(), colour)
    count = "1 error" if len(reports) == 1 else f"{len(reports)} errors"
    closing = count if kernel is None else f"{count}, kernel `{_visible(kernel)}` rejected"
    return "\n\n".join([*map(renderer.error, reports), renderer.paint(closing, _BOLD)])


def wants_colour(stream: TextIO | None) -> bool:
    """Whether text for this stream may be coloured: a terminal, unless `NO_COLOR` is set. A closed one is None."""
    return (
        stream is not None and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()
    )


def columns(text: str) -> int:
    """The width of `text` on a terminal, where wide characters take two columns and combining ones none."""
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(map(_char_columns, text))


def _char_columns(char: str) -> int:
    if char == "\t":
        return TAB
    if east_asian_width(char) in "WF":
        return 2
    return 0 if category(char) in ("Mn", "Me", "Cf") else 1


def _visible(text: str) -> str:
    """The text with tabs as spaces and other control characters, which could steer the terminal, as a mark."""
    if text.isprintable():
        return text
    return "".join(
        " " * TAB if char == "\t" else "\N{REPLACEMENT CHARACTER}" if category(char) == "Cc" else char for char in text
    )


@dataclass(frozen=True)
class _Mark:
    """One underlined piece of one line, in columns of the terminal."""

    start: int
    width: int
    text: str
    primary: bool


class _Row:
    """A line under an excerpt, drawn cell by cell; a cell has a character and a colour."""

    def __init__(self) -> None:
        self._cells: list[tuple[str, str]] = []

    def put(self, column: int, text: str, style: str) -> None:
        """Writes `text` from `column` on, over what was there."""
        missing = column + len(text) - len(self._cells)
        self._cells.extend([(" ", "")] * missing)
        self._cells[column : column + len(text)] = [(char, style) for char in text]

    @property
    def end(self) -> int:
        return len(self._cells)

    def runs(self) -> Iterator[tuple[str, str]]:
        """Pieces of equal colour."""
        piece, style = "", ""
        for char, of in self._cells:
            if of != style and piece:
                yield piece, style
                piece = ""
            piece, style = piece + char, of
        if piece:
            yield piece, style


_HERE: Final = re.compile(r"\bhere\b")


class _Renderer:
    def __init__(self, sources: SourceMap, colour: bool):
        self._sources = sources
        self._colour = colour

    def paint(self, text: str, style: str) -> str:
        return f"\033[{style}m{text}\033[0m" if self._colour and style and text.strip() else text

    def error(self, report: Report) -> str:
        title, *more = report.title.split("\n")
        lines = [self.paint(f"{report.severity}[{report.code}]", _RED) + self.paint(f": {_visible(title)}", _BOLD)]
        lines += map(_visible, more)
        shown = [label.span.end_line for label in report.labels] + [label.span.line for label in report.labels]
        gutter = len(str(max(shown, default=0)))
        bar = self.paint(" " * gutter + " |", _BLUE)
        arrow = "-->"
        if isinstance(report.place, Argument):
            where = f"{report.place}: {report.label}" if report.label else str(report.place)
            lines.append(self._header(gutter, arrow, where))
            arrow = ":::"
        files = dict.fromkeys(label.span.file for label in report.labels)  # the primary label is the first
        for file in files:
            labels = [label for label in report.labels if label.span.file == file]
            lines.append(self._header(gutter, arrow, str(labels[0].span)))
            lines.append(bar)
            lines += self._excerpt(file, labels, gutter, bar)
            arrow = ":::"
        # Where nothing is there to be marked, the label is a fact by itself, unless it says "here".
        facts = [report.label] if report.place is None and report.label and not _HERE.search(report.label) else []
        remarks = [*(("note", text) for text in (*facts, *report.notes)), *(("help", text) for text in report.helps)]
        if files and remarks:
            lines.append(bar)
        for kind, text in remarks:
            first, *rest = text.split("\n")
            equals = self.paint("=", _BLUE)
            kind_text = self.paint(f"{kind}:", _GREEN if kind == "help" else _BOLD)
            lines.append(f"{' ' * gutter} {equals} {kind_text} {_visible(first)}".rstrip())
            lines += [f"{' ' * (gutter + len(kind) + 5)}{_visible(line)}".rstrip() for line in rest]
        return "\n".join(lines)

    def _header(self, gutter: int, arrow: str, where: str) -> str:
        return f"{' ' * gutter}{self.paint(arrow, _BLUE)} {_visible(where)}"

    def _excerpt(self, file: str, labels: Sequence[PlacedText], gutter: int, bar: str) -> Iterator[str]:
        source = self._sources.lines(file)
        marks: dict[int, list[_Mark]] = {}
        unseen: list[PlacedText] = []
        for label in labels:
            if source is None or not 1 <= label.span.line <= label.span.end_line <= len(source):
                unseen.append(label)
                continue
            for line, mark in _marks_of(label, source):
                if mark not in marks.setdefault(line, []):
                    marks[line].append(mark)
        previous = 0
        for number in sorted(marks):
            assert source is not None
            if previous and number - previous == 2:
                yield self._source_line(number - 1, _window(source[number - 2], [])[0], gutter)
            elif previous and number - previous > 2:
                yield "..."
            text, shown = _window(source[number - 1], marks[number])
            yield self._source_line(number, text, gutter)
            for row in _rows_under(shown):
                yield f"{bar} {''.join(self.paint(text, style) for text, style in row.runs())}".rstrip()
            previous = number
        for label in sorted(unseen, key=lambda label: (label.span.line, label.span.start)):
            said = f": {_visible(label.text)}" if label.text else ""
            yield f"{bar} line {label.span.line}, of which the source cannot be shown{said}"

    def _source_line(self, number: int, text: str, gutter: int) -> str:
        return f"{self.paint(f'{number:>{gutter}} |', _BLUE)} {text}".rstrip()


def _window(line: str, marks: Sequence[_Mark]) -> tuple[str, Sequence[_Mark]]:
    """The part of a line that is shown, all of it unless it is very long, and the marks within that part."""
    line = _visible(line)
    if columns(line) <= WIDEST:
        return line, marks
    first = min((mark.start for mark in marks), default=0)
    left = max(0, first - WIDEST // 4) if first > WIDEST // 2 else 0
    right = left + WIDEST
    shown, column = "", 0
    for char in line:
        if left <= column < right:
            shown += char
        column += _char_columns(char)
    shift = left - 1 if left else 0  # the sign that the line was cut takes a column
    cut = [
        replace(mark, start=start - shift, width=max(1, min(mark.start + mark.width, right) - start))
        for mark in marks
        for start in [min(mark.start, right)]
    ]
    return ("…" if left else "") + shown + ("…" if column > right else ""), cut


def _marks_of(label: PlacedText, source: Sequence[str]) -> Iterable[tuple[int, _Mark]]:
    """The pieces of a label's span, line by line; the text stands at the last."""
    span = label.span
    numbers = list(range(span.line, span.end_line + 1))
    if len(numbers) > UNDERLINED_LINES:
        numbers = [numbers[0], numbers[-1]]
    for number in numbers:
        line = source[number - 1]
        first = span.start if number == span.line else len(line) - len(line.lstrip())
        last = span.end if number == span.end_line else len(line.rstrip())
        if first >= last and number not in (span.line, span.end_line):
            continue  # a blank line inside the span
        start = columns(line[:first])
        width = max(1, columns(line[first:last]))
        yield number, _Mark(start, width, _visible(label.text) if number == span.end_line else "", label.primary)


def _rows_under(marks: Sequence[_Mark]) -> Iterator[_Row]:
    """The underlines of one line; the rightmost text beside them, the others hung below, right to left."""
    marks = sorted(marks, key=lambda mark: (mark.start, -mark.width))
    row = _Row()
    for primary in (False, True):  # the primary's carets are drawn last, so that none is hidden
        for mark in marks:
            if mark.primary is primary:
                row.put(mark.start, ("^" if primary else "-") * mark.width, _RED if primary else _BLUE)
    *hanging, beside = marks
    if beside.text:
        row.put(row.end + 1, beside.text, _style(beside))
    yield row
    hanging = [mark for mark in hanging if mark.text]
    while hanging:
        stems, texts = _Row(), _Row()
        for mark in hanging:
            stems.put(mark.start, "|", _style(mark))
            texts.put(mark.start, "|", _style(mark))
        last = hanging.pop()
        texts.put(last.start, last.text, _style(last))
        yield stems
        yield texts


def _style(mark: _Mark) -> str:
    return _RED if mark.primary else _BLUE
