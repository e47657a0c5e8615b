"""Files use only what stands below them, and functions are short enough to read."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from trees import nodes_of

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = (
    "base", "errors", "gpu", "memory", "operations", "variants", "launch", "interop", "scheduling", "interpreter",
    "jit", "arrays", "foreign", "deploy", "show",
)  # fmt: skip
"""The rooms inside `runtime/`, the lowest first: each may use those before it."""

WITHOUT_CYCLES = (
    "frontend", "passes", "backend", "dialects/ownership", "support", "audit", "tools", "kernels",
    *(f"runtime/{room}" for room in RUNTIME if room != "interpreter"),
)  # fmt: skip
"""Rooms in which no files import one another in a circle, imports in functions and for type checkers counted."""

SHORT = ("dialects/ownership", "support")
"""Rooms in which a function has at most `LONGEST` lines."""

LONGEST = 60


def modules_of(room: str, root: Path = ROOT) -> dict[str, Path]:
    """The files of a room by the names under which they are imported."""
    paths = (root / room).rglob("*.py")
    found = {path: ["freehold", *path.relative_to(root).with_suffix("").parts] for path in paths}
    return {".".join(parts[:-1] if parts[-1] == "__init__" else parts): path for path, parts in found.items()}


def imported(path: Path, known: dict[str, Path], lazy: bool = False) -> Iterator[str]:
    """The files of the same room that a file imports, wherever it does so; also those that are `lazy`, if asked for."""
    inside = nodes_of(path.read_text(encoding="utf-8"))
    names = list(inside.lazy) if lazy else []
    for node in inside.imports:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif node.module is not None:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names += [name if name in known else node.module for name in inner]
    return (name for name in names if name in known and known[name] != path)


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


def room_of(name: str) -> str:
    """The room inside `runtime/` that a file is in; empty for `runtime/__init__.py`, which is above all of them."""
    return [*name.split("."), ""][2]


def against(order: tuple[str, ...], root: Path = ROOT) -> list[str]:
    """The imports inside `runtime/` that do not go down."""
    known = modules_of("runtime", root)
    height = {room: n for n, room in enumerate((*order, ""))}
    return [
        f"{name} -> {other}"
        for name, path in known.items()
        for other in sorted(set(imported(path, known, lazy=True)))
        if height[room_of(name)] < height[room_of(other)]
    ]


def test_rooms_of_the_runtime_use_only_those_below_them() -> None:
    assert {room_of(name) for name in modules_of("runtime")} == {*RUNTIME, ""}
    assert against(RUNTIME) == []


def test_imports_that_go_up_are_found(tmp_path: Path) -> None:
    for room, text in {"low": "from freehold.runtime.high import x\n", "high": "import freehold.runtime.low\n"}.items():
        (tmp_path / "runtime" / room).mkdir(parents=True)
        (tmp_path / "runtime" / room / "__init__.py").write_text(text)
    assert against(("low", "high"), tmp_path) == ["freehold.runtime.low -> freehold.runtime.high"]


# --- The picture of the runtime ---------------------------------------------------------------------------------------


def reduced(edges: dict[str, set[str]]) -> dict[str, set[str]]:
    """The edges of a graph without cycles that do not follow from others."""

    def reach(node: str) -> set[str]:
        return {node}.union(*map(reach, edges[node]))

    return {
        node: {o for o in others if not any(o in reach(p) for p in others if p != o)} for node, others in edges.items()
    }


def picture() -> str:
    """The runtime as Mermaid's text: its rooms and who uses whom, and the same of the files of each."""
    known = modules_of("runtime")
    uses = {name: set(imported(path, known, lazy=True)) for name, path in known.items()}
    rooms: dict[str, set[str]] = {room: set() for room in RUNTIME}
    files: dict[str, dict[str, set[str]]] = {room: {} for room in RUNTIME}
    for name, others in uses.items():
        room = room_of(name)
        if room and name.count(".") > 2:
            files[room][name] = {o for o in others if room_of(o) == room and o.count(".") > 2}
            rooms[room] |= {room_of(other) for other in others} - {room}
    lines = ["```mermaid", "flowchart TD"]
    lines += [f"    {a} --> {b}" for a, others in reduced(rooms).items() for b in sorted(others)]
    for room in RUNTIME:
        if room in ("errors", "interpreter"):  # many files of a kind
            continue
        found = reduced(files[room])
        lines.append(f"    subgraph in_{room} [{room}]")
        for a, others in sorted(found.items()):
            ends = [f" --> {room}.{b.rpartition('.')[2]}" for b in sorted(others)] or [""]
            lines += [f"        {room}.{a.rpartition('.')[2]}{end}" for end in ends]
        lines.append("    end")
    return "\n".join([*lines, "```"])


def test_the_page_has_the_picture_of_the_runtime(golden: Callable[[Path, str], None]) -> None:
    page = ROOT / "docs" / "layout.md"
    block = re.compile(r"<!-- picture of runtime -->\n.*?<!-- end -->", re.DOTALL)
    shown = f"<!-- picture of runtime -->\n\n{picture()}\n\n<!-- end -->"
    golden(page, block.sub(lambda _: shown, page.read_text(encoding="utf-8")))


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
    for node in nodes_of(path.read_text(encoding="utf-8")).functions:
        if node.end_lineno is not None:
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
