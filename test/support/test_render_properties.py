"""Whatever the source and the spans: the renderer draws something, and its carets stand under the text they mean."""

from __future__ import annotations

from typing import ClassVar

from hypothesis import given
from hypothesis import strategies as st

from freehold.support.diagnostic import Error, Label
from freehold.support.render import WIDEST, columns, render
from freehold.support.span import SourceMap, Span

LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"))
SHORT = st.text(st.characters(categories=["L", "N", "P", "Zs", "Mn"]), min_size=1, max_size=WIDEST // 2)


class Marked(Error):
    """Used by these tests alone."""

    code: ClassVar[str] = "O999"
    title: ClassVar[str] = "title"
    label: ClassVar[str] = "!"

    class Other(Label):
        text: ClassVar[str] = "says {number}!"
        number: int


@st.composite
def spans(draw: st.DrawFn, lines: int) -> Span:
    """Spans in or near a text of so many lines, some past its end."""
    line, end_line = sorted(draw(st.tuples(st.integers(1, lines + 2), st.integers(1, lines + 2))))
    start, end = draw(st.tuples(st.integers(0, 60), st.integers(0, 60)))
    if line == end_line:
        start, end = sorted((start, end))
    return Span(draw(st.sampled_from(["a.py", "b.py", "gone.py"])), line, start, end_line, end)


@given(st.lists(LINES, max_size=8), st.data())
def test_anything_can_be_drawn(lines: list[str], data: st.DataObject) -> None:
    sources = SourceMap()
    sources.add("a.py", "\n".join(lines))
    sources.add("b.py", "\n".join(reversed(lines)))
    error = Marked(data.draw(spans(len(lines))))
    more = data.draw(st.lists(spans(len(lines)), max_size=4))
    text = render(error.add(*(error.Other(span, number) for number, span in enumerate(more))).report(), sources)
    assert text.startswith("error[O999]: title\n")
    assert all(not line.endswith(" ") for line in text.splitlines())
    for number in range(len(more)):
        assert f"says {number}!" in text  # no label is lost


@given(SHORT, st.data())
def test_carets_stand_under_the_text(line: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(line) - 1))
    end = data.draw(st.integers(start + 1, len(line)))
    sources = SourceMap()
    sources.add("a.py", line)
    shown = render(Marked(Span.on_line("a.py", 1, start, end)).report(), sources).splitlines()
    source, carets = shown[3][len("1 | ") :], shown[4][len("  | ") :]
    assert line.startswith(source.rstrip())
    assert len(carets) - len(carets.lstrip()) == columns(line[:start])
    assert carets.count("^") == max(1, columns(line[start:end]))
