"""`tile-audit`: the facts of a launch from files and from the command line are the same facts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from freehold.tools.tile_audit import main

KERNEL = """
cuda_tile.module @m {
  entry @rows(%x: tile<ptr<f32>>, %rows: tile<ptr<i32>>, %n: tile<i32>) {
    %t = make_token : token
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %place = offset %rows, %b : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %row, %t1 = load_ptr_tko weak %place token=%t : tile<ptr<i32>> -> tile<i32>, token
    %to = offset %x, %row : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %c = constant <f32: 1.0> : tile<f32>
    %t2 = store_ptr_tko weak %to, %c token=%t1 : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  entry @filled(%table: tile<ptr<i64>>) {
    %t = make_token : token
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %place = offset %table, %b : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %word, %t1 = load_ptr_tko weak %place token=%t : tile<ptr<i64>> -> tile<i64>, token
    %to = int_to_ptr %word : tile<i64> -> tile<ptr<f32>>
    %c = constant <f32: 1.0> : tile<f32>
    %t2 = store_ptr_tko weak %to, %c token=%t1 : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""

YAML = """
grid: [4]
arguments:
  - {name: x, dtype: f32, shape: [16]}
  - {name: rows, dtype: i32, shape: [4], contents: rows.npy}
  - {name: n, value: 4}
"""
TOML = """
grid = [4]
arguments = [
  {name = "x", dtype = "f32", shape = [16]},
  {name = "rows", dtype = "i32", shape = [4], contents = "rows.npy"},
  {name = "n", value = 4},
]
"""
FLAGS = ["--grid", "4", "--arg", "x=f32[16]", "--arg", "rows=i32[4]:contents=rows.npy", "--arg", "n=4"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernel.mlir").write_text(KERNEL)
    return tmp_path


def audited(folder: Path, *given: str) -> tuple[int, object]:
    """The exit status and the report."""
    status = main(["kernel.mlir", *given, "--format", "json", "-o", "report.json"])
    return status, json.loads((folder / "report.json").read_text())


@pytest.mark.parametrize(("rows", "status"), [([3, 1, 0, 2], 0), ([3, 1, 3, 2], 1)])
def test_facts_of_files_are_those_of_flags(folder: Path, rows: list[int], status: int) -> None:
    yaml: Any = pytest.importorskip("yaml")
    np.save(folder / "rows.npy", np.array(rows, np.int32))
    wanted = audited(folder, "--entry", "rows", *FLAGS)
    assert wanted[0] == status
    for name, text in (
        ("launch.yaml", YAML),
        ("launch.toml", TOML),
        ("launch.json", json.dumps(yaml.safe_load(YAML))),
    ):
        (folder / name).write_text(text)
        assert audited(folder, "--entry", "rows", "--launch", name) == wanted


TABLE = """
grid: [2]
arguments:
  - {name: table, words: [%s]}
others:
  - {name: one, dtype: f32, shape: [5]}
  - {name: two, dtype: f32, shape: [5]}
"""


@pytest.mark.parametrize(("words", "status"), [("one, two", 0), ("one, one", 1), ("one, 64", 3)])
def test_a_table_of_arrays(folder: Path, words: str, status: int) -> None:
    pytest.importorskip("yaml")
    (folder / "launch.yaml").write_text(TABLE % words)
    assert audited(folder, "--entry", "filled", "--launch", "launch.yaml")[0] == status


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("grid: [4", "flow sequence"),
        ("grid: 4", "`arguments` is a list"),
        ("grid: [4]\narguments: [{name: x, shape: [4], colour: red}]", "unknown fact `colour`"),
        ("grid: [4]\narguments: [{name: x, value: many}]", "the value of `x` is no number"),
        ("grid: [4]\narguments: [{name: x, words: 7}]", "the words of `x` are no list"),
        ("grid: [4]\narguments: [{name: x, words: [7, 1.5]}]", "the words of `x` are no list"),
    ],
)
def test_what_is_no_launch_is_refused(folder: Path, text: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("yaml")
    (folder / "launch.yaml").write_text(text)
    assert main(["kernel.mlir", "--entry", "rows", "--launch", "launch.yaml"]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "argument `launch.yaml` of" in told


def test_what_is_no_grid_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del folder
    assert main(["kernel.mlir", "--entry", "rows", "--grid", "four"]) == 2
    told = capsys.readouterr().err
    assert "`four` is no grid" in told
    assert "argument `--grid` of" in told


@pytest.mark.parametrize(
    ("kept", "entry", "status", "said"),
    [
        (("rows",), None, 0, ""), (("rows", "filled"), None, 2, "the entries are rows, filled"),
        (("rows", "filled"), "rows", 0, ""), (("rows",), "other", 2, "the entries are rows"),
        ((), None, 2, "`some.mlir` holds no entry of CUDA Tile IR"), ((), "rows", 2, "holds no entry"),
    ],
)  # fmt: skip
def test_which_entry_is_meant(
    kept: tuple[str, ...], entry: str | None, status: int, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = {name: "\n  entry @" + text for text in KERNEL.split("\n  entry @")[1:] for name in [text.split("(")[0]]}
    parts = {
        name: text.rstrip().removesuffix("}").rstrip() if name == "filled" else text for name, text in parts.items()
    }
    (folder / "some.mlir").write_text(
        f"cuda_tile.module @m {{{''.join(parts[name] for name in kept)}\n}}", encoding="utf-8"
    )
    np.save("rows.npy", np.arange(4, dtype=np.int32))
    assert main(["some.mlir", *FLAGS, *(["--entry", entry] if entry else [])]) == status
    assert said in " ".join(capsys.readouterr().err.split())
