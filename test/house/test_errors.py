"""What every error class is held to: a code, a text that fits its fields, a page, a golden."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from string import Formatter

import pytest

from freehold.support.diagnostic import Error, Help, Label, Note
from freehold.support.report import Argument
from freehold.tools.error_pages import GROUPS, pages
from freehold.tools.explain import ROOMS, error_classes, parts_of

ROOT = Path(__file__).resolve().parents[2]
ERRORS = error_classes()
PAGES = pages()
ROOM_OF = {
    "O0": {"frontend", "support"},  # and how functions are called
    "O1": {"passes"},
    "O2": {"runtime"},
    "O3": {"passes"},
    "O4": {"backend"},
    "O5": {"tools", "runtime"},  # tools and the interpreter
}


def templates(kind: type[Error]) -> list[tuple[str, type[object] | None]]:
    """Every text with the nested class it is of, if any."""
    own = [kind.title, kind.label, *kind.notes, *kind.helps]
    return [*((text, None) for text in own), *((part.text, part) for part in parts_of(kind))]


def fields_of(kind: type[object]) -> set[str]:
    """Names a template may use: fields and properties."""
    properties = {name for base in kind.__mro__ for name, value in vars(base).items() if isinstance(value, property)}
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    return properties | {field.name for field in fields}


@pytest.mark.parametrize("code", ERRORS)
def test_the_code_belongs_to_the_room(code: str) -> None:
    kind = ERRORS[code]
    assert re.fullmatch(r"O\d{3}", code)
    assert code[:2] in GROUPS
    assert kind.__module__.split(".")[1] in ROOM_OF[code[:2]]


@pytest.mark.parametrize("code", ERRORS)
def test_texts_name_only_fields_there_are(code: str) -> None:
    kind = ERRORS[code]
    for text, part in templates(kind):
        known = fields_of(kind) | (fields_of(part) if part is not None else set[str]())
        used = {name.split(".")[0].split("[")[0] for _, name, _, _ in Formatter().parse(text) if name is not None}
        assert used <= known, f"{kind.__name__}: {text}"


@pytest.mark.parametrize("code", ERRORS)
def test_texts_are_written_as_the_others(code: str) -> None:
    kind = ERRORS[code]
    assert kind.__doc__, f"{kind.__name__} has no page"
    assert not kind.__doc__.startswith(f"{kind.__name__}("), f"{kind.__name__} has no docstring of its own"
    for text, _ in templates(kind):
        if text:
            assert not text.endswith("."), f"no period: {text}"
            assert (
                not text[0].isupper() or text.split()[0].isupper() or text.startswith(("Tile ", "CUDA ", "Python "))
            ), f"begin in lower case: {text}"


@pytest.mark.parametrize("code", ERRORS)
def test_classes_are_frozen_with_all_their_parts(code: str) -> None:
    for kind in (ERRORS[code], *parts_of(ERRORS[code])):
        parameters = getattr(kind, "__dataclass_params__", None)
        assert "__dataclass_params__" in vars(kind), f"{kind.__qualname__} is no dataclass"
        assert parameters is not None
        assert parameters.frozen


@pytest.fixture(scope="module")
def written_down(tracked: list[Path]) -> set[str]:
    """How every error begins that is written down as some program's author sees it."""
    golden = [path for path in tracked if path.suffix in (".err", ".txt", ".mlir") and "test" in path.parts]
    golden = [path for path in golden if path.parent.name != "wording"]  # those have no program
    return {found for path in golden for found in re.findall(r"\w+\[O\d{3}\]: ", path.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("code", ERRORS)
def test_there_is_a_golden(code: str, written_down: set[str]) -> None:
    assert f"{ERRORS[code].severity}[{code}]: " in written_down


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_up_to_date(name: str) -> None:
    path = ROOT / "docs" / "errors" / name
    assert path.exists(), "run `make docs`"
    assert path.read_text(encoding="utf-8") == PAGES[name], "run `make docs`"


def test_there_is_no_page_of_an_error_that_is_gone() -> None:
    assert {path.name for path in (ROOT / "docs" / "errors").iterdir()} == set(PAGES)


def test_errors_are_defined_where_they_are_looked_for() -> None:
    defined = {kind for kind in all_subclasses(Error) if kind.__module__.startswith("freehold.")}
    assert {kind for kind in defined if "code" in vars(kind)} <= set(ERRORS.values())


def test_codes_stand_in_modules_of_errors() -> None:
    """Others are not imported by what lists errors, and a code of theirs could be another's, too."""
    sources = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    sources.remove(ROOT / "support" / "diagnostic.py")  # whose docstring shows one
    coded = [path for path in sources if re.search(r'code: ClassVar\[str\] = "O', path.read_text(encoding="utf-8"))]
    assert len(coded) > 10
    assert [path for path in coded if "errors" not in (path.stem, path.parent.name)] == []


def all_subclasses(kind: type[Error]) -> set[type[Error]]:
    below = set(kind.__subclasses__())
    return below.union(*(all_subclasses(each) for each in below)) if below else below


def test_parts_without_an_error_say_nothing() -> None:
    """The bases themselves have no text: only a class that fills it in can be added."""
    assert not any(hasattr(base, "text") for base in (Label, Note, Help))
    assert str(Argument("x", "k")) == "argument `x` of `k`"
