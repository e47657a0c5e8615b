"""Freehold's diagnostics as those of the language server protocol."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from lsprotocol import types as lsp
from pygls.uris import from_fs_path, to_fs_path

from freehold.support.diagnostic import Error
from freehold.support.report import Edit, Report
from freehold.support.span import Span

_SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "remark": lsp.DiagnosticSeverity.Information,
}


def utf16(text: str) -> int:
    """How many units of UTF-16 a text has, which is what the protocol counts."""
    return len(text.encode("utf-16-le")) // 2


def column(line: str, units: int) -> int:
    """The character of a line at so many units of UTF-16."""
    return len(line.encode("utf-16-le")[: 2 * units].decode("utf-16-le", errors="ignore"))


def range_of(span: Span, lines: Sequence[str]) -> lsp.Range:
    """A span as the protocol writes it."""

    def position(number: int, character: int) -> lsp.Position:
        line = lines[number - 1] if 0 < number <= len(lines) else ""
        return lsp.Position(max(0, number - 1), utf16(line[:character]))

    return lsp.Range(position(span.line, span.start), position(span.end_line, span.end))


def path_of(uri: str) -> str:
    """The path of a document, which need not exist; the name that it has in spans."""
    return to_fs_path(uri) or uri


def _in_file(place: object, file: str) -> Span | None:
    """A place in a file: the text's own, or the call there that led to it."""
    while isinstance(place, Span):
        if place.file == file:
            return place
        place = place.call_site
    return None


def diagnostic(error: Error, file: str, lines: Sequence[str]) -> lsp.Diagnostic:
    """An error at its place, with its further labels beside it, and its notes and helps below its title."""
    report = error.report()
    place = _in_file(report.place, file) or Span.on_line(file, 1, 0, 1)
    text = [f"{report.title}: {report.label}" if report.label else report.title]
    text += [f"note: {note}" for note in report.notes] + [f"help: {each}" for each in report.helps]
    return lsp.Diagnostic(
        range_of(place, lines),
        "\n".join(text),
        severity=_SEVERITIES.get(report.severity, lsp.DiagnosticSeverity.Error),
        code=report.code,
        source="freehold",
        related_information=list(_related(report, file, lines)) or None,
    )


def _related(report: Report, file: str, lines: Sequence[str]) -> Iterator[lsp.DiagnosticRelatedInformation]:
    for label in report.labels:
        if not label.primary and Path(label.span.file).is_absolute():
            uri = from_fs_path(label.span.file) or ""
            there: Sequence[str] = lines if label.span.file == file else []
            yield lsp.DiagnosticRelatedInformation(lsp.Location(uri, range_of(label.span, there)), label.text)


def actions(errors: Iterable[Error], uri: str, file: str, text: str, within: lsp.Range) -> Iterator[lsp.CodeAction]:
    """The edits of errors that touch a range, each ready to be made."""
    lines = text.split("\n")
    for error in errors:
        for edit in error.report().edits:
            if edit.span.file != file:
                continue
            found = range_of(edit.span, lines)
            place = _in_file(error.place, file)
            touched = [found, *([range_of(place, lines)] if place is not None else [])]
            if any(each.start.line <= within.end.line and within.start.line <= each.end.line for each in touched):
                changes = {uri: list(_changes(edit, found, lines))}
                yield lsp.CodeAction(
                    edit.help,
                    kind=lsp.CodeActionKind.QuickFix,
                    diagnostics=[diagnostic(error, file, lines)],
                    edit=lsp.WorkspaceEdit(changes=changes),
                )


def _changes(edit: Edit, found: lsp.Range, lines: Sequence[str]) -> Iterator[lsp.TextEdit]:
    if edit.before:
        first = _statement("\n".join(lines), edit.span.line)
        line = lines[first - 1]
        indent = line[: len(line) - len(line.lstrip())]
        start = lsp.Position(first - 1, 0)
        yield lsp.TextEdit(lsp.Range(start, start), "".join(f"{indent}{each}\n" for each in edit.before))
    yield lsp.TextEdit(found, edit.code)


def _statement(text: str, line: int) -> int:
    """The first line of the innermost statement that a line is in."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return line
    starts = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return max(starts, default=line)
