"""Launches on a driver that only writes them down: what arrives there, without a GPU. Needs a C compiler."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROGRAM = HERE / "stub_program.py"
TESTS = [
    node.name
    for node in ast.parse(PROGRAM.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
]


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], str]:
    """The tests that passed, and what went wrong."""
    pytest.importorskip("cuda.core")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("no C compiler on a Linux machine")
    folder = tmp_path_factory.mktemp("stub")
    library = folder / "libcuda.so.1"
    command = [compiler, "-O1", "-w", "-shared", "-fPIC", "-o", str(library), str(HERE / "stub_driver.c")]
    subprocess.run(command, check=True)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder), "FREEHOLD_CACHE_DIR": ""}
    command = [sys.executable, "-W", "error", str(PROGRAM)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=240)
    return done.stdout.split(), done.stderr


@pytest.mark.parametrize("name", TESTS)
def test_on_the_stub(name: str, printed: tuple[list[str], str]) -> None:
    passed, wrong = printed
    assert name in passed, wrong
