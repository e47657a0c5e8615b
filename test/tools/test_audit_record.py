"""`tile-audit --record`: a program in cuTile Python runs without a GPU, and each kind of launch is audited once."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path

import pytest

from freehold.tools import audit_record
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
    assert (
        found[0]["signature"] == "def scaled(x: Ref[f32, 'X0'], y: Out[f32, 'Y0'], factor: f32)  # partition y by [8]"
    )


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    assert main(["--record", str(tmp_path / "nothing.py")]) == 2


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (["python", "program.py", "right"], 0),
        (["/usr/bin/python3.12", "program.py", "right"], 0),
        (["python3", "-m", "program", "right"], 0),
        (["python3", "-u", "program.py", "right"], 2),
        (["python3"], 2),
        (["python3", "nothing.py"], 2),
    ],
)
def test_the_command_is_a_shell_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], status: int
) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    assert main(["-o", "report.txt", "--record", *command]) == status
    assert (tmp_path / "report.txt").exists() == (status == 0)


@pytest.mark.parametrize("installed", [True, False])
def test_torch_is_there_before_the_gpu_that_is_pretended(
    installed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program on torch is told of that GPU by what is put into torch, which has to be imported for it."""
    (program := tmp_path / "program.py").write_text("")
    imported: list[str] = []

    def found(name: str) -> str | None:
        return name if installed else None

    monkeypatch.setattr(audit_record, "find_spec", found)
    monkeypatch.setattr(audit_record, "import_module", imported.append)
    monkeypatch.setattr(audit_record, "pretend", lambda: nullcontext(imported.append("pretend")))
    assert audit_record.run_program([str(program)], interpret=True).failed is None
    assert imported == ["freehold.audit.verdict", *(["torch"] if installed else []), "pretend"]


SEVERAL = """
import sys
import numpy as np
import cuda.tile as ct

@ct.kernel
def order(rows, B: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(rows, (i,), i * B + ct.arange(B, dtype=ct.int32))

@ct.kernel
def gathered(x, rows, y, B: ct.Constant[int]):
    i = ct.bid(0)
    at = ct.load(rows, (i,), (B,))
    ct.scatter(y, at, ct.gather(x, at))

@ct.kernel
def filled(arrays, B: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(arrays[i], (0,), ct.full((B,), 1.0, ct.float32))

rows, x, y = np.zeros(32, np.int32), np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
ct.launch(0, (4,), order, (rows, 8))
ct.launch(0, (4,), gathered, (x, rows, y, 8))
assert (y == x).all(), "the table holds what the launch before wrote"
a, b = np.zeros(8, np.float32), np.zeros(8, np.float32)
ct.launch(0, (2,), filled, ([a, b if sys.argv[1] == "right" else a], 8))
"""


@pytest.mark.parametrize(("word", "codes"), [("right", list[str]()), ("wrong", ["O523"])])
def test_a_program_with_several_kernels_and_a_list_of_arrays(tmp_path: Path, word: str, codes: list[str]) -> None:
    program, report = tmp_path / "program.py", tmp_path / "report.json"
    program.write_text(SEVERAL)
    assert main(["--format", "json", "-o", str(report), "--record", str(program), word]) == bool(codes)
    found = json.loads(report.read_text())
    assert [each["kernel"].partition("_K")[0] for each in found] == ["order", "gathered", "filled"]
    assert [[finding["code"] for finding in each["findings"]] for each in found] == [[], [], codes]


TUNED = """
import numpy as np
import cuda.tile as ct
from cuda.tile.tune import exhaustive_search

@ct.kernel
def doubled(x, y, B: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (i,), (B,)) * 2)

x, y = np.arange(20, dtype=np.float32), np.zeros(20, np.float32)
found = exhaustive_search([7, 8, 4], 0, lambda b: (-(-20 // b),), doubled, lambda b: (x, y, b), quiet=True)
assert found.best.config == 8, "what does not compile is passed over"
ct.launch(0, (3,), doubled, (x, y, found.best.config))
"""


def test_a_search_finds_what_compiles_first(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(TUNED)
    assert main(["-o", str(tmp_path / "report.txt"), "--record", str(program)]) == 0


def test_the_page_has_lines_and_pictures(tmp_path: Path) -> None:
    program, report = tmp_path / "program.py", tmp_path / "report.html"
    program.write_text(SEVERAL)
    assert main(["--format", "html", "-o", str(report), "--record", str(program), "wrong"]) == 1
    page = report.read_text()
    assert "blocks 0 and 1 both access element [0]" in page
    assert "ct.store(arrays[i], (0,)" in page, "the author's own line"
    assert page.count("<svg") == 4
    assert "arrays[0][0]: blocks 0 and 1 both write here" in page
    assert "y[8]: block 1 writes" in page
    assert "http" not in page.replace('xmlns="http://www.w3.org/2000/svg"', "")
