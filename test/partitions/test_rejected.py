"""Partitions that are refused: every program in `rejected/` with the text that its author sees."""

from __future__ import annotations

import gc
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import freehold as fh

REJECTED = Path(__file__).parent / "rejected"
PROGRAMS = sorted(REJECTED.glob("O*.txt"))


def refused(program: Path) -> str:
    """What a program is told."""
    text, name = program.read_text(encoding="utf-8"), f"{program.stem}.py"
    fh.register_source(name, text)
    scope: dict[str, Any] = {"__name__": "program"}
    with pytest.raises(fh.Rejected) as caught:
        exec(compile(text, name, "exec"), scope)
    told = str(caught.value)
    with warnings.catch_warnings():  # launches that were refused never ran
        warnings.simplefilter("ignore")
        del caught, scope
        gc.collect()
    return told


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_is_refused(program: Path, golden: Callable[[Path, str], None]) -> None:
    told = refused(program)
    assert f"error[{program.stem[:4]}]: " in told
    golden(program.with_suffix(".err"), told)


WITHOUT_COLUMNS = """import numpy as np
import freehold as fh

SWAPPED = lambda i, j: (i, j) if i else (j, i)
fh.partition(np.zeros((8, 8), np.float32), (4, 4), map=SWAPPED)
"""


def test_a_map_where_python_keeps_no_columns(tmp_path: Path) -> None:
    """With `-X no_debug_ranges` an error names the line, and underlines its first character."""
    file = tmp_path / "program.py"
    file.write_text(WITHOUT_COLUMNS, encoding="utf-8")
    command = [sys.executable, "-X", "no_debug_ranges", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"{file}:4:1\n" in done.stderr
    assert "| ^ here, where the integers are not known\n" in done.stderr
