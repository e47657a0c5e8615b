"""Errors as data: what they and their parts consist of cannot be changed, and each says its fields in its text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields, is_dataclass

import pytest

from freehold.support import diagnostic
from freehold.support.diagnostic import Error, Help, Label, Note
from freehold.support.span import Span

HERE = Span("file.py", 1, 0, 1, 4)


class Wrong(Error):
    """Something is wrong."""

    code = "O999"
    title = "`{name}` is wrong"
    name: str

    class Because(Note):
        """Why."""

        text = "`{name}` is {why}"
        why: str

    class Instead(Help):
        """What to write."""

        text = "write `{edit}`"
        edit: str


def parts() -> Iterator[object]:
    yield from (Wrong(HERE, name="x"), Wrong.Because(why="new"), Wrong.Instead(edit="y"))


@pytest.mark.parametrize("part", [*parts()], ids=lambda part: type(part).__name__)
def test_what_is_said_cannot_be_changed(part: object) -> None:
    assert is_dataclass(part)
    for each in fields(part):
        with pytest.raises(FrozenInstanceError):
            setattr(part, each.name, "other")


def test_kinds_of_parts_are_dataclasses() -> None:
    for kind in (Label, Note, Help):
        assert is_dataclass(kind)
    assert [field.name for field in fields(Label)] == ["span"]


def test_texts_are_filled_in() -> None:
    error = Wrong(HERE, name="x")
    report = error.add(error.Because(why="new"), error.Instead(edit="y")).report()
    assert (report.code, report.title) == ("O999", "`x` is wrong")
    assert [*report.notes] == ["`x` is new"]
    assert [*report.helps] == ["write `y`"]
    assert diagnostic.Error is Error
