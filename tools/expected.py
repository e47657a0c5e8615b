"""`--verify-diagnostics`: what comes of a file against what comments in it say will come, as MLIR's tools do it.

    // expected-error @below {{there is no pass}}
    // expected-note-re @+2 {{block {{[0-9]+}} owns}}

A comment names a kind (`error`, `warning`, `note`, `remark`), a line (its own; `@above`, `@below`: the next line that
way without such a comment; `@+N`, `@-N`; `@unknown`: a diagnostic that has no place in the file), and text that the
diagnostic contains; in the form `-re` what stands between `{{` and `}}` inside it is a regular expression. An error is
its code, its title and its label, `O501: operation expected: here`; its further labels, notes and helps are notes: at
the label's line, or the error's own.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from freehold.support.diagnostic import KernelWarning
from freehold.support.span import Span
from freehold.tools.errors import BadExpectation, NotProduced, Unexpected

if TYPE_CHECKING:
    from freehold.support.diagnostic import Error, Rejected

UNKNOWN: Final = 0
"""The line of what has no place in the file."""
_COMMENT: Final = re.compile(
    r"expected-(?P<kind>error|warning|note|remark)(?P<re>-re)? *"
    r"(?:@(?P<where>[+-]\d+|above|below|unknown))? *\{\{(?P<text>.*)\}\}[^\S\n]*$"
)
_BEGIN: Final = re.compile(r"expected-(?:error|warning|note|remark)")
_PART: Final = re.compile(r"\{\{(.*?)\}\}")


@dataclass(frozen=True)
class Diagnostic:
    """Something that a tool said of a file."""

    kind: str
    line: int
    """From 1; `UNKNOWN` where it has no place in the file."""
    text: str


@dataclass(eq=False)
class Expectation:
    """One comment."""

    span: Span
    kind: str
    line: int
    text: str
    pattern: re.Pattern[str]
    met: bool = False


def expectations(text: str, file: str) -> tuple[list[Expectation], list[Error]]:
    """The comments of a file, and an error for each that cannot be read (O517)."""
    found: list[Expectation] = []
    errors: list[Error] = []
    lines = text.split("\n")
    commented = [bool(_BEGIN.search(line)) for line in lines]
    for number, line in enumerate(lines, start=1):
        begin = _BEGIN.search(line)
        if begin is None:
            continue
        span = Span(file, number, begin.start(), number, len(line.rstrip()))
        comment = _COMMENT.search(line)
        if comment is None:
            errors.append(BadExpectation(span, "write `expected-error @below {{text}}`, the braces on its own line"))
            continue
        try:
            pattern = _pattern(comment["text"], regex=comment["re"] is not None)
        except re.error as error:
            errors.append(BadExpectation(span, f"{error}, in the regular expression"))
            continue
        at = _line(comment["where"], number, commented)
        if comment["where"] != "unknown" and not 1 <= at <= len(lines):
            errors.append(BadExpectation(span, "the file has no such line"))
            continue
        found.append(Expectation(span, comment["kind"], at, comment["text"], pattern))
    return found, errors


def _line(where: str | None, number: int, commented: list[bool]) -> int:
    match where:
        case None:
            return number
        case "unknown":
            return UNKNOWN
        case "above" | "below":
            step = -1 if where == "above" else 1
            number += step
            while 1 <= number <= len(commented) and commented[number - 1]:
                number += step
            return number
        case _:
            return number + int(where)


def _pattern(text: str, *, regex: bool) -> re.Pattern[str]:
    if not regex:
        return re.compile(re.escape(text))
    parts = _PART.split(text)  # plain text and regular expressions in turns
    return re.compile("".join(f"(?:{part})" if n % 2 else re.escape(part) for n, part in enumerate(parts)))


def diagnostics_of(errors: Iterable[Error], file: str) -> list[Diagnostic]:
    """Errors as they are compared: each with its further labels, notes and helps."""
    found: list[Diagnostic] = []
    for error in errors:
        report = error.report()
        line = _line_in(report.place, file)
        text = f"{report.code}: {report.title}" + (f": {report.label}" if report.label else "")
        found.append(Diagnostic(report.severity, line, text))
        found += [
            Diagnostic("note", _line_in(label.span, file), label.text) for label in report.labels if not label.primary
        ]
        found += [Diagnostic("note", line, note) for note in (*report.notes, *report.helps)]
    return found


def _line_in(place: object, file: str) -> int:
    return place.line if isinstance(place, Span) and place.file == file else UNKNOWN


@dataclass
class Said:
    """What a tool says of one input: collected while it works, compared at the end."""

    file: str
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def refused(self, rejected: Rejected) -> None:
        """Takes note of errors."""
        self.diagnostics += diagnostics_of(rejected.errors, self.file)

    @contextmanager
    def listening(self) -> Generator[None]:
        """Takes note of the warnings that are given in the block, and of nobody else's."""
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always", KernelWarning)
            try:
                yield
            finally:
                for each in given:
                    if issubclass(each.category, KernelWarning):
                        line = each.lineno if each.filename == self.file else UNKNOWN
                        self.diagnostics.append(Diagnostic("warning", line, str(each.message)))


def compare(text: str, said: Said, *, only_expected: bool = False) -> list[Error]:
    """
    What is wrong: comments that nothing met (O515) or that cannot be read (O517), and what no comment names (O516),
    which is no fault with `only_expected`. A comment stands for one diagnostic.
    """
    wanted, errors = expectations(text, said.file)
    for diagnostic in said.diagnostics:
        here = [each for each in wanted if not each.met and each.line == diagnostic.line]
        here = [each for each in here if each.pattern.search(diagnostic.text)]
        fitting = next((each for each in here if each.kind == diagnostic.kind), None)
        if fitting is not None:
            fitting.met = True
        elif not only_expected:
            errors.append(_unexpected(diagnostic, said.file, text, here))
    errors += [NotProduced(each.span, each.kind, each.text) for each in wanted if not each.met]
    return errors


def _unexpected(diagnostic: Diagnostic, file: str, text: str, here: list[Expectation]) -> Error:
    place = None
    if diagnostic.line != UNKNOWN:
        line = text.split("\n")[diagnostic.line - 1]
        begin = len(line) - len(line.lstrip())
        place = Span(file, diagnostic.line, begin, diagnostic.line, max(begin + 1, len(line.rstrip())))
    error = Unexpected(place, diagnostic.kind, diagnostic.text.split("\n")[0])
    return error.add(error.Near(here[0].kind)) if here else error
