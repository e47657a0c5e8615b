"""Files use only what stands below them, and functions are short enough to read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WITHOUT_CYCLES = ("frontend", "passes", "backend", "dialects/ownership")
"""Rooms in which no files import one another in a circle, imports in functions and for type checkers counted."""

SHORT = ("dialects/ownership", "support")
"""Rooms in which a function has at most `LONGEST` lines."""

LONGEST = 60


def modules_of(room: str, root: Path = ROOT) -> dict[str, Path]:
    """The files of a room by the names under which they are imported."""
    paths = (root / room).rglob("*.py")
    found = {path: ["freehold", *path.relative_to(root).with_suffix("").parts] for path in paths}
    return {".".join(parts[:-1] if parts[-1] == "__init__" else parts): path for path, parts in found.items()}


def imported(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The files of the same room that a file imports, wherever it does so."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in known else node.module for name in inner]
        else:
            continue
        yield from (name for name in names if name in known and known[name] != path)


def circles(room: str, root: Path = ROOT) -> list[list[str]]:
    """The strongly connected components of more than one file: Tarjan's algorithm."""
    known = modules_of(room, root)
    uses = {name: sorted(set(imported(path, known))) for name, path in known.items()}
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        number[name] = lowest[name] = len(number)
        open_.append(name)
        for other in uses[name]:
            if other not in number:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in open_:
                lowest[name] = min(lowest[name], number[other])
        if lowest[name] == number[name]:
            start = open_.index(name)
            if len(open_) - start > 1:
                found.append(sorted(open_[start:]))
            del open_[start:]

    for name in sorted(uses):
        if name not in number:
            visit(name)
    return found


@pytest.mark.parametrize("room", WITHOUT_CYCLES)
def test_no_files_import_one_another_in_a_circle(room: str) -> None:
    assert modules_of(room)
    assert circles(room) == []


def test_circles_are_found(tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    (room / "a.py").write_text("from freehold.room import b\n")
    (room / "b.py").write_text("def f():\n    from freehold.room.c import g\n")
    (room / "c.py").write_text("if TYPE_CHECKING:\n    import freehold.room.a\n")
    (room / "d.py").write_text("import freehold.room.a\n")
    assert circles("room", tmp_path) == [["freehold.room.a", "freehold.room.b", "freehold.room.c"]]


def long_functions(path: Path) -> Iterator[tuple[str, int]]:
    """The functions of a file that have more lines than they may, decorators left out."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            lines = node.end_lineno - node.lineno + 1
            if lines > LONGEST:
                yield node.name, lines


@pytest.mark.parametrize("room", SHORT)
def test_functions_are_short_enough_to_read(room: str) -> None:
    wrong = {
        f"{path.relative_to(ROOT)}:{name}": lines
        for path in sorted((ROOT / room).rglob("*.py"))
        for name, lines in long_functions(path)
    }
    assert wrong == {}


def test_long_functions_are_found(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text("def f():\n" + "    pass\n" * LONGEST)
    assert list(long_functions(path)) == [("f", LONGEST + 1)]
