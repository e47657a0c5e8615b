"""What every committed file is held to."""

from __future__ import annotations

import ast
import os
import re
from collections import Counter
from pathlib import Path

import pytest
from trees import nodes_of

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("support", "dialects", "frontend", "passes", "backend", "runtime", "audit", "tools", "kernels")
LONGEST = 700
"""Lines that a Python file may have; a file that grows past this has become two files."""
LONGEST_IN = {"runtime": 600}
"""The same for rooms that have come further."""
LONGEST_FUNCTION = 60
"""Lines that a function of the rooms may have."""

# Spelled in pieces, so that this file keeps its own rules.
FORBIDDEN = {
    "a path of one machine": re.compile(
        r"(?<![\w.])/(?:ro" r"ot|ho" r"me/\w+|wo" r"rk|Us" r"ers/\w+)/|[A-Z]:\\Us" r"ers"
    ),
    "something left to do": re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b"),
    "a conflict of a merge": re.compile(r"^(?:<<<<" r"<<<|>>>>" r">>>)", re.MULTILINE),
}


def texts(paths: list[Path]) -> dict[Path, str]:
    found: dict[Path, str] = {}
    for path in paths:
        try:
            found[path] = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:  # a binary fixture
            continue
    return found


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_has(what: str, tracked: list[Path]) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: {match.group()}"
        for path, text in texts(tracked).items()
        for match in FORBIDDEN[what].finditer(text)
    ]
    assert not wrong


def test_files_are_short_enough_to_read(tracked: list[Path]) -> None:
    wrong = {
        str(path.relative_to(ROOT)): lines
        for path, text in texts(tracked).items()
        if path.suffix in (".py", ".c", ".h")
        and (lines := text.count("\n")) > LONGEST_IN.get(path.relative_to(ROOT).parts[0], LONGEST)
    }
    assert not wrong


def test_functions_are_short_enough_to_read(tracked: list[Path]) -> None:
    long: dict[str, int] = {}
    for path, text in texts([path for path in tracked if path.suffix == ".py"]).items():
        if path.relative_to(ROOT).parts[0] in ROOMS:
            for node in nodes_of(text).functions:
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > LONGEST_FUNCTION:
                    long[f"{path.relative_to(ROOT)} {node.name}"] = lines
    assert not long


def test_every_python_file_says_what_it_is(tracked: list[Path]) -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for path, text in texts(tracked).items()
        if path.suffix == ".py"
        and "rejected" not in path.parts  # programs that are refused, as a user would write them
        and text.strip()
        and not text.lstrip().startswith(('"""', 'r"""', "#!"))
    ]
    assert not wrong


def test_what_tests_import_of_one_another_has_a_name_of_its_own(tracked: list[Path]) -> None:
    """Their folders all are where modules are looked for, and which is found first depends on what else is run."""
    files = {
        path: text for path, text in texts(tracked).items() if path.suffix == ".py" and ROOT / "test" in path.parents
    }
    named = Counter(path.stem for path in files if path.stem not in ("conftest", "__init__"))
    wrong: set[str] = set()
    for path, text in files.items():
        for node in nodes_of(text).imports:
            inside = isinstance(node, ast.ImportFrom) and (node.level > 0 or node.module is None)
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            wrong |= {f"{path.relative_to(ROOT)}: {module}" for module in modules if not inside and named[module] > 1}
    assert named["trees"] == 1
    assert not wrong


def test_tests_and_their_texts_are_named_one_way(tracked: list[Path]) -> None:
    """In lower case and with underscores, as modules are; in front, where there is one, an error's code."""
    named = re.compile(r"(?:O\d{3}(?=[_.]))?[._a-z0-9]*")
    below = [path.relative_to(ROOT / "test") for path in tracked if ROOT / "test" in path.parents]
    assert not [str(path) for path in below if not all(map(named.fullmatch, path.parts))]


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_is_linked_into_the_package(room: str) -> None:
    link = ROOT / "src" / "freehold" / room
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout: sdists have no links")
    assert link.is_symlink()
    assert os.readlink(link) == f"../../{room}"
    assert link.samefile(ROOT / room)


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_is_packaged(room: str) -> None:
    import tomllib

    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    assert room in build["wheel"]["only-include"]
    assert build["wheel"]["sources"][room] == f"freehold/{room}"
    assert room in build["sdist"]["only-include"]


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_cannot_be_imported_twice(room: str) -> None:
    text = (ROOT / room / "__init__.py").read_text()
    assert f'if __name__ != "freehold.{room}":' in text
