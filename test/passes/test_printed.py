"""What passes make of the modules in their suites, and what they say of those that they refuse: every word of it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from freehold.tools.tile_opt import main

SUITES = Path(__file__).parents[1] / "lit" / "passes"
VERIFIERS = "verify-domains,verify-borrows,verify-partitions,resolve-obligations"
RUN = re.compile(r"^// RUN: tile-opt (%s [^|\n]*?)(?: 2>&1)? \| filecheck", re.MULTILINE)
RUNS = {path: RUN.findall(path.read_text(encoding="utf-8")) for path in sorted(SUITES.glob("*.mlir"))}


@pytest.mark.parametrize("path", [path for path, runs in RUNS.items() if runs], ids=lambda path: path.stem)
def test_what_is_printed(
    path: Path,
    golden: Callable[[Path, str], None],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The suites look for what each case is about; this is the rest of it."""
    monkeypatch.chdir(path.parent)
    parts: list[Any] = []
    for run in RUNS[path]:
        main([word.replace("VERIFIERS", VERIFIERS) for word in shlex.split(run.replace("%s", path.name))])
        parts += [f"// {run}\n{capsys.readouterr().out}"]
    golden(Path(__file__).with_name("printed") / f"{path.stem}.txt", "\n".join(parts))
