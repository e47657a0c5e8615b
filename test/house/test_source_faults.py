"""What `make plant` plants: programs all of them, each another one than before, and near to some tests."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "test" / "fuzz"))

from plant import nearest, rounds  # noqa: E402 -- from that folder
from source_faults import Fault, faults_of  # noqa: E402 -- as above

TEXT = """
def chosen(a: int, b: int = 4) -> bool:
    \"\"\"1 is no number here.\"\"\"
    if a < 2 and not b:
        a += 1
    assert a
    return min(a, b) in (0, 3) or isinstance(a, int | str)
"""
PLANTED = {
    "a <= 2", "2 and not b".replace("and", "or"), "not (a < 2 and not b)", "a < 3", "and (b)", "        pass", "a += 2",
    "max(a, b)", "not in", "(1, 3)", "(0, 4)", ") and isinstance", "isinstance(a, int)",
}  # fmt: skip


def planted(fault: Fault, text: bytes) -> str:
    """The line that a fault changes, as it is then."""
    before, after = text.decode().splitlines(), fault.planted(text).decode().splitlines()
    [line] = [new for old, new in zip(before, after, strict=True) if old != new]
    assert line == after[fault.line - 1]
    return line


def test_what_is_planted(tmp_path: Path) -> None:
    file = tmp_path / "chosen.py"
    file.write_text(TEXT, encoding="utf-8")
    found = [planted(fault, file.read_bytes()) for fault in faults_of(file, tmp_path)]
    assert len(found) == len(PLANTED)
    for piece in PLANTED:
        assert any(piece in line for line in found), piece


@pytest.mark.parametrize(
    "path", ["support/terms.py", "passes/cse.py", "frontend/types.py", "runtime/interpreter/rounding.py"]
)
def test_faults_are_programs(path: str) -> None:
    text, faults = (ROOT / path).read_bytes(), faults_of(ROOT / path, ROOT)
    assert faults
    for fault in faults[:: max(1, len(faults) // 20)]:
        planted(fault, text)
        ast.parse(fault.planted(text))


def test_the_nearest_tests_come_first() -> None:
    assert nearest("passes/hoist_invariants.py")[0] == "test/lit/passes/hoist_invariants.mlir"
    assert nearest("runtime/interpreter/rounding.py")[0] == "test/interpreter/test_rounding.py"
    polynomials = nearest("passes/prover/polynomials.py")
    assert polynomials.index("test/passes/test_prover.py") < polynomials.index(
        "test/passes/test_ranges.py"
    )  # by imports
    assert polynomials[-1] == "test/passes"


def test_few_files_are_imported_for_the_first_answer() -> None:
    near = ["test/lit/a.mlir", *(f"test/{n}.py" for n in range(9)), "test/lit/b", "test/c", "test/d"]
    assert [len(files) for files in rounds(near)] == [1, 2, 6, 1, 1, 1, 1]
    assert [name for files in rounds(near) for name in files] == near
