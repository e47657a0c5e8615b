"""Who may import whom, among the rooms and beyond them."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest
from trees import nodes_of

ROOT = Path(__file__).resolve().parents[2]
MAY_IMPORT = {
    "support": set[str](),
    "dialects": {"support"},
    "frontend": {"support", "dialects"},
    "passes": {"support", "dialects"},
    "backend": {"support", "dialects"},
    "runtime": {"support", "dialects", "frontend", "passes", "backend"},
    "audit": {"support", "dialects", "passes", "backend", "runtime"},
    "tools": {"support", "dialects", "frontend", "passes", "backend", "runtime", "audit"},
    "engine": {"kernels"},  # what users have, and the library
    "kernels": set[str](),  # what users have: the names of `freehold` alone
}
"""The rooms, and what each may use beside itself."""

ONLY_IN = {
    "cuda": ("runtime/gpu/driver.py", "backend/cache.py"),
    "numpy": (
        "runtime/*",
        "audit/*",
        "engine/*",
        "tools/tile_run.py",
        "tools/record.py",
    ),  # tile-run makes and prints arrays, as a user would; so does the engine
    "ml_dtypes": ("runtime/*",),
    "z3": ("passes/*",),
    "xdsl": ("dialects/*", "frontend/*", "passes/*", "backend/*", "runtime/*", "audit/*", "tools/*"),
    "subprocess": (
        *("backend/assembler.py", "tools/build_native.py", "tools/mlir_bridge.py", "tools/commands.py"),
        "runtime/launch/preparing.py",  # Python by itself, which compiles beside this process
    ),
}
"""Packages that only certain files may import. `backend/cache.py` may have no more of cuda than its program cache."""


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_types_of_a_room_are_checked(room: str):
    """basedpyright leaves out links that it comes upon, so that each has to be named."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pyright"]
    assert f"src/freehold/{room}" in settings["include"]


def files_of(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of every import, wherever it stands in the file."""
    for node in nodes_of(path.read_text(encoding="utf-8")).imports:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        else:
            base = "." * node.level + (node.module or "")
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_rooms_import_only_what_is_below_them(room: str) -> None:
    assert files_of(room)
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in files_of(room)
        for line, name in imports_of(path)
        if name.startswith("freehold.") and name.split(".")[1] in MAY_IMPORT.keys() - MAY_IMPORT[room] - {room}
    ]
    assert not wrong, f"{room} may import {sorted(MAY_IMPORT[room]) or 'nothing of ours'}"


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_imports_are_absolute_and_through_the_package(room: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in files_of(room)
        for line, name in imports_of(path)
        if name.startswith(".") or name.split(".")[0] in MAY_IMPORT
    ]
    assert not wrong


@pytest.mark.parametrize("package", ONLY_IN)
def test_packages_are_imported_where_they_belong(package: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for room in MAY_IMPORT
        for path in files_of(room)
        for line, name in imports_of(path)
        if name.split(".")[0] == package
        and not any(fnmatch(path.relative_to(ROOT).as_posix(), pattern) for pattern in ONLY_IN[package])
    ]
    assert not wrong, f"{package} belongs into {ONLY_IN[package]}"


def test_the_cache_uses_only_the_program_cache_of_cuda() -> None:
    path = ROOT / "backend" / "cache.py"
    names = [name for _, name in imports_of(path) if name.split(".")[0] == "cuda"] if path.exists() else []
    assert all("cache" in name.lower() for name in names), names


def test_the_rules_can_fail(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text("import cuda.core\ndef f():\n    from freehold.tools import explain\n    from . import x\n")
    assert tuple(imports_of(path)) == ((1, "cuda.core"), (3, "freehold.tools.explain"), (4, "..x"))
