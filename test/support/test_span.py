"""Spans: from syntax nodes, through dedenting and inlining, and to their text."""

from __future__ import annotations

import ast
import linecache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from freehold.support.sources import register_source
from freehold.support.span import SourceMap, Span, byte_column, char_column


def test_columns_of_a_node_are_characters() -> None:
    text = "x = 'é日' + foo(bar)"
    call = next(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    span = Span.of_node(call, "k.py", [text])
    assert text[span.start : span.end] == "foo(bar)"
    assert (span.line, span.end_line) == (1, 1)


def test_a_dedented_function_keeps_its_place_in_the_file() -> None:
    file = "class A:\n    def f(x):\n        return g(\n            x)\n"
    lines = ["def f(x):", "    return g(", "        x)"]
    call = next(node for node in ast.walk(ast.parse("\n".join(lines))) if isinstance(node, ast.Call))
    span = Span.of_node(call, "k.py", lines, first_line=2, indent=4)
    whole = file.splitlines()
    assert whole[span.line - 1][span.start :] == "g("
    assert whole[span.end_line - 1][: span.end] == "            x)"
    assert str(span) == "k.py:3:16"


def test_a_node_without_a_position_is_refused() -> None:
    with pytest.raises(TypeError, match="Module"):
        Span.of_node(ast.parse("x"), "k.py", ["x"])


def test_inlining_nests_outwards() -> None:
    inner, middle, outer = (Span.on_line("k.py", line, 0, 1) for line in (1, 2, 3))
    span = inner.inlined_at(middle).inlined_at(outer)
    assert span.call_site == middle.inlined_at(outer)
    assert span.call_site is not None
    assert span.call_site.call_site == outer


def test_a_range_stays_in_one_file() -> None:
    first, last = Span.on_line("k.py", 1, 2, 3), Span.on_line("k.py", 4, 5, 6)
    assert first.to(last) == Span("k.py", 1, 2, 4, 6)
    with pytest.raises(ValueError, match=r"other\.py"):
        first.to(Span.on_line("other.py", 4, 5, 6))


@given(st.text(st.characters(exclude_categories=["Cs"])), st.data())
def test_byte_and_character_columns_are_inverse(line: str, data: st.DataObject) -> None:
    column = data.draw(st.integers(0, len(line)))
    assert char_column(line, byte_column(line, column)) == column


def test_text_comes_from_the_map_then_from_python(tmp_path: Path) -> None:
    on_disk = tmp_path / "k.py"
    on_disk.write_text("a\r\nb\n")
    register_source("<cell 7>", "c\nd")
    try:
        sources = SourceMap()
        assert sources.lines(str(on_disk)) == ["a", "b"]
        assert sources.lines("<cell 7>") == ["c", "d"]
        assert sources.lines(str(tmp_path / "gone.py")) is None
        assert sources.lines("null\0byte.py") is None
        sources.add(str(on_disk), "e\n")
        assert sources.lines(str(on_disk)) == ["e"]
    finally:
        linecache.cache.pop("<cell 7>", None)
