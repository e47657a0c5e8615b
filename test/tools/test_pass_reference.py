"""docs/reference/passes.md is what the passes' docstrings say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from freehold.tools.pass_reference import main, reference

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_up_to_date(golden: Callable[[Path, str], None]) -> None:
    golden(ROOT / "docs" / "reference" / "passes.md", reference())


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    path = tmp_path / "reference" / "passes.md"
    assert main([str(path)]) == 0
    assert path.read_text() == reference()
