"""`tile-audit --record`: a program in cuTile Python runs without a GPU, and each kind of launch is audited once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from freehold.tools.tile_audit import main

pytest.importorskip("cuda.tile", reason="cuda-tile is not installed")

PROGRAM = """
import sys
import numpy as np
import cuda.tile as ct

@ct.kernel
def scaled(x, y, factor, B: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (i,), (B,)) * factor)

x, y = np.arange(20, dtype=np.float32), np.zeros(20, np.float32)
for _ in range(3):
    ct.launch(0, (3,), scaled, (x, y, 2.0, 8))
assert y[3] == 6, "launches are carried out"
if sys.argv[1] == "wrong":
    ct.launch(0, (4,), scaled, (x, y, 2.0, 8))
    ct.launch(0, (1,), scaled, (x[:12], x[4:16], 2.0, 8))
"""


@pytest.mark.parametrize(
    ("word", "status", "codes"),
    [("right", 0, [list[str]()]), ("wrong", 1, [list[str](), ["O520"], ["O525"]])],
)
def test_a_program_is_audited(tmp_path: Path, word: str, status: int, codes: list[list[str]]) -> None:
    program, report = tmp_path / "program.py", tmp_path / "report.json"
    program.write_text(PROGRAM)
    assert main(["--format", "json", "-o", str(report), "--record", str(program), word]) == status
    found = json.loads(report.read_text())
    assert [[finding["code"] for finding in each["findings"]] for each in found] == codes
    assert found[0]["signature"] == "def scaled(x: Ref[f32, 'X0'], y: Out[f32, 'Y0'])  # partition y by [8]"


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    assert main(["--record", str(tmp_path / "nothing.py")]) == 2
