"""
The English of every error as a user sees it, on sample values: one golden file a code in `wording/`.

That a program is refused with the error is tested where the error is raised. Here all of its parts stand together, so
that the wording can be read, and changes, as a whole.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from freehold.support.diagnostic import Error, Help, Label, Note
from freehold.support.render import render
from freehold.support.report import Argument
from freehold.support.span import SourceMap, Span
from freehold.tools.explain import error_classes, parts_of

ERRORS = error_classes()
FOLDER = Path(__file__).with_name("wording")
SOURCE = "def kernel(y, x):\n    y.store(x.load())\n"
PLACE = Span.on_line("k.py", 2, 4, 21)
ELSEWHERE = Span.on_line("k.py", 1, 11, 12)
SAMPLES: dict[str, object] = {"int": 7, "float": 0.5, "bool": True, "tuple[int, ...]": (4, 8)}
"""A value of each type of field; a text is its field's name."""


def sample(kind: type[Error] | type[Label] | type[Note] | type[Help]) -> list[object]:
    """Values for the fields of a class, in order."""
    values: list[object] = []
    for field in dataclasses.fields(kind):
        if field.name in ("place", "span", "at") or not field.init:
            continue
        name = field.name.replace("_", " ").upper()
        values.append({"str": name, "tuple[str, ...]": (name, name), **SAMPLES}[str(field.type)])
    return values


def example(kind: type[Error]) -> Error:
    """An error with every part that it can have, where it can stand: in the source if it has a label, else at none."""
    place = PLACE if kind.label or any(issubclass(part, Label) for part in parts_of(kind)) else None
    error = kind(place, *sample(kind))
    for part in parts_of(kind):
        span = [ELSEWHERE] if issubclass(part, Label) else []
        error.add(part(*span, *sample(part)))
    return error


@pytest.mark.parametrize("code", ERRORS)
def test_wording(code: str, golden: Callable[[Path, str], None]) -> None:
    sources = SourceMap()
    sources.add("k.py", SOURCE)
    golden(FOLDER / f"{code}.txt", render(example(ERRORS[code]).report(), sources))


def test_there_is_no_wording_of_an_error_that_is_gone() -> None:
    assert {path.stem for path in FOLDER.iterdir()} <= set(ERRORS)


def test_an_argument_is_a_place_for_every_error() -> None:
    for kind in ERRORS.values():
        error = dataclasses.replace(example(kind), place=Argument("x", "k"))
        assert " --> argument `x` of `k`" in render(error.report())
