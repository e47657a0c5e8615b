"""Freehold's diagnostics as those of the language server protocol: places in UTF-16, and edits that are ready."""

from __future__ import annotations

import pytest

pytest.importorskip("pygls", reason="the extra `lsp` is not installed")

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from lsprotocol import types as lsp

import freehold as fh
from freehold.support.diagnostic import Error
from freehold.support.span import Span
from freehold.tools.lsp import protocol
from freehold.tools.lsp.mlir_document import MlirDocument
from freehold.tools.lsp.protocol import actions, column, diagnostic, path_of, range_of, utf16

FILE = "edited.py"
TEXT = """import freehold as fh
from freehold import Out, Ref

@fh.kernel
def kernel(y: Out["N"], x: Ref["N"]):
    if y.index[0] >= 0:
        t = (1 +
             fh.square(x.load_like(y)))
    y.store(fh.std(x.load_like(y) + 𝔸))
"""

GRIDS = """ownership.kernel @grids(%y: !ownership.tensor<[256], f32>, %z: !ownership.tensor<[256], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[256], f32> -> !ownership.partition<mut tile [64], [256], f32>
  %q = ownership.partition %z : !ownership.tensor<[256], f32> -> !ownership.partition<mut tile [32], [256], f32>
  ownership.distribute %p, %q
    : !ownership.partition<mut tile [64], [256], f32>, !ownership.partition<mut tile [32], [256], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}
"""


@pytest.mark.parametrize(("text", "units"), [("", 0), ("abc", 3), ("äß", 2), ("𝔸", 2), ("a𝔸b", 4)])
def test_the_protocol_counts_units_of_utf16(text: str, units: int) -> None:
    assert utf16(text) == units
    assert column(text + "tail", units) == len(text)


def test_the_middle_of_a_pair_is_the_character_before_it() -> None:
    assert [column("a𝔸b", units) for units in range(6)] == [0, 1, 1, 2, 3, 3]


RANGES = [
    (Span("f", 1, 0, 1, 2), (0, 0, 0, 2)),
    (Span("f", 2, 1, 2, 3), (1, 2, 1, 4)),
    (Span("f", 1, 1, 2, 2), (0, 1, 1, 3)),
    (Span("f", 3, 2, 3, 9), (2, 0, 2, 0)),
    (Span("f", 9, 2, 9, 4), (8, 0, 8, 0)),
]


@pytest.mark.parametrize(("span", "wanted"), RANGES, ids=[str(wanted) for _, wanted in RANGES])
def test_spans_as_ranges(span: Span, wanted: tuple[int, int, int, int]) -> None:
    found = range_of(span, ["abc", "𝔸bcd", ""])
    assert (found.start.line, found.start.character, found.end.line, found.end.character) == wanted


def test_names_of_documents() -> None:
    assert path_of("file:///a/b%20c.py") == "/a/b c.py"
    assert path_of("untitled:1") == "untitled:1"


@pytest.fixture(scope="module")
def errors() -> list[Error]:
    """Those of the kernel, which ask for edits with and without statements ahead."""
    text = TEXT.replace("𝔸", "1")
    fh.register_source(FILE, text)
    names: dict[str, Any] = {}
    exec(compile(text, FILE, "exec"), names)
    with pytest.raises(fh.Rejected) as caught:
        names["kernel"].verify(fh.partition(np.ones(8, np.float32), 8), np.ones(8, np.float32))
    return list(caught.value.errors)


def test_an_error_at_its_place(errors: list[Error]) -> None:
    found = diagnostic(errors[0], FILE, TEXT.split("\n"))
    assert found.code == errors[0].code
    assert found.source == "freehold"
    assert found.severity == lsp.DiagnosticSeverity.Error
    assert found.range.start.line == 7
    assert found.message.split("\n")[0].startswith("the module `freehold` has no attribute `square`: ")
    assert "\nhelp: " in found.message
    assert found.related_information is None
    elsewhere = diagnostic(errors[0], "another.py", TEXT.split("\n"))
    assert elsewhere.range == lsp.Range(lsp.Position(0, 0), lsp.Position(0, 1))


def within(first: int, last: int) -> lsp.Range:
    return lsp.Range(lsp.Position(first, 0), lsp.Position(last, 0))


def offered(errors: list[Error], first: int, last: int) -> list[str]:
    return [each.title for each in actions(errors, "file:///edited.py", FILE, TEXT, within(first, last))]


def test_edits_are_offered_where_their_error_is_touched(errors: list[Error]) -> None:
    square, std = offered(errors, 7, 7), offered(errors, 8, 8)
    assert len(square) == len(std) == 1
    assert square == ["`x.load_like(y) * x.load_like(y)`"]
    assert offered(errors, 0, 6) == []
    assert offered(errors, 9, 12) == []
    assert offered(errors, 0, 7) == square
    assert offered(errors, 8, 12) == std
    assert offered(errors, 0, 12) == [*square, *std]
    assert [*actions(errors, "file:///edited.py", "another.py", TEXT, within(0, 12))] == []


def test_statements_ahead_stand_in_front_of_the_innermost_statement(errors: list[Error]) -> None:
    (made,) = actions(errors, "file:///edited.py", FILE, TEXT, within(8, 8))
    assert made.kind == lsp.CodeActionKind.QuickFix
    assert made.diagnostics is not None
    assert [each.range.start.line for each in made.diagnostics] == [8]
    assert made.edit is not None
    assert made.edit.changes is not None
    ahead, edit = made.edit.changes["file:///edited.py"]
    assert ahead.range == lsp.Range(lsp.Position(8, 0), lsp.Position(8, 0))
    assert ahead.new_text.startswith("    d = ")
    assert ahead.new_text.count("\n") == 1
    assert (edit.range.start.line, edit.range.start.character) == (8, 12)


STATEMENTS = [(1, 1), (4, 4), (5, 5), (6, 6), (7, 7), (8, 7), (9, 9), (3, 3), (12, 12)]


@pytest.mark.parametrize(("line", "first"), STATEMENTS)
def test_the_innermost_statement_of_a_line(line: int, first: int) -> None:
    statement: Callable[[str, int], int] = protocol._statement  # pyright: ignore[reportPrivateUsage]
    assert statement(TEXT.replace("𝔸", "1"), line) == first
    assert statement("no python (", line) == line


def test_what_belongs_to_an_error_is_shown_at_its_places(tmp_path: Path) -> None:
    file = str(tmp_path / "k.mlir")
    (error,) = MlirDocument(file).update(GRIDS)
    found = diagnostic(error, file, GRIDS.split("\n")).related_information or []
    assert [(path_of(i.location.uri), i.location.range.start.line, i.message) for i in found] == [
        (file, 1, "`y` is partitioned here"),
        (file, 2, "`z` is partitioned here"),
    ]
    assert diagnostic(MlirDocument("k.mlir").update(GRIDS)[0], "k.mlir", []).related_information is None
