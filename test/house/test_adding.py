"""docs/adding.md is true: what it shows, made in a copy of the tree, works, and touches as few files as it says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from layers import MAY_IMPORT, ONLY_IN, from_above, out_of_place, past_the_package

ROOT = Path(__file__).parents[2]
ROOMS = (*sorted(link.name for link in (ROOT / "src" / "freehold").iterdir() if link.is_symlink()), "src")
PAGE = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")


class Change(NamedTuple):
    """What becomes of a piece of a file; of nothing, where the file is new."""

    path: str
    before: str
    after: str


def changes_of(difference: str) -> Iterator[Change]:
    """The changes of a difference: a file begins with `---`, a piece of it with `@@`."""
    for part in re.split(r"^--- ", difference, flags=re.MULTILINE)[1:]:
        path, *pieces = re.split(r"^@@\n", part, flags=re.MULTILINE)
        for piece in pieces:
            lines = piece.splitlines(keepends=True)
            before, after = ("".join(ln[1:] or "\n" for ln in lines if ln[0] not in left) for left in ("+", "-"))
            yield Change(path.strip(), before, after)


def differences() -> dict[str, str]:
    """The differences of the page by the titles over them."""
    found: dict[str, str] = {}
    for section in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]:
        for difference in re.findall(r"^```diff\n(.*?)^```", section, re.MULTILINE | re.DOTALL):
            found[section.partition("\n")[0]] = difference
    return found


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the rooms and of what the tests of additions need."""
    of_tests = shutil.ignore_patterns("__pycache__", "_native*")
    of_rooms = shutil.ignore_patterns("_native*")  # what is compiled of files that stay as they are is right there, too
    for name in (*ROOMS, "docs", "examples", "test/house", "test/lit", "test/frontend"):
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True, ignore=of_rooms if name in ROOMS else of_tests)
    beside = ("conftest.py", "counting.py", "answers.py", "forked.py", "forking.py", "trees.py")
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", *(f"test/{name}" for name in beside)):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


MOST = {"A function of the language": 2, "An ownership access": 4, "A pass": 2, "An error": 1}
"""Files of the product that an addition touches."""


@pytest.mark.parametrize("title", MOST)
def test_what_is_shown_works(title: str, copy: Path) -> None:
    touched: set[str] = set()
    for change in changes_of(differences()[title]):
        file = copy / change.path
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        assert file.exists() == bool(change.before), change.path
        assert not change.before or text.count(change.before) == 1, f"{change.path}:\n{change.before}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace(change.before, change.after) if text else change.after, encoding="utf-8")
        touched.add(change.path)
    assert len([path for path in touched if path.startswith(ROOMS)]) == MOST[title]
    tests = sorted(path for path in touched if path.startswith("test/"))
    modules = sorted(path for path in touched if path.endswith(".py"))
    run(copy, "ruff", "check", "-q", "--config", str(ROOT / "pyproject.toml"), *modules)
    assert kept(copy, [copy / path for path in modules if path.split("/")[0] in MAY_IMPORT])
    programs = ["test/house/test_checklist.py", *(t for t in tests if t.endswith(".py"))]
    run(copy, "pytest", "-q", "-n0", "-p", "no:cacheprovider", f"--basetemp={copy}/kept", *programs)
    if suites := [t for t in tests if t.endswith(".mlir")]:
        run(copy, "lit.main", "-q", *suites)


def kept(folder: Path, files: list[Path]) -> bool:
    """Whether files of the product keep the rules of who imports whom; the others are as they were."""
    rooms = {file: file.relative_to(folder).parts[0] for file in files}
    return not (
        any(from_above(room, [file], folder) for file, room in rooms.items())
        or past_the_package(files, folder)
        or any(out_of_place(package, files, folder) for package in ONLY_IN)
    )


def run(folder: Path, module: str, *arguments: str) -> None:
    """Runs a tool in a copy, on the code that is there."""
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    program = f"import runpy; runpy.run_module({module!r}, run_name='__main__')"
    if module == "lit.main":  # which is no program
        program = f"import {module}; {module}.main()"
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_difference_is_made() -> None:
    assert differences().keys() == MOST.keys()
