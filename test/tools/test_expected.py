"""What a tool says of a file against the comments in it: which of them are met, and what is said of the others."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from freehold.support.diagnostic import KernelWarning, Rejected
from freehold.support.span import SourceMap, Span
from freehold.tools.errors import NotIR, PassFailed
from freehold.tools.expected import Diagnostic, Said, compare, diagnostics_of, expectations

READ: Final = [
    "// expected-error {{a}}",
    "  x // expected-warning {{a b}}  ",
    "// expected-note@+2 {{a}}\n\n",
    "// expected-note@+2 {{a}}\n",
    "\n// expected-remark @-1   {{a}}",
    "// expected-remark @-1   {{a}}",
    "// expected-error @unknown {{}}",
    "// expected-error-re {{a{{[0-9]+}}b.{{c|d}}}}",
    "// expected-error {{a{{b}}.c}}",
    "// expected-error-re {{.{{.}}}}",
    "// expected-error {{a}} {{b}}",
    "// expected-error @above {{a}}\n// expected-note @above {{b}}",
    "\n// expected-error @above {{a}}\n// expected-note @above {{b}}",
    "// expected-error @below {{a}}\n// expected-note @below {{b}}\n\n// expected-note @below {{c}}",
    "// expected-error {{a}} b",
    "// expected-error @sideways {{a}}",
    "// expected-error @+ {{a}}",
    "// expected-errors {{a}}",
    "// expected-error: {{a}}",
    "// expected-error {a}",
    "// expected-error-re {{a{{(}}b}}",
    "// expected-anything {{a}}",
    "// unexpected-error {{a}}",
    "nothing",
]
"""Files, each with comments."""
PROBED: Final = ("a", "a1b.c", "aXbYc", "a{{b}}.c", "a b", "..", ".a", "a}} {{b")
"""Texts that some comments mean."""


def test_what_comments_say(golden: Callable[[Path, str], None]) -> None:
    lines: list[str] = []
    for text in READ:
        found, errors = expectations(text, "f.mlir")
        lines += [f"== {text!r}"]
        for each in found:
            met = [probe for probe in PROBED if each.pattern.search(probe)]
            span = each.span
            at = f"{span.line}:{span.start}-{span.end}"
            lines.append(
                f"{each.kind} at line {each.line}, of {at}: {each.text!r} is met by {met}, and has been {each.met}"
            )
        for error in errors:
            report = error.report()
            assert isinstance(report.place, Span)
            at = f"{report.place.line}:{report.place.start}-{report.place.end}"
            lines.append(
                f"{report.code} {at}: {report.title}: {report.label} {' '.join((*report.notes, *report.helps))}"
            )
    golden(Path(__file__).with_name("expected_comments.txt"), "\n".join(lines))


ERROR: Final = Diagnostic("error", 2, "O501: here it is")
SAID: Final[list[tuple[str, list[Diagnostic]]]] = [
    ("\nx", []),
    ("\nx", [ERROR]),
    ("\n  x y  ", [ERROR]),
    ("\n", [ERROR]),
    ("// expected-error @below {{it is}}\nx", [ERROR]),
    ("// expected-error @below {{it is}}\nx", []),
    ("// expected-error @below {{it is}}\nx", [ERROR, ERROR]),
    ("// expected-error @below {{it is}}\nx", [Diagnostic("error", 1, ERROR.text)]),
    ("// expected-error @below {{it is}}\nx", [Diagnostic("error", 0, ERROR.text)]),
    ("// expected-error @unknown {{it is}}\nx", [Diagnostic("error", 0, ERROR.text)]),
    ("// expected-error @below {{it was}}\nx", [ERROR]),
    ("// expected-warning @below {{it is}}\nx", [ERROR]),
    ("// expected-warning @below {{it is}}\nx // expected-error {{it is}}", [ERROR]),
    ("// expected-error @below {{it is}}\nx // expected-error {{here}}", [ERROR]),
    ("// expected-error @+1 {{it is}}\nx // expected-error {{here}}", [ERROR, ERROR]),
    ("// expected-note @+1 {{it is}}\nx // expected-warning {{here}}", [ERROR]),
    ("// expected-error @below {{it is}}\nx // expected-error {{here}}", [ERROR, Diagnostic("note", 2, "here")]),
    ("// expected-error {it is}\nx", [ERROR]),
    ("\nx", [Diagnostic("note", 2, "first\nsecond"), Diagnostic("warning", 0, "third")]),
]


@pytest.mark.parametrize("only_expected", [False, True])
def test_what_came_and_what_did_not(only_expected: bool, golden: Callable[[Path, str], None]) -> None:
    lines: list[str] = []
    for text, diagnostics in SAID:
        errors = compare(text, Said("f.mlir", diagnostics), only_expected=only_expected)
        lines.append(f"== {text!r}: {[(each.kind, each.line, each.text) for each in diagnostics]}")
        sources = SourceMap()
        sources.add("f.mlir", text)
        lines += [Rejected(errors, sources=sources).render()] if errors else []
    name = "expected_only.txt" if only_expected else "expected_all.txt"
    golden(Path(__file__).with_name(name), "\n".join(lines))


HERE: Final = Span("f.mlir", 3, 2, 3, 5)
ELSEWHERE: Final = Span("g.mlir", 4, 0, 4, 1)


def test_errors_are_compared_with_all_that_they_say() -> None:
    error = NotIR(HERE, "this is none", "this")
    error.add(error.Related(Span("f.mlir", 7, 0, 7, 1), "and this"), error.Related(ELSEWHERE, "and that"))
    plain = PassFailed(None, "a-pass", "it failed")
    report = plain.report()
    notes = [Diagnostic("note", 0, text) for text in (*report.notes, *report.helps)]
    label = f": {report.label}" if report.label else ""
    assert diagnostics_of([error, plain], "f.mlir") == [
        Diagnostic("error", 3, "O501: this is none: this"),
        Diagnostic("note", 7, "and this"),
        Diagnostic("note", 0, "and that"),
        Diagnostic("error", 0, f"{report.code}: {report.title}{label}"),
        *notes,
    ]
    assert diagnostics_of([NotIR(ELSEWHERE, "none", "here")], "f.mlir")[0].line == 0


def test_warnings_are_noted_and_nobody_elses() -> None:
    said = Said("f.mlir")

    def work() -> None:
        with said.listening():
            warnings.warn_explicit("once", KernelWarning, "f.mlir", 5)
            warnings.warn_explicit("once", KernelWarning, "f.mlir", 5)
            warnings.warn_explicit("there", KernelWarning, "g.mlir", 6)
            warnings.warn_explicit("not ours", UserWarning, "f.mlir", 7)
        warnings.warn("after", KernelWarning, stacklevel=1)

    with pytest.warns(KernelWarning, match="after") as outside:
        work()
    assert [str(each.message) for each in outside] == ["after"]
    once = Diagnostic("warning", 5, "once")
    assert said.diagnostics == [once, once, Diagnostic("warning", 0, "there")]


def test_warnings_before_a_refusal_are_noted() -> None:
    said = Said("f.mlir")

    def refused() -> None:
        with said.listening():
            warnings.warn_explicit("first", KernelWarning, "f.mlir", 1)
            raise ValueError("refused")

    with pytest.raises(ValueError, match="refused"):
        refused()
    assert said.diagnostics == [Diagnostic("warning", 1, "first")]
