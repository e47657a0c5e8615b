"""Who may import whom, among the rooms and beyond them, and what is wrong with the imports of files."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path

from trees import nodes_of

ROOT = Path(__file__).resolve().parents[1]
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


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of every import, wherever it stands in the file."""
    for node in nodes_of(path.read_text(encoding="utf-8")).imports:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        else:
            base = "." * node.level + (node.module or "")
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def from_above(room: str, files: Iterable[Path], root: Path = ROOT) -> list[str]:
    """What files of a room import of rooms that are not below it."""
    others = MAY_IMPORT.keys() - MAY_IMPORT[room] - {room}
    return named(files, root, lambda _, name: name.startswith("freehold.") and name.split(".")[1] in others)


def past_the_package(files: Iterable[Path], root: Path = ROOT) -> list[str]:
    """What files import relatively, or of a room and not through the package."""
    return named(files, root, lambda _, name: name.startswith(".") or name.split(".")[0] in MAY_IMPORT)


def out_of_place(package: str, files: Iterable[Path], root: Path = ROOT) -> list[str]:
    """What files import of a package that is not for them."""
    return named(
        files,
        root,
        lambda path, name: name.split(".")[0] == package and not any(fnmatch(path, p) for p in ONLY_IN[package]),
    )


def named(files: Iterable[Path], root: Path, wrong: Callable[[str, str], bool]) -> list[str]:
    """Imports that are wrong, by a file's path and the name, and where they stand."""
    paths = [(path, path.relative_to(root).as_posix()) for path in files]
    return [f"{name}:{line}: {what}" for path, name in paths for line, what in imports_of(path) if wrong(name, what)]
