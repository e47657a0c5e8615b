"""docs/reference/python.md is what signatures and docstrings say, and every public name says something."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import freehold
from freehold.tools.python_reference import main, reference, undocumented

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_up_to_date(golden: Callable[[Path, str], None], tmp_path: Path) -> None:
    """The command writes it of what is Python's, with the native module and without."""
    path = tmp_path / "python.md"
    subprocess.run([sys.executable, "-m", "freehold.tools.python_reference", str(path)], check=True)
    golden(ROOT / "docs" / "reference" / "python.md", path.read_text(encoding="utf-8"))


def test_every_public_name_is_there_and_says_something() -> None:
    page = reference()
    assert [n for n in freehold.__all__ if f"### `{n}`" not in page] == []
    assert undocumented() == []


def test_what_says_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Told:
        """Something."""

        def silent(self) -> None: ...

        def told(self) -> None:
            """What it does."""

    monkeypatch.setattr(Told, "__module__", "freehold.told")
    monkeypatch.setattr(freehold, "Told", Told, raising=False)
    monkeypatch.setattr(freehold, "Silent", type("Silent", (), {}), raising=False)
    monkeypatch.setattr(freehold, "__all__", [*freehold.__all__, "Told", "Silent"])
    assert undocumented() == ["Told.silent", "Silent"]


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    path = tmp_path / "reference" / "python.md"
    assert main([str(path)]) == 0
    assert path.read_text() == reference()
