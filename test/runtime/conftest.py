"""
What the runtime's tests share: programs that are refused, kept as text, and the stub driver.

Lets them import the modules beside them, too (pytest's importlib mode does not).
"""

from __future__ import annotations

import bdb
import linecache
import os
import pdb
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from forked import COMPILER, Forks

import freehold as fh

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from stub_printed import Printed  # noqa: E402 -- from beside this file

BEGINNING = ("numpy", "ml_dtypes", "pytest", "hypothesis", "cuda.core", "cuda.bindings.driver", "z3")
"""What programs on the stub driver import, besides the compiler."""

REJECTED = HERE / "rejected"


@pytest.fixture
def python_as_it_starts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Without pytest's own hook for breakpoints, and without breakpoints of another test."""
    monkeypatch.setattr(sys, "breakpointhook", sys.__breakpointhook__)
    monkeypatch.setattr(pdb, "set_trace", pdb.pm)  # any function of pdb's; pytest's is in its place
    monkeypatch.delenv("PYTHONBREAKPOINT", raising=False)
    yield
    for number in list(bdb.Breakpoint.bpbynumber):
        if number is not None:
            number.deleteMe()


@pytest.fixture(scope="session")
def on_stub(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Printed]:
    """
    `on_stub(program, *arguments)` runs a program of this folder, in a process of its own, on the stub driver; with
    `native=False` without the native module, and with `fresh=True` in an interpreter that has imported nothing before.
    """
    pytest.importorskip("cuda.core")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("no C compiler on a Linux machine")
    folder = tmp_path_factory.mktemp("stub")
    library = folder / "libcuda.so.1"
    command = [compiler, "-O1", "-w", "-shared", "-fPIC", "-pthread", "-o", str(library), str(HERE / "stub_driver.c")]
    subprocess.run(command, check=True)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder), "FREEHOLD_CACHE_DIR": ""}
    plain = cache(lambda: Forks([*BEGINNING, *COMPILER], environment, ["-W", "error"]))
    with_torch = cache(lambda: plain().grown("torch"))

    def run(program: str, *arguments: str, native: bool = True, fresh: bool = False) -> Printed:
        path = HERE / program
        chosen = environment if native else {**environment, "FREEHOLD_NATIVE": "0"}
        if fresh:
            command = [sys.executable, "-W", "error", str(path), *arguments]
            done = subprocess.run(command, capture_output=True, text=True, env=chosen, check=False)
        else:
            torch = find_spec("torch") and "posing()" in path.read_text(encoding="utf-8")
            done = (with_torch() if torch else plain()).run([str(path), *arguments], chosen)
        return Printed(done.stdout.split(), done.stderr, done.returncode)

    return run


@pytest.fixture
def refused() -> Callable[[str], str]:
    """`refused(program)` runs a program after the prelude and returns the text of the error that it must raise."""

    def run(program: str) -> str:
        scope: dict[str, object] = {"__name__": "__main__"}
        prelude = (REJECTED / "prelude.txt").read_text(encoding="utf-8")
        for name, text in (("kernels.py", prelude), ("train.py", program)):
            fh.register_source(name, text)
            code = compile(text, name, "exec")
            if name == "kernels.py":
                exec(code, scope)
                continue
            with pytest.raises(fh.Rejected) as caught:
                exec(code, scope)
        scope.clear()
        text = str(caught.value)
        for name in ("kernels.py", "train.py"):
            linecache.cache.pop(name, None)
        return text

    return run
