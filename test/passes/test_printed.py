"""What passes make of the modules in their suites, and what they say of those that they refuse: every word of it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

TileOpt = Callable[..., tuple[int, str]]
SUITES = Path(__file__).parents[1] / "lit" / "passes"
VERIFIERS = "verify-domains,verify-borrows,verify-partitions,resolve-obligations"
RUN = re.compile(r"^// RUN: tile-opt (%s [^|\n]*?)(?: 2>&1)? \| filecheck", re.MULTILINE)
RUNS = {path: RUN.findall(path.read_text(encoding="utf-8")) for path in sorted(SUITES.glob("*.mlir"))}


@pytest.mark.parametrize("path", [path for path, runs in RUNS.items() if runs], ids=lambda path: path.stem)
def test_what_is_printed(
    path: Path,
    golden: Callable[[Path, str], None],
    tile_opt: TileOpt,
) -> None:
    """The suites look for what each case is about; this is the rest of it."""
    parts: list[str] = []
    for run in RUNS[path]:
        _, *options = (word.replace("VERIFIERS", VERIFIERS) for word in shlex.split(run))
        parts.append(f"// {run}\n{tile_opt(path, *options)[1]}")
    golden(Path(__file__).with_name("printed") / f"{path.stem}.txt", "\n".join(parts))


VERIFIED = [
    path
    for path, runs in RUNS.items()
    if not path.stem.endswith("invalid")
    and any(re.search("VERIFIERS|verify-(partitions|borrows)|resolve-obligations", run) for run in runs)
]


@pytest.mark.parametrize("path", VERIFIED, ids=lambda path: path.stem)
def test_what_is_reported_and_proved(
    path: Path,
    golden: Callable[[Path, str], None],
    tile_opt: TileOpt,
) -> None:
    """How each obligation is met, what would meet it better, and what was concluded of what on the way."""
    options = ("--split-input-file", "--print-diagnostics", "--allow-unregistered-dialect")
    parts = [f"// {what}\n{tile_opt(path, *options, what)[1]}" for what in ("--report", "--proofs")]
    golden(Path(__file__).with_name("printed") / f"{path.stem}.report.txt", "\n".join(parts))
