"""The manual page of an error, word by word, and the command that prints pages."""

from __future__ import annotations

import pytest

from freehold.support.diagnostic import Error, Help, Label, Note
from freehold.tools.explain import error_classes, main, page


class Torn(Error):
    """
    A sheet is torn.

    It was pulled.
    """

    code = "O998"
    title = "`{sheet_name}` is torn {{here}}"
    label = "pulled by {who}"
    notes = ("sheets of {width} mm tear",)
    helps = ("pull less",)
    sheet_name: str
    who: str
    width: int

    class Before(Label):
        """Where it was whole."""

        text = "whole until {hour}"
        hour: str

    class Weighs(Note):
        """Its weight."""

        text = "it weighs {weight} g"
        weight: int

    class Glue(Help):
        """How to mend it."""

        text = "glue it: `{edit}`"
        edit: str


def test_a_page_says_all_that_an_error_may() -> None:
    assert page(Torn) == (
        "# O998: `<sheet name>` is torn {here}\n\nA sheet is torn.\n\nIt was pulled.\n\n## What is said\n\n"
        "- error: `<sheet name>` is torn {here}\n- at that place: pulled by <who>\n- elsewhere: whole until <hour>\n"
        "- note: it weighs <weight> g\n- note: sheets of <width> mm tear\n"
        "- help: glue it: `<edit>`\n- help: pull less\n"
    )


def test_a_label_that_says_nothing_is_left_out() -> None:
    class Plain(Torn):
        """Nothing is said there."""

        label = ""

    assert "at that place" not in page(Plain)


def test_pages_are_printed_for_codes(capsys: pytest.CaptureFixture[str]) -> None:
    errors = error_classes()
    first, second = [*errors][:2]
    assert main([first.lower(), second]) == 0
    assert capsys.readouterr().out == f"{page(errors[first])}\n{page(errors[second])}\n"
    assert main([first, "O000", second]) == 2
    said = capsys.readouterr()
    assert said.out == f"{page(errors[first])}\n"
    assert said.err == "error: there is no error O000; `python -m freehold.tools.explain` lists all\n"


def test_all_errors_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines] == [*error_classes()]
    assert all(len(line) > len("O000  ") for line in lines)
