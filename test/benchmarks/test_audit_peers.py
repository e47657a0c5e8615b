"""`benchmarks.audit_peers`: a launch whose audit crashes is told of, and the others are audited all the same."""

from __future__ import annotations

import pickle
import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is not installed")

from benchmarks import audit_peers

from freehold.audit.facts import launch_from
from freehold.backend.bytecode.writer import write_bytecode
from freehold.support.span import SourceMap
from freehold.tools import files

KERNEL = """
cuda_tile.module @m {
  entry @one(%x: tile<ptr<f32>>) {
    %t = make_token : token
    %c = constant <f32: 1.0> : tile<f32>
    %t2 = store_ptr_tko weak %x, %c token=%t : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""


def case(folder: Path, name: str, **more: Any) -> Path:
    launch = launch_from({"grid": [1], "arguments": [{"name": "x", "dtype": "f32", "shape": [4]}]})
    module = files.read_module(KERNEL.encode(), "kernel.mlir", "test", SourceMap())
    found = {
        "kernel": name, "symbol": "one", "bytecode": write_bytecode(module), "grid": (1, 1, 1),
        "test": "test_one.py::test", "why": "", "launch": launch, **more,
    }  # fmt: skip
    path = folder / f"{name}.case"
    path.write_bytes(pickle.dumps(found))
    return path


def test_a_crash_ends_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good, damaged = case(tmp_path, "good"), case(tmp_path, "bad", bytecode=b"none")
    (tmp_path / "nothing.case").write_bytes(b"nothing")
    real = audit_peers.audit

    def audit(module: Any, entry: Any, launch: Any) -> Any:
        if launch.grid == (2, 1, 1):
            raise ZeroDivisionError
        return real(module, entry, launch)

    monkeypatch.setattr(audit_peers, "audit", audit)
    broken = case(tmp_path, "broken", launch=launch_from({"grid": [2], "arguments": [{"name": "x", "shape": [4]}]}))
    rows = [
        audit_peers.survived(path, tmp_path, 0, random.Random(0))
        for path in (broken, damaged, tmp_path / "nothing.case", good)
    ]
    assert [row.verdict for row in rows] == ["unknown", "unknown", "unknown", "safe"]
    assert rows[0].causes == ["the audit ended in ZeroDivisionError"]
    assert all("ended in" in row.causes[0] for row in rows[:3])


def test_no_path_of_a_machine_stands_on_the_page(tmp_path: Path) -> None:
    checkout, written = tmp_path / "checkout", tmp_path / "test_add0" / "add.py"
    assert audit_peers.named(str(checkout / "test" / "test_add.py"), checkout) == "test/test_add.py"
    assert audit_peers.named(str(written), checkout) == "test_add0/add.py"
    assert audit_peers.named("test/test_add.py", checkout) == "test/test_add.py"
