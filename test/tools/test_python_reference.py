"""docs/reference/python.md is what signatures and docstrings say, and every public name says something."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import freehold
from freehold.tools.python_reference import main, reference, undocumented

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_up_to_date(golden: Callable[[Path, str], None]) -> None:
    golden(ROOT / "docs" / "reference" / "python.md", reference())


def test_every_public_name_is_there_and_says_something() -> None:
    page = reference()
    assert [n for n in freehold.__all__ if f"### `{n}`" not in page] == []
    assert undocumented() == []


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    path = tmp_path / "reference" / "python.md"
    assert main([str(path)]) == 0
    assert path.read_text() == reference()
