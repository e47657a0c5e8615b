"""The reference in `docs/` is what its tool writes from the classes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from freehold.dialects.cuda_tile import OPS
from freehold.tools import op_reference

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cuda_tile.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == op_reference.reference(), (
        "run: python -m freehold.tools.op_reference --write docs/reference/cuda_tile.md"
    )


def test_every_operation_is_on_it_once() -> None:
    lines = op_reference.reference().splitlines()
    for op in OPS:
        assert lines.count(f"### `{op.short_name()}`") == 1, op.name


def test_it_is_written_where_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert op_reference.main(["--write", str(tmp_path / "page.md")]) == 0
    assert op_reference.main([]) == 0
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == capsys.readouterr().out


def test_it_is_a_program(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "freehold.tools.op_reference", "--write", str(tmp_path / "page.md")]
    assert subprocess.run(command, check=True, capture_output=True).stdout == b""
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == op_reference.reference()
